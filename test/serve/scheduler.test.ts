/** Aligned periodic tasks run when the clock shows a multiple of their interval, whenever they were started. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { TIMERS } from "../../server/scheduler.js";

const INTERVAL_MS = 200;

test("aligned tasks run at the same time, at multiples of their interval, until they are stopped", (t) => {
	t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_123 });
	// By single milliseconds, since a longer step runs timers at its end.
	const pass = (ms: number) => {
		for (let i = 0; i < ms; i++) t.mock.timers.tick(1);
	};
	const runs: number[] = [];
	const others: number[] = [];
	const stop = TIMERS.everyAligned(INTERVAL_MS, () => runs.push(Date.now()));
	pass(40);
	const stopOther = TIMERS.everyAligned(INTERVAL_MS, () => others.push(Date.now()));
	pass(2 * INTERVAL_MS);
	// The second started less than a quarter of an interval before a multiple, as a timer that fires early does.
	assert.deepEqual(runs, [1_000_200, 1_000_400]);
	assert.deepEqual(others, [1_000_400]);
	stop();
	pass(INTERVAL_MS);
	assert.deepEqual(runs, [1_000_200, 1_000_400]);
	assert.deepEqual(others, [1_000_400, 1_000_600]);
	stopOther();
	pass(INTERVAL_MS);
	assert.deepEqual(others, [1_000_400, 1_000_600]);
});
