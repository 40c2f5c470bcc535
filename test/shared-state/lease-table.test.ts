/** What a host reports of requests that it counted without a lease, by the exchanges that the table of leases begins. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { LeaseLine } from "../../server/limits/lease-line.js";
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

/** A table that has begun an exchange for `need` requests, and how that was answered. */
function asking(need: number) {
	const words = LeaseWords.allocate(8);
	const table = new LeaseTable({ words, host: "host", run: "run" });
	const outcomes: string[] = [];
	table.ask(KEY, need, (outcome) => outcomes.push(outcome), NOON_MS);
	const exchange = table.begin(KEY.slot, NOON_MS);
	assert.ok(exchange !== null);
	return { words, table, exchange, outcomes };
}

test("what a host gives back of a lease it claims no longer", () => {
	const { words, table, exchange } = asking(1);
	table.finish(exchange, [1, NOON_MS, 8, 8, 8, 8], NOON_MS);
	assert.equal(words.take(KEY.slot, MINUTE, TAG, 3), 5);
	table.returnAll();
	assert.equal(words.left(KEY.slot, MINUTE, TAG), 0);
	assert.equal(table.begin(KEY.slot, NOON_MS)?.parts[0].claim, 3);
});

test("a host that does not know what it holds claims nothing, whatever it takes back", () => {
	const { table, exchange } = asking(1);
	table.fail(exchange, false);
	table.returnAll();
	assert.equal(table.begin(KEY.slot, NOON_MS)?.parts[0].claim, -1);
});

test("a window is full, or short of room, by what all hosts were granted", () => {
	const full = asking(2);
	full.table.finish(full.exchange, [1, NOON_MS, 0, 60, 1, 1], NOON_MS);
	assert.deepEqual([full.outcomes, full.words.isFull(KEY.slot, MINUTE, TAG)], [["full"], true]);
	const short = asking(2);
	short.table.finish(short.exchange, [1, NOON_MS, 0, 59, 1, 1], NOON_MS);
	assert.deepEqual([short.outcomes, short.words.isFull(KEY.slot, MINUTE, TAG)], [["short"], false]);
});

test("a lease has exactly as many requests as it was granted", () => {
	const words = LeaseWords.allocate(8);
	words.grant(KEY.slot, MINUTE, TAG, 3);
	assert.equal(words.take(KEY.slot, MINUTE, TAG, 4), -1);
	assert.equal(words.take(KEY.slot, MINUTE, TAG + 1, 1), -1);
	assert.equal(words.take(KEY.slot, MINUTE, TAG, 3), 0);
	assert.equal(words.take(KEY.slot, MINUTE, TAG, 1), -1);
	assert.equal(words.left(KEY.slot, MINUTE, TAG), 0);
});

test("a request larger than the room that was left waits no longer, and one that is smaller does", () => {
	const line = new LeaseLine(LeaseWords.allocate(8), true, () => undefined);
	line.answered({ kind: "leased", slot: KEY.slot, need: 5, outcome: "short" });
	assert.deepEqual(
		[4, 5, 6].map((need) => line.isShort(KEY.slot, need)),
		[false, true, true],
	);
});
