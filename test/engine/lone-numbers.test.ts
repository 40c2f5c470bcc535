/**
 * Look-ups of a license number that one row has: found without a plan where the row tells the number in plain bytes, and always
 * answered as the naive scan does. Numbers that differ little, that several rows or states have, that JSON escapes, and rows
 * with long values before the number.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StateTable } from "../../engine/columns/state-table.js";
import { DEFAULT_QUERY, type Filters } from "../../engine/index.js";
import type { Query } from "../../engine/query.js";
import { LoneNumbers } from "../../engine/select/lone-numbers.js";
import {
	COLUMNS,
	type Column,
	columnNamed,
	HASH_INDEX_VALUES_MIN,
	HashIndex,
	NO_LONE_ROW,
	type RowSegment,
	RowStore,
	SnapshotFiles,
	snapshotFolder,
} from "../../formats/index.js";
import { scratchFolder } from "../formats/hand-made-snapshot.js";
import { Draw } from "../oracle/draw.js";
import type { RawRow } from "../oracle/naive-rows.js";
import { compileRows, withTwins } from "./compiled-month.js";
import { checkQuery, checkRendering } from "./conformance.js";

const MONTH = "2026-11";
const WHOLE_ROW = { columns: COLUMNS.map(({ name }) => name), masked: false };
const STATES = ["CA", "NY", "TX", "ON"];

const row = (state: string, number: string, more: RawRow = {}): RawRow => ({
	state,
	member_state_license_number: number,
	member_last_name: `Name ${number.slice(0, 9)}`,
	...more,
});

/** Numbers that one row has, and that its stored values have as they are. */
const PLAIN = ["A", "a", "A ", "0", "00", "SL 1/2~", "x".repeat(64)].filter(
	(number) => number.trim() === number,
);
/** Numbers that one row has, and that are planned nevertheless. */
const OTHERS = ['Q"1', "B\\2", "É4", "n°5", "日本", "y".repeat(65), "z".repeat(300), "tab\there"];

function makeRows(): RawRow[] {
	const many = Array.from({ length: 3 * HASH_INDEX_VALUES_MIN }, (_, i) =>
		row(STATES[i % STATES.length], `N${i * 7}`),
	);
	return [
		...many,
		...[...PLAIN, ...OTHERS].map((number, i) => row(STATES[i % STATES.length], number)),
		// A long value, and an escaped one, before the number.
		row("CA", "LONG", { member_address: "a".repeat(255) }),
		row("CA", "LESS", { member_address: "a".repeat(254) }),
		row("CA", "ESCAPED", { member_full_name: 'Jo "Q" \\ É', member_city: "" }),
		// Of two rows: in one state, and in two.
		row("TX", "TWICE", { member_first_name: "A" }),
		row("TX", "TWICE", { member_first_name: "B" }),
		row("TX", "BOTH"),
		row("NY", "BOTH"),
		row("NY", ""),
		// Four bytes before the number there is another one, where the length of the long value is not read.
		row("NY", "REAL", { member_address: "b".repeat(255), office_broker_name: "The FAKE" }),
	];
}

const raw = makeRows();
const numbers = [...new Set(raw.map((each) => each.member_state_license_number ?? ""))].filter(
	(n) => n !== "",
);
/** Those whose characters cut to bytes, or whose escapes, look like a number that is there. */
const absent = ["N\u0130", "B\\\\2", "N1", "n7", "B", "twice", "LON", "LONGER", "", "N0 ", "x".repeat(63)];

function* queries(): Generator<Query> {
	for (const number of [...numbers, ...absent])
		for (const state of [undefined, ...STATES.map((code) => [code]), ["CA", "NY"], ["WY"]]) {
			const filters: Filters = { license_number: [number], ...(state && { state }) };
			yield { ...DEFAULT_QUERY, filters, limit: 1 };
			yield { ...DEFAULT_QUERY, filters, count: false, limit: 2, sort: ["office_name"], order: "desc" };
		}
	const filters: Filters = { license_number: ["N7"] };
	yield { ...DEFAULT_QUERY, filters, limit: 1, count: false };
	yield { ...DEFAULT_QUERY, filters, page: 2 };
	yield { ...DEFAULT_QUERY, filters: { ...filters, country: "CA" } };
	yield { ...DEFAULT_QUERY, filters: { ...filters, license_status: ["Active"] } };
	yield { ...DEFAULT_QUERY, filters: { license_number: ["N7", "N14"] } };
	for (const states of [["NY"], ["CA"]])
		yield { ...DEFAULT_QUERY, filters, geography: { countries: [], states } };
}

for (const rowStore of [true, false])
	test(`look-ups answer as the naive scan does ${rowStore ? "by" : "without"} stored rows`, async () => {
		await withTwins(raw, MONTH, { rowStore }, ({ mapped, shared, naive }) => {
			for (const snapshot of [mapped, shared])
				for (const query of queries()) {
					checkQuery(snapshot, naive, query);
					if (query.count) checkRendering(snapshot, naive, query, WHOLE_ROW);
				}
		});
	});

/** Every row is a candidate for every number, as if all hashes were equal. */
class AllCandidates extends HashIndex {
	override findRow(_hash: number, rows: Uint32Array, holds: (row: number) => boolean): number {
		return rows.find((each) => each !== NO_LONE_ROW && holds(each)) ?? -1;
	}
}

test("numbers of one hash are told apart by the stored rows", async (t) => {
	const data = scratchFolder(t);
	await compileRows(raw, MONTH, data, true, new Draw(4));
	const files = SnapshotFiles.open(snapshotFolder(data, MONTH));
	const store = files.openRowStore();
	assert.ok(store !== null);
	const hashIndex = (column: Column) => {
		const index = files.hashIndex(column);
		return index && new AllCandidates(index.words, files.column(column).distinct);
	};
	const colliding = Object.create(files, { hashIndex: { value: hashIndex } }) as SnapshotFiles;
	const states = new StateTable(files.catalog.states);
	const column = columnNamed("member_state_license_number");
	const [codes, dictionary] = [files.codes(column), files.dictionary(column)];
	const ask = (segments: readonly RowSegment[], number: string) =>
		new LoneNumbers(colliding, states, new RowStore(segments)).find({
			...DEFAULT_QUERY,
			filters: { license_number: [number] },
		});
	for (const number of [...numbers, ...absent, "FAKE", "EAL", "REA"]) {
		const found = ask(store.segments, number);
		if (found !== -1) assert.equal(dictionary.value(codes[found]), number);
	}
	// The row ends before its number does.
	const whole = ask(store.segments, "N7");
	assert.notEqual(whole, -1);
	const { offsets, heap } = store.segments[0];
	const cut = offsets.slice();
	cut[whole + 1] = heap.indexOf("N7", offsets[whole]) + 1;
	assert.equal(ask([{ offsets: cut, heap }], "N7"), -1);
});

test("a number that one row has in plain bytes is found, others are planned", async (t) => {
	const data = scratchFolder(t);
	await compileRows(raw, MONTH, data, true, new Draw(3));
	const files = SnapshotFiles.open(snapshotFolder(data, MONTH));
	const states = new StateTable(files.catalog.states);
	const lone = new LoneNumbers(files, states, files.openRowStore());
	const find = (filters: Filters, more: Partial<Query> = {}) =>
		lone.find({ ...DEFAULT_QUERY, filters, ...more });
	const found = numbers.filter((number) => find({ license_number: [number] }) !== -1);
	const planned = [...OTHERS, "LONG", "REAL", "TWICE", "BOTH"];
	assert.deepEqual(found.sort(), numbers.filter((number) => !planned.includes(number)).sort());
	for (const number of absent) assert.equal(find({ license_number: [number] }), -1, number);
	assert.notEqual(find({ license_number: ["N0"], state: ["CA"] }), -1);
	assert.equal(find({ license_number: ["N0"], state: ["NY"] }), -1);
	assert.equal(find({ license_number: ["N0"], state: ["CA", "NY"] }), -1);
	assert.equal(find({ license_number: ["N0"] }, { geography: { countries: ["US"], states: [] } }), -1);
	assert.equal(find({ license_number: ["N0"], country: "US" }), -1);
	assert.equal(find({ license_number: ["N0", "N7"] }), -1);
	assert.equal(
		new LoneNumbers(files, states, null).find({ ...DEFAULT_QUERY, filters: { license_number: ["N0"] } }),
		-1,
	);
});
