/**
 * A worker thread that counts: round by round in lockstep with the other workers, it takes as ordered,
 * and at the end posts the outcome. Not a test; concurrency.test.ts starts several.
 */

import { parentPort, workerData } from "node:worker_threads";
import type { Key } from "../../server/keys/key.js";
import { SharedCounters } from "../../server/limits/counters.js";
import { SharedLimits } from "../../server/limits/shared-limits.js";

export interface CountingTask {
	readonly counters: SharedArrayBuffer;
	/** Word 0: workers that have arrived at the current round's start. Word 1: rounds begun. */
	readonly gate: SharedArrayBuffer;
	readonly workers: number;
	readonly keys: readonly Key[];
	/** The time in each round. */
	readonly momentsMs: readonly number[];
	/** Requests of each key in a round. */
	readonly repeats: number;
}

/** Requests by key and outcome: allowed, or the code of the refusal. */
export type CountingOutcome = Record<string, number>;

const { counters, gate, workers, keys, momentsMs, repeats } = workerData as CountingTask;
const limits = new SharedLimits(new SharedCounters(counters));
const words = new Int32Array(gate);

/** Returns when every worker has called it for this round. */
function waitForAll(round: number): void {
	if (Atomics.add(words, 0, 1) + 1 === workers) {
		Atomics.store(words, 0, 0);
		Atomics.store(words, 1, round + 1);
		Atomics.notify(words, 1);
	}
	while (Atomics.load(words, 1) <= round) Atomics.wait(words, 1, round);
}

const outcome: CountingOutcome = {};
for (const [round, nowMs] of momentsMs.entries()) {
	waitForAll(round);
	for (let i = 0; i < repeats; i++) {
		for (const key of keys) {
			const { code } = limits.take(key, "/v1/licenses", nowMs);
			const name = `${key.id} ${code ?? "allowed"}`;
			outcome[name] = (outcome[name] ?? 0) + 1;
		}
	}
}
parentPort?.postMessage(outcome);
