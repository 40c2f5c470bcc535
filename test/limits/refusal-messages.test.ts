/** The messages of requests that a limit refuses: number agrees with the limit and with what is left. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { largeRefusalMessage, neverMessage, refusalMessage } from "../../server/limits/refusal-messages.js";
import { DAY, MINUTE, MONTH, monthOf } from "../../server/limits/windows.js";
import { NOON_MS } from "../keys/scratch.js";

const HELD_TAG = monthOf(NOON_MS) + 1;

test("a limit of one request is told of in the singular, others in the plural", () => {
	assert.match(refusalMessage(MINUTE, "1", "30", HELD_TAG), /^The limit of 1 request per minute is reached/);
	assert.match(refusalMessage(DAY, "1", "30", HELD_TAG), /^The limit of 1 request per day is reached/);
	assert.match(refusalMessage(MONTH, "1", "30", HELD_TAG), /^The monthly quota of 1 request is used up/);
	assert.match(
		refusalMessage(MINUTE, "10", "30", HELD_TAG),
		/^The limit of 10 requests per minute is reached/,
	);
	assert.match(neverMessage(DAY, 1, 2), /more than the limit of 1 request per day, so/);
	assert.match(neverMessage(DAY, 5, 6), /more than the limit of 5 requests per day, so/);
});

test("one request that is left is told of in the singular, others and none in the plural", () => {
	const message = (left: number) => largeRefusalMessage(DAY, 5, left, 3, "30");
	assert.match(message(1), /and 1 of the limit of 5 requests per day is left; ask/);
	assert.match(message(2), /and 2 of the limit of 5 requests per day are left; ask/);
	assert.match(message(0), /and 0 of the limit of 5 requests per day are left; ask/);
});
