/** Limits are exact when several threads count concurrently. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Key } from "../../server/keys/key.js";
import { COUNT_WORDS, SharedCounters, USAGE_BANKS } from "../../server/limits/counters.js";
import { SharedLimits } from "../../server/limits/shared-limits.js";
import { dayOf, MINUTE_MS } from "../../server/limits/windows.js";
import { looseKey, NOON_MS } from "../keys/scratch.js";
import type { CountingOutcome, CountingTask } from "./counting-worker.js";

const WORKER = fileURLToPath(new URL("./counting-worker.js", import.meta.url));
const WORKERS = 4;

/** Makes {@link WORKERS} threads take in lockstep. Returns the sum of their outcomes. */
async function countAtOnce(
	counters: SharedCounters,
	keys: readonly Key[],
	repeats: number,
	momentsOf: (worker: number) => readonly number[],
): Promise<CountingOutcome> {
	const gate = new SharedArrayBuffer(8);
	const outcomes = Array.from({ length: WORKERS }, (_, index) => {
		const momentsMs = momentsOf(index);
		const workerData: CountingTask = {
			counters: counters.buffer,
			gate,
			workers: WORKERS,
			keys,
			momentsMs,
			repeats,
		};
		return once(new Worker(WORKER, { workerData }), "message");
	});
	const sum: CountingOutcome = {};
	for (const [outcome] of await Promise.all(outcomes)) {
		for (const [name, count] of Object.entries(outcome as CountingOutcome))
			sum[name] = (sum[name] ?? 0) + count;
	}
	return sum;
}

function usageOn(counters: SharedCounters, slot: number, day: number): number {
	const words = new Int32Array(COUNT_WORDS);
	assert.ok(counters.snapshot(slot, words));
	const bank = USAGE_BANKS[day & 1];
	assert.equal(words[bank], day + 1);
	return words.subarray(bank + 1, bank + 16).reduce((sum, count) => sum + count, 0);
}

test("of 200 simultaneous requests on a key with 30 left exactly 30 pass, in every window", async () => {
	for (const [rate_limits, code] of [
		[{ per_minute: 100 }, "rate_limited"],
		[{ per_day: 100 }, "rate_limited"],
		[{ monthly_quota: 100 }, "quota_exceeded"],
	] as const) {
		const counters = SharedCounters.allocate(1);
		const key = looseKey({ rate_limits });
		const limits = new SharedLimits(counters);
		for (let i = 0; i < 70; i++) assert.equal(limits.take(key, "/v1/me", NOON_MS).allowed, true);
		const outcome = await countAtOnce(counters, [key], 200 / WORKERS, () => [NOON_MS]);
		assert.deepEqual(outcome, { "key_0 allowed": 30, [`key_0 ${code}`]: 170 });
		assert.equal(usageOn(counters, 0, dayOf(NOON_MS)), 100);
	}
});

test("while threads cross minutes together, each minute allows exactly its limit", async () => {
	const rounds = 300;
	const counters = SharedCounters.allocate(1);
	const key = looseKey({ rate_limits: { per_minute: 7 } });
	const moments = Array.from({ length: rounds }, (_, round) => NOON_MS + round * MINUTE_MS);
	const outcome = await countAtOnce(counters, [key], 20, () => moments);
	assert.deepEqual(outcome, {
		"key_0 allowed": rounds * 7,
		"key_0 rate_limited": rounds * (20 * WORKERS - 7),
	});
});

test("threads a moment apart on both sides of a boundary share the later window", async () => {
	const rounds = 300;
	const counters = SharedCounters.allocate(1);
	const key = looseKey({ rate_limits: { per_minute: 7 } });
	const boundaryMs = Math.ceil(NOON_MS / MINUTE_MS) * MINUTE_MS;
	// Even workers are in the next minute already; in the next round the odd ones follow.
	const momentsOf = (worker: number) =>
		Array.from(
			{ length: rounds },
			(_, round) => boundaryMs + round * MINUTE_MS + ((worker & 1) === 1 ? -1 : 1),
		);
	const outcome = await countAtOnce(counters, [key], 20, momentsOf);
	const allowed = outcome["key_0 allowed"];
	// The first minute is skipped where an even worker is first.
	assert.ok(allowed >= rounds * 7 && allowed <= (rounds + 1) * 7, String(allowed));
	assert.equal(allowed + outcome["key_0 rate_limited"], rounds * 20 * WORKERS);
});

test("without a limit no request is lost or counted twice", async () => {
	const counters = SharedCounters.allocate(2);
	const keys = [looseKey({ slot: 0 }), looseKey({ slot: 1, rate_limits: { per_minute: 1_000_000 } })];
	const outcome = await countAtOnce(counters, keys, 20_000, () => [NOON_MS]);
	assert.deepEqual(outcome, { "key_0 allowed": 80_000, "key_1 allowed": 80_000 });
	for (const { slot } of keys) assert.equal(usageOn(counters, slot, dayOf(NOON_MS)), 80_000);
	assert.deepEqual(counters.takeDirty(), [0, 1]);
	assert.deepEqual(counters.takeDirty(), []);
});

test("a cell whose owner died is taken over by the next request", () => {
	const counters = SharedCounters.allocate(1);
	const key = looseKey({ rate_limits: { per_minute: 2 } });
	const limits = new SharedLimits(counters);
	limits.take(key, "/v1/me", NOON_MS);
	new Int32Array(counters.buffer)[0] = -1;
	assert.equal(limits.take(key, "/v1/me", NOON_MS).allowed, true);
	assert.equal(limits.take(key, "/v1/me", NOON_MS).allowed, true);
	assert.equal(limits.take(key, "/v1/me", NOON_MS).allowed, false);
});
