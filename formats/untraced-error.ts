/**
 * The base of errors that are answers to a request. Their message is told to the client and nothing of them is logged, so
 * nobody reads a stack trace of them, whose capture takes a third of the CPU time of a refusal.
 */

export abstract class UntracedError extends Error {
	constructor(message: string) {
		const { stackTraceLimit } = Error;
		Error.stackTraceLimit = 0;
		super(message);
		Error.stackTraceLimit = stackTraceLimit;
	}
}
