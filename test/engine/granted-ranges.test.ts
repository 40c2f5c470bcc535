/**
 * The values within a grant, found by searches in the states' orders, from counts and by passing over the rows: as
 * a scan of the granted rows finds them, and a search takes the same steps whether a value is outside or nowhere.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { GrantSearch } from "../../engine/columns/grant-search.js";
import { GrantedCodes } from "../../engine/columns/granted-codes.js";
import type { SnapshotColumns } from "../../engine/columns/snapshot-columns.js";
import type { Geography, Snapshot } from "../../engine/index.js";
import { resolveFilters } from "../../engine/plan/asked-codes.js";
import { COLUMNS, type Column, type Range } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import type { RawRow } from "../oracle/naive-rows.js";
import { withTwins } from "./compiled-month.js";

const STATES = ["AL", "CA", "NY", "ON", "TX", "WY"];
const MONTH = "2026-11";
/** More than the searches before the set of values is made. */
const ASKS = 40;

/** Rows with few values and many, in several spellings, and without. */
function rows(draw: Draw): RawRow[] {
	const word = (below: number) => {
		const text = `value ${draw.below(below)}`;
		return draw.oneIn(9) ? "" : draw.oneIn(3) ? text.toUpperCase() : text;
	};
	const date = () => (draw.oneIn(9) ? "" : `20${10 + draw.below(9)}-0${1 + draw.below(9)}-11`);
	return STATES.flatMap((state) =>
		Array.from({ length: 200 + draw.below(900) }, (): RawRow => {
			return {
				state,
				member_full_name: word(2000),
				member_first_name: word(30),
				member_last_name: word(300),
				member_type: word(9),
				member_city: word(40),
				office_name: word(500),
				member_state_license_number: word(5000),
				member_license_status: word(9),
				member_license_issued: date(),
				member_license_expires: date(),
			};
		}),
	);
}

function columnsOf(snapshot: Snapshot): SnapshotColumns {
	return (snapshot as unknown as { readonly columns: SnapshotColumns }).columns;
}

const STORED = COLUMNS.filter(({ kind }) => kind === "dict" || kind === "date" || kind === "int");

/** The codes of the rows that `geography` grants. */
function grantedCodes(snapshot: Snapshot, column: Column, geography: Geography): Set<number> {
	const codes = columnsOf(snapshot).codes.get(column);
	const granted = snapshot.states.filter(({ state }) => (geography.states as string[]).includes(state));
	return new Set(granted.flatMap(({ first, rows }) => Array.from(codes.subarray(first, first + rows))));
}

function check(snapshot: Snapshot, draw: Draw): void {
	const { granted, dictionary } = columnsOf(snapshot);
	for (const column of STORED) {
		const states = STATES.filter(() => draw.oneIn(2));
		const geography = { countries: [], states } as unknown as Geography;
		const expected = [...grantedCodes(snapshot, column, geography)];
		const hasAny = ({ from, to }: Range) => expected.some((code) => code >= from && code < to);
		if (states.length === STATES.length) continue;
		let kind = "";
		for (let i = 0; i < ASKS; i++) {
			const { folds } = dictionary.get(column);
			const from = draw.below(folds + 1);
			const range = dictionary.get(column).codesOfRanks({ from, to: Math.min(folds, from + draw.below(4)) });
			const ranges = granted.ranges(column, geography);
			assert.ok(ranges !== null);
			kind = ranges.constructor.name;
			assert.equal(ranges.hasAny(range), hasAny(range), `${column.name} ${JSON.stringify(range)} ${kind}`);
		}
		assert.equal(kind, GrantedCodes.name, `searches of ${column.name} end`);
		const codes = granted.codes(column, geography);
		for (let code = 0; code <= dictionary.get(column).distinct; code++)
			assert.equal(codes?.has(code), expected.includes(code), `${column.name} ${code}`);
	}
}

test("granted values are found as a scan finds them", async () => {
	for (let seed = 0; seed < 4; seed++) {
		const draw = new Draw(seed, 17);
		await withTwins(rows(draw), MONTH, { rowStore: false }, ({ mapped, shared }) => {
			check(mapped, draw);
			check(shared, draw);
		});
	}
});

test("a window of dates that only rows outside of the grant are in is planned as one that no row is in", async () => {
	const issued = { CA: ["2015-01-01", "2019-01-01"], TX: ["2017-06-01"] };
	const month = Object.entries(issued).flatMap(([state, dates]) =>
		dates.map((date): RawRow => ({ state, member_license_issued: date })),
	);
	await withTwins(month, MONTH, { rowStore: false }, ({ mapped }) => {
		const plan = (states: string[], issued_after: string, issued_before: string) =>
			resolveFilters(
				{ issued_after, issued_before },
				{ countries: [], states } as unknown as Geography,
				columnsOf(mapped),
			).map(({ codes }) => codes.length);
		assert.deepEqual(plan(["TX"], "2016-01-01", "2018-01-01"), [1]);
		assert.deepEqual(plan(["CA"], "2016-01-01", "2018-01-01"), [0]);
		assert.deepEqual(plan(["CA"], "2016-01-01", "2016-02-01"), [0]);
	});
});

test("a search reads as much for a range outside of the grant as for an empty one", () => {
	// Two states, with even codes in the first and odd ones in the second, which is not granted.
	const values = Uint32Array.from({ length: 2000 }, (_, row) =>
		row < 1000 ? 2 * row : 2 * (row - 1000) + 1,
	);
	let reads = 0;
	const codes = new Proxy(values, {
		get(target, key) {
			reads++;
			return target[Number(key)];
		},
	});
	const states = [{ state: "CA", country: "US", first: 0, rows: 1000 }] as const;
	const byState = Uint32Array.from(values, (_, row) => row);
	for (const order of [null, byState]) {
		const search = new GrantSearch(states, order, codes);
		const readsOf = (range: Range) => {
			reads = 0;
			assert.equal(search.hasAny(range), false);
			return reads;
		};
		for (let code = 1; code < 2000; code += 2)
			assert.equal(readsOf({ from: code, to: code + 1 }), readsOf({ from: code, to: code }), `${code}`);
		assert.equal(search.hasAny({ from: 4, to: 5 }), true);
	}
});
