/**
 * Loaded before a program (`node --import`): kills the process, as kill -9 does, right before the nth step
 * that changes what is on disk (`ROLLCALL_KILL_AT`), a rename or a write to the journal. Half of a line
 * written to the journal stays behind.
 */

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { isMainThread } from "node:worker_threads";

const killAt = Number(process.env.ROLLCALL_KILL_AT);
let steps = 0;

function step(): void {
	if (++steps === killAt) process.kill(process.pid, "SIGKILL");
}

if (isMainThread) {
	const { renameSync, writeSync } = fs;
	fs.renameSync = (from, to) => {
		step();
		renameSync(from, to);
	};
	fs.writeSync = ((descriptor: number, data: unknown, ...rest: unknown[]) => {
		// The journal writes text; what else is written is not seen before a rename.
		if (typeof data === "string") {
			if (steps + 1 === killAt) writeSync(descriptor, data.slice(0, data.length >> 1));
			step();
		}
		return (writeSync as (...args: unknown[]) => number)(descriptor, data, ...rest);
	}) as typeof fs.writeSync;
	syncBuiltinESMExports();
}
