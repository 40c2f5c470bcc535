/**
 * Ends code that runs too long on the calling thread: a regular expression that backtracks can take longer on one line
 * than the build has, and nothing in JavaScript can end it but the virtual machine.
 *
 * Invariant: code that was ended has left whatever it changes half changed, so its caller discards that.
 */

import { Script } from "node:vm";

/** `run` is what {@link withinTime} has to call; the script's one access to the caller. */
const KEY = Symbol.for("rollcall.within-time");
const shared = globalThis as unknown as Record<symbol, (() => void) | undefined>;
let script: Script | null = null;

/** The result of `run`, or undefined where it was ended because it took longer than `ms`. Cost: 0.2 ms beside `run`. */
export function withinTime<T>(ms: number, run: () => T): T | undefined {
	let result: T | undefined;
	script ??= new Script(`globalThis[Symbol.for(${JSON.stringify(Symbol.keyFor(KEY))})]()`);
	shared[KEY] = () => {
		result = run();
	};
	try {
		script.runInThisContext({ timeout: ms });
		return result;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
		throw error;
	} finally {
		shared[KEY] = undefined;
	}
}
