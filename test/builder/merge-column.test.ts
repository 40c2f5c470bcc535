/** The dictionaries of several workers become one, whatever worker read which row; and the order of rows that follows. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalOrder } from "../../builder/compile/canonical-order.js";
import { type MergedColumn, mergeColumn } from "../../builder/compile/merge-column.js";
import { enlargedBytes } from "../../builder/csv/byte-block.js";
import { NULL_CODE, type WorkerDictionary } from "../../builder/csv/parsed-month.js";
import { type ColumnName, foldBytes } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { SEED, tellSeed } from "../oracle/seeded.js";

const TEXTS = [
	"smith",
	"Smith",
	"SMITH",
	"smiTh",
	"Smits",
	"Ångström",
	"ångström",
	"Zhang",
	"",
	"a",
	"A",
	"ab",
];
const NUMBERS = ["0", "7", "10", "9", "100", "99", "2147483647"];
const DATES = ["2026-01-31", "2025-12-31", "2026-02-01", "1999-01-01"];

function dictionaryOf(values: readonly string[]): WorkerDictionary {
	const offsets = new Uint32Array(values.length + 1);
	const bytes = values.map((value) => Buffer.from(value));
	bytes.forEach((value, i) => {
		offsets[i + 1] = offsets[i] + value.length;
	});
	return { count: values.length, offsets, heap: Buffer.concat(bytes) };
}

/** Parts of one column: `rows[p][i]` is a value or null, `rows[p]` null where the source lacks the column. */
function merge(column: ColumnName, workers: number, rows: readonly (readonly (string | null)[] | null)[]) {
	// Each worker numbers values as it meets them, after one that no row has.
	const known = Array.from({ length: workers }, () => ["unused"]);
	const parts = rows.map((part, p) => {
		const worker = p % workers;
		if (part === null) return { worker, rows: 3, codes: null };
		const codes = Uint32Array.from(part, (value) => {
			if (value === null) return NULL_CODE;
			if (!known[worker].includes(value)) known[worker].push(value);
			return known[worker].indexOf(value);
		});
		return { worker, rows: part.length, codes };
	});
	const count = parts.reduce((sum, part) => sum + part.rows, 0);
	const dictionaries = [...known.map(dictionaryOf), null];
	return mergeColumn({ column, rows: count, dictionaries, parts });
}

function valuesOf({ offsets, heap, distinct }: MergedColumn): string[] {
	return Array.from({ length: distinct }, (_, code) =>
		Buffer.from(heap.subarray(offsets[code], offsets[code + 1])).toString("utf8"),
	);
}

const foldOf = (value: string) => {
	const bytes = Buffer.from(value);
	return Buffer.from(foldBytes(bytes, 0, bytes.length));
};

const ORDERS = {
	member_last_name: (a: string, b: string) =>
		Buffer.compare(foldOf(a), foldOf(b)) || Buffer.compare(Buffer.from(a), Buffer.from(b)),
	member_license_expires: (a: string, b: string) => (a < b ? -1 : 1),
	agent_count: (a: string, b: string) => Number(a) - Number(b),
} as const;

test("values that the offsets of one block do not reach are a typed error that names the column", () => {
	const refused = {
		code: "limit_exceeded",
		column: "office_name",
		message: /office_name: distinct values take more than 4 GiB/,
	};
	// Each worker's dictionary is within the limit; the error precedes any copy, so that the bytes need not exist.
	const half = { count: 1, offsets: Uint32Array.of(0, 2 ** 31), heap: new Uint8Array(0) };
	const parts = [0, 1].map((worker) => ({ worker, rows: 1, codes: Uint32Array.of(0) }));
	const input = { column: "office_name", rows: 2, dictionaries: [half, half], parts } as const;
	assert.throws(() => mergeColumn(input), refused);
	// Dictionaries and folds grow by doubling, up to the limit itself.
	assert.equal(enlargedBytes(10, 11, "office_name"), 20);
	assert.equal(enlargedBytes(10, 21, "office_name"), 21);
	assert.equal(enlargedBytes(2 ** 31, 2 ** 31 + 1, "office_name"), 2 ** 32 - 1);
	assert.throws(() => enlargedBytes(2 ** 32 - 1, 2 ** 32, "office_name"), refused);
});

test("values, codes, folds and nulls of random columns are those of the rows, for any number of workers", (t) => {
	tellSeed(t, 60);
	for (let run = 0; run < 60; run++) {
		const draw = new Draw(SEED, run);
		const [column, pool] = draw.pick([
			["member_last_name", TEXTS],
			["member_license_expires", DATES],
			["agent_count", NUMBERS],
		] as const);
		const parts = Array.from({ length: draw.below(5) }, () =>
			draw.oneIn(4)
				? null
				: Array.from({ length: draw.below(12) }, () => (draw.oneIn(3) ? null : draw.pick(pool))),
		);
		const rows = parts.flatMap((part) => part ?? [null, null, null]);
		const expected = [...new Set(rows.filter((value) => value !== null))].sort(ORDERS[column]);
		for (const workers of [1, 3]) {
			const merged = merge(column, workers, parts);
			const what = `run ${run}, ${workers} workers`;
			assert.deepEqual(valuesOf(merged), expected, what);
			assert.equal(merged.nulls, rows.filter((value) => value === null).length, what);
			assert.deepEqual(
				Array.from(merged.codes, (code) => (code === merged.distinct ? null : expected[code])),
				rows,
				what,
			);
			if (column !== "member_last_name") {
				assert.equal(merged.foldRanks, null, "each number and date is a fold of its own");
				continue;
			}
			const folds = [...new Set(expected.map((value) => foldOf(value).toString()))];
			assert.equal(merged.folds, folds.length, what);
			const ranks = expected.map((value) => folds.indexOf(foldOf(value).toString()));
			assert.deepEqual([...(merged.foldRanks ?? ranks.keys())], ranks, what);
		}
	}
});

test("rows are ordered by country, state, folded names, license number by bytes, and then as they came", (t) => {
	tellSeed(t, 20);
	for (let run = 0; run < 20; run++) {
		const draw = new Draw(SEED, run);
		const column = (of: readonly (string | null)[]) => Array.from({ length: 40 }, () => draw.pick(of));
		const countries = column(["US", "CA"]);
		const states = countries.map((country) => (country === "US" ? draw.pick(["CA", "TX"]) : "ON"));
		const keys = [
			countries,
			states,
			column(["smith", "Smith", "Zhang", null]),
			column(["jo", "Jo", "Ann", null]),
			// By fold "b1" is after "B2"; by bytes all capitals are first.
			column(["b1", "B2", "a3", "A4", null]),
		];
		const names = [
			"country",
			"state",
			"member_last_name",
			"member_first_name",
			"member_state_license_number",
		] as const;
		const [country, state, lastName, firstName, licenseNumber] = names.map((name, i) =>
			merge(name, 2, [keys[i].slice(0, 15), keys[i].slice(15)]),
		);
		const { order, states: runs } = canonicalOrder({ country, state, lastName, firstName, licenseNumber });
		// After every value, no text of which begins so.
		const last = Buffer.from([0xff]);
		const rankOf = (row: number) =>
			keys.map((values, i) => {
				const value = values[row];
				if (value === null) return last;
				return i === 2 || i === 3 ? foldOf(value) : Buffer.from(value);
			});
		const compare = (a: number, b: number) => {
			const other = rankOf(b);
			const differences = rankOf(a).map((bytes, i) => Buffer.compare(bytes, other[i]));
			return differences.find((difference) => difference !== 0) ?? a - b;
		};
		assert.deepEqual([...order], [...countries.keys()].sort(compare), `run ${run}`);
		let first = 0;
		for (const found of runs) {
			const inRun = [...order].slice(first, first + found.rows);
			assert.deepEqual([found.first, found.rows > 0], [first, true]);
			for (const row of inRun) assert.deepEqual([countries[row], states[row]], [found.country, found.state]);
			first += found.rows;
		}
		assert.equal(first, 40);
		assert.equal(runs.length, new Set(states).size, "a run of each state");
	}
});
