/** What a host reports of requests that it counted without a lease, by the exchanges that the table of leases begins. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { LeaseWords } from "../../server/limits/lease-words.js";
import { MINUTE, minuteOf } from "../../server/limits/windows.js";
import { LeaseTable } from "../../server/shared-state/lease-table.js";
import { NOON_MS } from "../keys/scratch.js";

const UNLIMITED = Number.POSITIVE_INFINITY;
const KEY = { id: "key_1", slot: 3, limits: [60, UNLIMITED, UNLIMITED] };
const TAG = minuteOf(NOON_MS) + 1;

test("what was counted without a lease is reported until it has arrived, and once", () => {
	const words = LeaseWords.allocate(8);
	const table = new LeaseTable({ words, host: "host", run: "run" });
	const begin = () => {
		table.ask(KEY, 1, () => undefined, NOON_MS);
		const exchange = table.begin(KEY.slot, NOON_MS);
		assert.ok(exchange !== null);
		return exchange;
	};
	/** What an exchange that fails reports: the claim, -1 for none, and what it does not include. */
	const reported = () => {
		const exchange = begin();
		table.fail(exchange, false);
		const [{ claim, overdraft }] = exchange.parts;
		return [claim, overdraft];
	};
	words.overdraw(KEY.slot, MINUTE, TAG, 5);
	assert.deepEqual(reported(), [-1, 5]);
	assert.deepEqual(reported(), [-1, 5], "nothing is known to have arrived");
	// The store grants 4 requests beside the 5 reported.
	assert.equal(table.finish(begin(), [1, NOON_MS, 4, 9, 9, 9], NOON_MS), 4);
	assert.deepEqual(reported(), [9, 0]);
	words.overdraw(KEY.slot, MINUTE, TAG, 3);
	assert.deepEqual(reported(), [12, 0]);
	assert.deepEqual(reported(), [12, 0], "the claim includes it for good");
});
