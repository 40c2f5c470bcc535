/** State of a process that its test files share, compared before and after each of them. */

/** Values by what they are called in a message. */
export type ProcessState = ReadonlyMap<string, unknown>;

/** Events whose listeners change what the process does. Libraries add others as they are loaded. */
const EVENTS = ["SIGHUP", "SIGINT", "SIGTERM", "SIGUSR2", "uncaughtException", "unhandledRejection"];
/** What fake clocks, random numbers and outputs replace. */
const REPLACEABLE: Readonly<Record<string, () => unknown>> = {
	Date: () => globalThis.Date,
	"Date.now": () => Date.now,
	"Math.random": () => Math.random,
	"performance.now": () => performance.now,
	setTimeout: () => globalThis.setTimeout,
	setInterval: () => globalThis.setInterval,
	setImmediate: () => globalThis.setImmediate,
	fetch: () => globalThis.fetch,
	"process.stdout.write": () => process.stdout.write,
	"process.stderr.write": () => process.stderr.write,
	"process.exit": () => process.exit,
};

export function processState(): ProcessState {
	const state = new Map<string, unknown>();
	state.set("the working directory", process.cwd());
	state.set("process.umask()", process.umask());
	for (const [name, value] of Object.entries(process.env)) state.set(`process.env.${name}`, value);
	for (const event of EVENTS) state.set(`the listeners of ${event}`, process.listenerCount(event));
	for (const [name, read] of Object.entries(REPLACEABLE)) state.set(name, read());
	return state;
}

/** What differs between two states. */
export function changesBetween(before: ProcessState, after: ProcessState): string[] {
	const names = new Set([...before.keys(), ...after.keys()]);
	return [...names].filter((name) => before.get(name) !== after.get(name));
}
