/**
 * Ends code that runs too long on the calling thread: a regular expression that backtracks can take longer on one line
 * than the build has, and nothing in JavaScript can end it but the virtual machine.
 *
 * Invariant: code that was ended has left whatever it changes half changed, so its caller discards that.
 */

import { runInNewContext } from "node:vm";

/** The result of `run`, or undefined where it was ended because it took longer than `ms`. Cost: some milliseconds beside `run`. */
export function withinTime<T>(ms: number, run: () => T): T | undefined {
	try {
		return runInNewContext("run()", { run }, { timeout: ms }) as T;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
		throw error;
	}
}
