/** How often, and how long, a request that waits for something is attempted. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Attempts, RequestPending } from "../../server/request-pending.js";

const PENDING = new RequestPending(Promise.resolve(), "wait");

/** Attempts that are allowed if each takes `stepMs`, up to 2,000. */
function allowed(stepMs: number): number {
	let nowMs = 0;
	const attempts = new Attempts(() => nowMs);
	let count = 1;
	while (count < 2_000 && attempts.again(PENDING)) {
		count++;
		nowMs += stepMs;
	}
	return count;
}

test("a request that loses to others within milliseconds is attempted for two seconds, and at least twelve times", () => {
	assert.equal(allowed(10), 202);
	assert.equal(allowed(1_000), 12);
});

test("the number of attempts is bounded where each ends at once", () => {
	assert.equal(allowed(0), 1_000);
});

test("another error is not attempted again", () => {
	assert.equal(new Attempts().again(new Error("no")), false);
});
