/**
 * The scrubbing thread: checks every file's metadata once a second and in between reads files block by block,
 * at the configured rate and at the system's lowest priority.
 */

import { constants, setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { invariant } from "../../formats/errors.js";
import type { ScrubbingData } from "./messages.js";
import { MonthWatch } from "./month-watch.js";

const LOOK_INTERVAL_MS = 1_000;
/** Bytes per block: a few hundred microseconds of work. */
const PIECE_BYTES = 1 << 19;

/** Pauses shorter than a timer's resolution are accumulated. */
const REST_MS_MIN = 2;

const port = parentPort;
invariant(port !== null, "this module runs in a worker thread");
const { dataFolder, bytesPerSecond } = workerData as ScrubbingData;
// On Linux each thread has its own priority; elsewhere this would change the whole process.
if (process.platform === "linux") setPriority(0, constants.priority.PRIORITY_LOW);

const watch = new MonthWatch(dataFolder, Buffer.allocUnsafeSlow(PIECE_BYTES));
let lastReport = "";

function reportChange(): void {
	const report = watch.report();
	const text = JSON.stringify(report);
	if (text === lastReport) return;
	lastReport = text;
	port?.postMessage(report);
}

async function readUntil(endMs: number): Promise<void> {
	/** Time that the blocks read since the last pause should take at the configured rate. */
	let dueMs = 0;
	for (;;) {
		let isIdle = true;
		for (const bytes of watch.readOne()) {
			isIdle = false;
			dueMs += (bytes / bytesPerSecond) * 1_000;
			if (dueMs < REST_MS_MIN) continue;
			await delay(dueMs);
			dueMs = 0;
			if (performance.now() < endMs) continue;
			endMs += LOOK_INTERVAL_MS;
			watch.look();
			reportChange();
		}
		reportChange();
		if (isIdle || performance.now() >= endMs) return;
	}
}

for (;;) {
	const endMs = performance.now() + LOOK_INTERVAL_MS;
	watch.look();
	reportChange();
	if (bytesPerSecond > 0) await readUntil(endMs);
	await delay(Math.max(0, endMs - performance.now()));
}
