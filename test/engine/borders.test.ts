/** Decisions at their borders: too many states of a value, folds cut in two, a sample without rows. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { SnapshotColumns } from "../../engine/columns/snapshot-columns.js";
import { ValueStates } from "../../engine/columns/value-states.js";
import { DEFAULT_QUERY } from "../../engine/index.js";
import { estimatePosition } from "../../engine/order/bitmap/estimate-position.js";
import type { IndexScan } from "../../engine/order/index-scan.js";
import type { SortKeys } from "../../engine/order/sort-keys.js";
import type { AskedCodes } from "../../engine/plan/asked-codes.js";
import { statesOfValues } from "../../engine/plan/states-of-values.js";
import { SAMPLED_WORDS_MAX, VALUE_ROWS_MIN, VALUE_STATES_MAX } from "../../engine/tuning.js";
import { type Column, columnNamed, type StateRun } from "../../formats/index.js";
import { withTwins } from "./compiled-month.js";
import { checkPage } from "./conformance.js";

/** States of `rows` rows each, in order. */
function statesOf(count: number, rows: number): StateRun[] {
	return Array.from({ length: count }, (_, i) => ({ state: `S${i}`, country: "US", first: i * rows, rows }));
}

/** The states left of `states`, which are some of `all`, for a value with the rows `rows`. */
function statesLeft(
	states: readonly StateRun[],
	rows: readonly number[],
	all: readonly StateRun[] = states,
): readonly StateRun[] {
	const postings = { offsets: Uint32Array.of(0, rows.length), rows: Uint32Array.from(rows) };
	const valueStates = new ValueStates(postings, all);
	const columns = {
		postings: { get: () => postings },
		valueStates: { get: () => valueStates },
	} as unknown as SnapshotColumns;
	const column = columnNamed("member_license_status");
	const asked = { column, codes: [{ from: 0, to: 1 }], distinct: 1 } as unknown as AskedCodes;
	return statesOfValues(states, [asked], columns);
}

/** The states left for two values of different columns, each with rows. */
function statesLeftOfTwo(
	states: readonly StateRun[],
	rows: readonly (readonly number[])[],
): readonly StateRun[] {
	const names = ["member_license_status", "member_type"] as const;
	const byCode = new Map(
		names.map((name, i) => {
			const postings = { offsets: Uint32Array.of(0, rows[i].length), rows: Uint32Array.from(rows[i]) };
			return [columnNamed(name).code, { postings, states: new ValueStates(postings, states) }];
		}),
	);
	const columns = {
		postings: { get: ({ code }: Column) => byCode.get(code)?.postings },
		valueStates: { get: ({ code }: Column) => byCode.get(code)?.states },
	} as unknown as SnapshotColumns;
	const asked = names.map((name) => ({
		column: columnNamed(name),
		codes: [{ from: 0, to: 1 }],
		distinct: 1,
	}));
	return statesOfValues(states, asked as unknown as AskedCodes[], columns);
}

test("a frequent value narrows a query to its states, unless they are too many or it is rare", () => {
	const rowsEach = 1000;
	const states = statesOf(VALUE_STATES_MAX + 4, rowsEach);
	/** Rows in every `step`th of the first `count` states, all but their first and last row. */
	const rowsIn = (count: number, step: number) =>
		states
			.slice(0, count)
			.filter((_, i) => i % step === 0)
			.flatMap(({ first, rows }) => Array.from({ length: rows - 2 }, (_, i) => first + 1 + i));
	const most = rowsIn(VALUE_STATES_MAX, 1);
	assert.deepEqual(statesLeft(states, most), states.slice(0, VALUE_STATES_MAX));
	assert.equal(statesLeft(states, rowsIn(VALUE_STATES_MAX + 1, 1)), states);
	const even = states.filter((_, i) => i % 2 === 0);
	assert.deepEqual(statesLeft(states, rowsIn(states.length, 2)), even);
	assert.deepEqual(statesLeft(even.slice(1, 3), rowsIn(states.length, 2)), even.slice(1, 3));
	assert.deepEqual(statesLeft(states.slice(1, 6), rowsIn(states.length, 2), states), even.slice(1, 3));
	assert.equal(statesLeft(states, rowsIn(states.length, 1)), states);
	assert.deepEqual(statesLeft(states.slice(3), rowsIn(states.length, 1), states), states.slice(3));
	assert.equal(statesLeft(states, most.slice(0, VALUE_ROWS_MIN - 1)), states);
	assert.deepEqual(statesLeft(states, most.slice(0, VALUE_ROWS_MIN)), states.slice(0, 5));
});

test("two values that are in too many states each narrow a query to the few that they have in common", () => {
	const rowsEach = VALUE_ROWS_MIN;
	const states = statesOf(3 * VALUE_STATES_MAX, rowsEach);
	const rowsOf = (from: number, to: number) =>
		Array.from({ length: (to - from) * rowsEach }, (_, i) => from * rowsEach + i);
	const many = VALUE_STATES_MAX + 10;
	const common = states.slice(many - 3, many);
	const [first, last] = [rowsOf(0, many), rowsOf(many - 3, 2 * many - 3)];
	assert.deepEqual(statesLeftOfTwo(states, [first, last]), common);
	assert.deepEqual(statesLeftOfTwo(states, [last, first]), common);
	assert.equal(statesLeftOfTwo(states, [first, first]), states);
	assert.deepEqual(statesLeftOfTwo(states, [rowsOf(0, 2), rowsOf(2, 5)]), []);
});

test("values that share their folds with others are not taken for slices of states' orders", async () => {
	const statuses = ["ACTIVE", "Active", "active", "BUSY", "Busy", "busy", "closed"];
	const rows = Array.from({ length: 140 }, (_, i) => ({
		state: ["CA", "NY", "TX"][i % 3],
		member_state_license_number: `L${i}`,
		member_license_status: statuses[(i * 5) % statuses.length],
	}));
	await withTwins(rows, "2026-11", { rowStore: false }, ({ mapped, naive }) => {
		for (const license_status of [
			["active", "BUSY"],
			["Active", "active", "BUSY", "Busy"],
			["ACTIVE", "Active", "active"],
			["busy", "closed"],
		]) {
			for (const order of ["asc", "desc"] as const) {
				const filters = { state: ["CA", "TX"], license_status };
				const query = { ...DEFAULT_QUERY, filters, sort: ["member_license_status"] as const, order };
				checkPage(mapped, naive, query, naive.query(query));
			}
		}
	});
});

test("of a selection whose sample has no rows, the page may be anywhere", () => {
	const words = new Uint32Array(2 * SAMPLED_WORDS_MAX);
	// Every second word is sampled.
	words[1] = 1;
	const bits = { words, from: 0, to: words.length, count: 1 };
	const scan = {
		from: 40,
		to: 140,
		stepsBefore: () => assert.fail("no key is known"),
	} as unknown as IndexScan;
	const keys = { readCodes: (list: Uint32Array) => assert.equal(list.length, 0) };
	const of = estimatePosition(
		{ bits, scan, depth: 0, offset: 0, limit: 1, matches: null },
		keys as unknown as SortKeys,
	);
	assert.deepEqual(of, { from: 0, to: 100, peersFrom: 0, peersTo: 100, share: 1, occupied: 0 });
});
