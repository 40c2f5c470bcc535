/**
 * The values within a grant, found by searches in the states' orders, from counts and by passing over the rows: as
 * a scan of the granted rows finds them, and a search takes the same steps whether a value is outside or nowhere.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { GrantIndex } from "../../engine/columns/grant-index.js";
import { GrantSearch } from "../../engine/columns/grant-search.js";
import { GrantedCodes } from "../../engine/columns/granted-codes.js";
import { SetSearch } from "../../engine/columns/set-search.js";
import type { SnapshotColumns } from "../../engine/columns/snapshot-columns.js";
import type { Filters, Geography, Snapshot } from "../../engine/index.js";
import { resolveFilters } from "../../engine/plan/asked-codes.js";
import {
	COLUMNS,
	type Column,
	columnNamed,
	NAME_COLUMN,
	type Range,
	WORD_COLUMNS,
} from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import type { RawRow } from "../oracle/naive-rows.js";
import { SEED, tellSeed } from "../oracle/seeded.js";
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
	const date = () => `20${10 + draw.below(9)}-0${1 + draw.below(9)}-11`;
	return STATES.flatMap((state) =>
		Array.from({ length: 200 + draw.below(900) }, (_, i): RawRow => {
			return {
				state,
				member_full_name: word(2000),
				member_first_name: word(30),
				member_last_name: word(300),
				member_type: word(9),
				member_city: word(40),
				member_postal_code: word(2000),
				office_name: word(500),
				member_state_license_number: word(5000),
				member_license_status: word(9),
				member_email: draw.oneIn(3) ? `${word(9)}@example.com` : "",
				matched_phone: state < "D" ? `555-010-${1000 + draw.below(9000)}` : "",
				member_license_issued: draw.oneIn(9) ? "" : date(),
				// One row of a state has none, one alone has one.
				member_license_expires: i === 0 ? "" : date(),
				member_license_first_issued: i === 0 ? date() : "",
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

/** Ranges asked until a set of all values is made. Returns what searched for them before, by name. */
function check(snapshot: Snapshot, draw: Draw): Set<string> {
	const searched = new Set<string>();
	const { granted, dictionary } = columnsOf(snapshot);
	for (const column of STORED) {
		const states = STATES.filter(() => draw.oneIn(2));
		const geography = { countries: [], states } as unknown as Geography;
		const expected = [...grantedCodes(snapshot, column, geography)];
		const hasAny = ({ from, to }: Range) => expected.some((code) => code >= from && code < to);
		if (states.length === STATES.length) continue;
		const kinds: string[] = [];
		for (let i = 0; i < ASKS; i++) {
			const { folds } = dictionary.get(column);
			const from = draw.below(folds + 1);
			const range = dictionary.get(column).codesOfRanks({ from, to: Math.min(folds, from + draw.below(4)) });
			const ranges = granted.ranges(column, geography);
			assert.ok(ranges !== null);
			const kind = ranges.constructor.name;
			kinds.push(kind);
			assert.equal(ranges.hasAny(range), hasAny(range), `${column.name} ${JSON.stringify(range)} ${kind}`);
		}
		const codes = granted.codes(column, geography);
		for (let code = 0; code <= dictionary.get(column).distinct; code++)
			assert.equal(codes?.has(code), expected.includes(code), `${column.name} ${code}`);
		assert.equal(kinds.at(-1), GrantedCodes.name, `searches of ${column.name} end`);
		evictSet(columnsOf(snapshot), column, geography);
		const again = granted.ranges(column, geography)?.constructor.name;
		if (kinds[0] === GrantedCodes.name) continue;
		assert.equal(again, kinds[0], `${column.name} is searched again`);
		searched.add(kinds[0]);
	}
	return searched;
}

/** Evicts the set of a grant. */
function evictSet({ granted }: SnapshotColumns, column: Column, geography: Geography): void {
	type Grants = { grantOf(geography: Geography): { readonly sets: unknown[] } };
	const { sets } = (granted as unknown as Grants).grantOf(geography);
	assert.ok(sets[column.code] !== undefined);
	sets[column.code] = undefined;
}

/** Where the states' sets are evicted, a grant searches them once more and then makes its own. */
function checkEvicted(snapshot: Snapshot): void {
	const { granted } = columnsOf(snapshot);
	const column = columnNamed("member_postal_code");
	const geography = { countries: [], states: ["CA", "TX"] } as unknown as Geography;
	const search = granted.values(column, geography);
	assert.equal(search?.constructor, SetSearch);
	assert.equal(granted.values(column, geography), search);
	type Sets = { readonly stateSets: { readonly sets: { readonly codes: unknown[] }[] } };
	(granted as unknown as Sets).stateSets.sets[column.code].codes.fill(undefined);
	assert.equal(search?.hasAny({ from: 0, to: 1 << 30 }), true);
	assert.equal(granted.values(column, geography)?.constructor, GrantedCodes);
}

/** Values looked up one by one, in their postings, in the states' sets or in the set of all, and ranges of them. */
function checkValues(snapshot: Snapshot, draw: Draw): void {
	const { granted, dictionary } = columnsOf(snapshot);
	for (const column of STORED) {
		const geography = someStates(draw);
		const expected = grantedCodes(snapshot, column, geography);
		const { distinct } = dictionary.get(column);
		const looked = [
			granted.singleValues(column, geography),
			granted.values(column, geography),
			granted.codes(column, geography),
		];
		for (let i = 0; i < ASKS; i++) {
			const from = draw.below(distinct);
			const range = { from, to: Math.min(distinct, from + draw.pick([0, 1, 2, 40, 3000])) };
			const hasAny = [...expected].some((code) => code >= range.from && code < range.to);
			for (const values of looked) {
				assert.equal(values?.hasAny(range), hasAny, `${column.name} ${JSON.stringify(range)}`);
				assert.equal(values?.has(from), expected.has(from), `${column.name} ${from}`);
			}
			const all = { from, to: distinct + 1 };
			const hasAll = [...expected].some((code) => code >= from);
			for (const values of looked.slice(1))
				assert.equal(values?.hasAny(all), hasAll, `${column.name} ${from} and after`);
			const none = { from: distinct, to: distinct + 1 };
			for (const values of looked.slice(1))
				assert.equal(values?.hasAny(none), expected.has(distinct), `${column.name} has none`);
		}
	}
}

function someStates(draw: Draw): Geography {
	const states = STATES.filter(() => draw.oneIn(2));
	return { countries: [], states: states.length === STATES.length ? STATES.slice(1) : states } as never;
}

/** Whether granted rows have values, and none, of columns of every kind. */
function checkPresence(snapshot: Snapshot, raw: readonly RawRow[], draw: Draw): void {
	const { granted, dictionary } = columnsOf(snapshot);
	for (const column of COLUMNS.filter(({ kind }) => kind !== "id" && kind !== "snapshot")) {
		const geography = someStates(draw);
		const own = raw.filter(({ state }) => (geography.states as string[]).includes(state as string));
		const isText = column.kind === "string";
		const distinct = isText ? 1 : dictionary.get(column).distinct;
		const codes = isText
			? own.map((row) => ((row as Record<string, string>)[column.name] ? 0 : 1))
			: [...grantedCodes(snapshot, column, geography)];
		const presence = granted.presence(column, distinct, geography);
		const isPresent = presence?.hasAny({ from: 0, to: distinct });
		assert.equal(
			isPresent,
			codes.some((code) => code < distinct),
			`${column.name} present`,
		);
		const isMissing = presence?.hasAny({ from: distinct, to: distinct + 1 });
		assert.equal(isMissing, codes.includes(distinct), `${column.name} missing`);
	}
}

/** The words of the values in granted rows. */
function checkWords(snapshot: Snapshot, draw: Draw): void {
	const { granted, nameIndex, dictionary } = columnsOf(snapshot);
	for (const name of [NAME_COLUMN, ...WORD_COLUMNS]) {
		const column = columnNamed(name);
		const index = nameIndex.get(column);
		assert.ok(index !== null && index.count > 0, name);
		for (let i = 0; i < 4; i++) {
			const geography = someStates(draw);
			const { distinct } = dictionary.get(column);
			const expected = new Set<number>();
			for (const code of grantedCodes(snapshot, column, geography)) {
				if (code === distinct) continue;
				const [from, to] = [index.valueOffsets[code], index.valueOffsets[code + 1]];
				for (const word of index.valueWords.subarray(from, to)) expected.add(word);
			}
			const words = granted.words(column, geography);
			for (let word = 0; word < index.count; word++)
				assert.equal(words?.has(word), expected.has(word), `${name} ${word} ${JSON.stringify(geography)}`);
		}
	}
}

test("granted values, words and rows without a value are found as a scan finds them", async (t) => {
	tellSeed(t, 4);
	const searched = new Set<string>();
	for (let run = 0; run < 4; run++) {
		const draw = new Draw(SEED, 17 + run);
		const raw = rows(draw);
		await withTwins(raw, MONTH, { rowStore: false }, ({ mapped, shared }) => {
			for (const snapshot of [mapped, shared]) {
				checkEvicted(snapshot);
				checkPresence(snapshot, raw, draw);
				checkValues(snapshot, draw);
				checkWords(snapshot, draw);
				for (const name of check(snapshot, draw)) searched.add(name);
			}
		});
	}
	assert.deepEqual(
		[...searched].sort(),
		[GrantSearch.name, SetSearch.name],
		"searched before there is a set",
	);
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

test("what a filter leaves out is planned without the values that only rows outside of the grant have", async () => {
	const types = { CA: ["Agent", "Broker"], TX: ["Trainee", ""] };
	const month = Object.entries(types).flatMap(([state, each]) =>
		each.map((member_type): RawRow => ({ state, member_type })),
	);
	const geography = { countries: [], states: ["CA"] } as unknown as Geography;
	await withTwins(month, MONTH, { rowStore: false }, ({ mapped }) => {
		const plan = (filters: Filters) =>
			resolveFilters(filters, geography, columnsOf(mapped)).map(({ codes }) => codes);
		assert.deepEqual(plan({ type_not: "Broker" }), [[{ from: 0, to: 1 }]]);
		assert.deepEqual(plan({ missing: ["member_type"] }), [[]]);
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

/** Elements of codes and postings that planning reads. */
function readsOf(snapshot: Snapshot, filters: Filters, geography: Geography): number {
	let reads = 0;
	const counted = (values: Uint32Array) =>
		new Proxy(values, {
			get(target, key) {
				reads++;
				return Reflect.get(target, key, target);
			},
		});
	const columns = columnsOf(snapshot);
	const { codes, postings } = columns;
	const counting = Object.create(columns, {
		granted: { value: null, writable: true },
		codes: { value: { get: (column: Column) => counted(codes.get(column) as Uint32Array) } },
		postings: {
			value: {
				get(column: Column) {
					const { offsets, rows } = postings.get(column);
					return { offsets: counted(offsets), rows: counted(rows) };
				},
			},
		},
	});
	counting.granted = new GrantIndex(columns.states, counting);
	resolveFilters(filters, geography, counting);
	return reads;
}

test("a range of values outside of the grant reads as much as an empty one, for grants that ask first", async () => {
	const STATE_ROWS = 3000;
	const month = ["CA", "NY"].flatMap((state, first) =>
		Array.from({ length: STATE_ROWS }, (_, i): RawRow => {
			return { state, member_postal_code: `${8 + first}${1000 + (i >> 1)}` };
		}),
	);
	const geography: Geography = { countries: [], states: ["CA"] };
	await withTwins(month, MONTH, { rowStore: false }, ({ mapped }) => {
		for (const shape of [
			(prefix: string): Filters => ({ postal_prefix: prefix }),
			(prefix: string): Filters => ({ postal_prefix: prefix, postal_code: "81000" }),
			(prefix: string): Filters => ({ postal_code: `${prefix}1000`.slice(0, 5) }),
		]) {
			const nowhere = readsOf(mapped, shape("7"), geography);
			for (const outside of ["9", "91", "910"])
				assert.equal(readsOf(mapped, shape(outside), geography), nowhere, outside);
		}
	});
});
