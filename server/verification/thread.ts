/**
 * The thread that verifies: one look at the files a second, and between looks a piece of a file at a
 * time, at the pace that was asked for and at the lowest priority the system has.
 */

import { constants, setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { invariant } from "../../formats/errors.js";
import type { VerifyingData } from "./messages.js";
import { MonthWatch } from "./month-watch.js";

const LOOK_INTERVAL_MS = 1_000;
/** Bytes read at a time: some hundred microseconds of work. */
const PIECE_BYTES = 1 << 19;

/** Pauses shorter than a timer's resolution are accumulated. */
const REST_MS_MIN = 2;

const port = parentPort;
invariant(port !== null, "this module runs in a worker thread");
const { dataFolder, bytesPerSecond } = workerData as VerifyingData;
// On Linux a priority is a thread's own; elsewhere it would be that of the whole process.
if (process.platform === "linux") setPriority(0, constants.priority.PRIORITY_LOW);

const watch = new MonthWatch(dataFolder, Buffer.allocUnsafeSlow(PIECE_BYTES));
let told = "";

function tell(): void {
	const report = watch.report();
	const text = JSON.stringify(report);
	if (text === told) return;
	told = text;
	port?.postMessage(report);
}

async function readUntil(endMs: number): Promise<void> {
	/** What the pieces read since the last rest may take at the pace asked for. */
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
			tell();
		}
		tell();
		if (isIdle || performance.now() >= endMs) return;
	}
}

for (;;) {
	const endMs = performance.now() + LOOK_INTERVAL_MS;
	watch.look();
	tell();
	if (bytesPerSecond > 0) await readUntil(endMs);
	await delay(Math.max(0, endMs - performance.now()));
}
