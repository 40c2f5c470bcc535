/**
 * The error type of the commands on signups.
 *
 * Invariant: a code, once published, keeps its name and meaning. Callers switch on `code`.
 */

/** Frozen codes of {@link SignupError}. */
export type SignupErrorCode = "unreadable_report";

/** What a command on signups was given cannot be used. */
export class SignupError extends Error {
	readonly code: SignupErrorCode;

	constructor(code: SignupErrorCode, message: string) {
		super(message);
		this.name = "SignupError";
		this.code = code;
	}
}
