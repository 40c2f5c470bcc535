/**
 * The programs that a benchmark starts end with it, however it ends: by a wrong answer, an error or a signal. They would
 * otherwise go on beside what is measured next.
 */

import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";

/** Those that run, with the signal that ends each at once. */
const running = new Map<ChildProcess, NodeJS.Signals>();

/** `child`, which `signal` ends when this process does. */
export function ownChild<Child extends ChildProcess>(
	child: Child,
	signal: NodeJS.Signals = "SIGKILL",
): Child {
	running.set(child, signal);
	child.once("exit", () => running.delete(child));
	return child;
}

/** Ends the children when this process exits, as it does from now on at the signals that end it. */
export function endChildrenAtExit(): void {
	process.once("exit", () => {
		for (const [child, signal] of running) child.kill(signal);
	});
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
		process.once(signal, () => process.exit(128 + constants.signals[signal]));
}
