/** All ways to group rows by two dimensions find the same groups. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { numberCells } from "../../engine/aggregate/cell-numbers.js";
import type { Dimension } from "../../engine/aggregate/dimensions.js";
import { groupBitmapByPair } from "../../engine/aggregate/group-bitmap.js";
import { type GroupLists, groupAlongLists, type LeadingLists } from "../../engine/aggregate/group-lists.js";
import {
	type GroupedRows,
	type GroupTaker,
	groupInArray,
	groupInMap,
	takingEach,
} from "../../engine/aggregate/group-rows.js";
import { groupBySorting } from "../../engine/aggregate/group-sort.js";
import {
	keptBytes,
	numberPairs,
	pairNumbers,
	pairNumbersInSlices,
} from "../../engine/aggregate/pair-numbers.js";
import { byRows, byValue, TopGroups } from "../../engine/aggregate/top-groups.js";
import type { SnapshotColumns } from "../../engine/columns/snapshot-columns.js";
import type { RowBitmap } from "../../engine/select/selection.js";
import { finishWork, PendingWork, SLICE_SIZES } from "../../engine/sliced-work.js";
import {
	LARGEST_PAIR_BYTES,
	LISTED_CELLS_MIN,
	NUMBERED_ASKS,
	PAIR_NUMBERS_BYTES_MAX,
} from "../../engine/tuning.js";
import type { StateRun } from "../../formats/index.js";
import { checkProperty } from "../oracle/seeded.js";

const ROWS = 60;

/** A dimension with one code a row below `codeCount`, whose codes may be grouped by pairs. */
function dimension(codeCount: number, codes: readonly number[], isGrouped: boolean): Dimension {
	const groupOfCode = isGrouped ? Uint32Array.from({ length: codeCount }, (_, code) => code >> 1) : null;
	const groupCount = isGrouped ? ((codeCount - 1) >> 1) + 1 : codeCount;
	return {
		codes: Uint16Array.from(codes, (c) => c % codeCount),
		codeCount,
		groupCount,
		groupOfCode,
	} as Dimension;
}

const anyDimension = fc
	.tuple(
		fc.integer({ min: 1, max: 40 }),
		fc.array(fc.nat(1000), { minLength: ROWS, maxLength: ROWS }),
		fc.boolean(),
	)
	.map(([codeCount, codes, isGrouped]) => dimension(codeCount, codes, isGrouped));

const anyRows: fc.Arbitrary<GroupedRows> = fc.oneof(
	fc
		.uniqueArray(fc.nat(ROWS - 1))
		.map((rows) => ({ list: Uint32Array.from(rows.sort((a, b) => a - b)), count: rows.length })),
	fc.tuple(fc.nat(20), fc.nat(20), fc.nat(19)).map(([from, length, more]) => ({
		runs: [
			{ from, to: from + length },
			{ from: from + length + 1, to: from + length + 1 + more },
		],
	})),
);

function groupsOf(
	group: typeof groupInArray,
	rows: GroupedRows,
	first: Dimension,
	second: Dimension,
): string[] {
	const found: string[] = [];
	group(rows, first, second, (a, b, count) => found.push(`${a} ${b}: ${count}`));
	return found.sort();
}

test("counters in an array, a hash table and a counting sort find the same groups", (t) => {
	checkProperty(
		t,
		2_000,
		fc.property(anyRows, anyDimension, anyDimension, (rows, first, second) => {
			const expected = new Map<string, number>();
			const add = (row: number) => {
				const of = ({ codes, groupOfCode }: Dimension) => groupOfCode?.[codes[row]] ?? codes[row];
				const key = `${of(first)} ${of(second)}`;
				expected.set(key, (expected.get(key) ?? 0) + 1);
			};
			if ("list" in rows) rows.list.forEach(add);
			else for (const { from, to } of rows.runs) for (let row = from; row < to; row++) add(row);
			const counted = [...expected].map(([key, count]) => `${key}: ${count}`).sort();
			assert.deepEqual(groupsOf(groupInArray, rows, first, second), counted);
			assert.deepEqual(groupsOf(groupBySorting, rows, first, second), counted);
			assert.deepEqual(groupsOf(groupInMap, rows, first, second), counted);
		}),
	);
});

/** Rows as a bitmap. */
function bitmapOf(rows: GroupedRows): RowBitmap {
	const words = new Uint32Array(Math.ceil(ROWS / 32));
	const listed =
		"list" in rows
			? [...rows.list]
			: rows.runs.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i));
	for (const row of listed) words[row >>> 5] += 2 ** (row & 31);
	return { words, count: listed.length, from: 0, to: words.length };
}

/** The rows of each group of a dimension, those of some groups in lists of their own. */
function listsOf({ codes, groupCount, groupOfCode }: Dimension, apart: number): readonly GroupLists[] {
	const rowsOf = (group: number) =>
		[...codes.keys()].filter((row) => (groupOfCode?.[codes[row]] ?? codes[row]) === group);
	const groups = Array.from({ length: groupCount }, (_, group) => group);
	const listed = (some: readonly number[], isAll: boolean): GroupLists => {
		const rows = some.map(rowsOf);
		const offsets = [0];
		for (const { length } of rows) offsets.push(offsets[offsets.length - 1] + length);
		return {
			groups: isAll ? null : Uint32Array.from(some),
			offsets: Uint32Array.from(offsets),
			rows: Uint32Array.from(rows.flat()),
		};
	};
	if (apart === 0) return [listed(groups, true)];
	return [listed(groups.slice(0, -apart), false), listed(groups.slice(-apart), false)];
}

/** Lists of the rows of one of two dimensions. */
function anyLeading(first: Dimension, second: Dimension, isSwapped: boolean, apart: number): LeadingLists {
	const outer = isSwapped ? second : first;
	return { lists: listsOf(outer, apart), inner: isSwapped ? first : second, isSwapped };
}

test("rows grouped along the lists of a dimension, and by the numbers of pairs, are in the same groups", (t) => {
	checkProperty(
		t,
		2_000,
		fc.property(
			anyRows,
			anyDimension,
			anyDimension,
			fc.boolean(),
			fc.nat(2),
			(rows, first, second, isSwapped, apart) => {
				const leading = anyLeading(first, second, isSwapped, apart);
				const pairsMax = Math.min(ROWS, first.groupCount * second.groupCount);
				const expected = groupsOf(groupInArray, rows, first, second);
				const grouped = (group: (taker: GroupTaker) => void) => {
					const found: string[] = [];
					group(takingEach((a, b, count) => found.push(`${a} ${b}: ${count}`)));
					return found.sort();
				};
				const bits = bitmapOf(rows);
				const pairs = finishWork(numberPairs(leading, ROWS, pairsMax, 7));
				assert.deepEqual(
					grouped((taker) => groupBitmapByPair(bits, pairs, taker)),
					expected,
				);
				const cells = finishWork(numberCells(first, second, ROWS, 7));
				assert.deepEqual(
					grouped((taker) => groupBitmapByPair(bits, cells, taker)),
					expected,
				);
				assert.deepEqual(
					grouped((taker) => groupAlongLists(bits, leading, taker)),
					expected,
				);
				const firstRows = [...pairs.totals.keys()].map((number) => pairs.numbers.indexOf(number));
				assert.deepEqual(
					firstRows,
					[...firstRows].sort((a, b) => a - b),
					"numbers are in the order of first rows",
				);
			},
		),
	);
});

/** A month of `rows` rows in one state, and dimensions of `groups` groups in which one has all of them. */
function monthOfOneGroup(rows: number, groups = 1) {
	const dictionary = { get: () => ({ find: () => 0 }) };
	const codes = new Uint8Array(rows);
	return {
		columns: { rows, dictionary } as unknown as SnapshotColumns,
		states: [{ state: "CA", country: "US", first: 0, rows }] as unknown as readonly StateRun[],
		of: (name: string) =>
			({ name, codes, codeCount: groups, groupCount: groups, groupOfCode: null }) as unknown as Dimension,
	};
}

test("pair numbers are kept within their bound, the pairs asked most often longest", () => {
	const rows = 4_000_000;
	const { states, columns, of } = monthOfOneGroup(rows);
	const ask = (name: string) => pairNumbers(of(name), of("state"), states, columns);
	for (let i = 1; i < NUMBERED_ASKS; i++)
		assert.equal(ask("often"), null, "a pair asked once is not numbered");
	const pair = ask("often");
	assert.deepEqual([pair?.numbers.length, [...(pair?.totals ?? [])]], [rows, [rows]]);
	for (let i = 0; i < 10; i++) assert.equal(ask("often"), pair);
	for (let i = 0; i < 30; i++) {
		for (let k = 0; k < NUMBERED_ASKS; k++) ask(`rarely ${i}`);
		assert.ok(keptBytes() <= PAIR_NUMBERS_BYTES_MAX, `${keptBytes()} bytes`);
	}
	assert.ok(keptBytes() > PAIR_NUMBERS_BYTES_MAX / 2);
	assert.notEqual(ask("rarely 29"), null, "the last one replaced another that is asked no more often");
	assert.equal(ask("often"), pair, "what is asked rarely does not replace it");
});

test("pairs are numbered in slices at the first ask, within the same bound", () => {
	const rows = 4_000_000;
	const manyGroups = Math.ceil(Math.sqrt(LISTED_CELLS_MIN)) + 1;
	// One group has all rows: it is more than a slice.
	const fewCombinations = monthOfOneGroup(rows);
	const asking =
		({ states, columns, of }: ReturnType<typeof monthOfOneGroup>) =>
		(name: string) =>
			pairNumbersInSlices(of(name), of("state"), states, columns);
	const check = (ask: ReturnType<typeof asking>, name: string, timesRead: number) => {
		const pending = ask(name);
		assert.ok(pending instanceof PendingWork);
		assert.equal((ask(name) as PendingWork).name, pending.name, "the same work for the same pair");
		let slices = 1;
		while (pending.work.next().done !== true) slices++;
		assert.ok(slices >= (timesRead * rows) / SLICE_SIZES.rows, `${slices} slices`);
		const made = ask(name);
		assert.ok(made !== null && !(made instanceof PendingWork));
		assert.equal(made.numbers.length, rows);
		assert.deepEqual([...made.totals.filter((total) => total > 0)], [rows]);
		assert.ok(keptBytes() <= PAIR_NUMBERS_BYTES_MAX, `${keptBytes()} bytes`);
	};
	for (let i = 0; i < 40; i++) check(asking(fewCombinations), `${i}`, 1);
	// Along the lists, and in the order of rows.
	const manyCombinations = asking(monthOfOneGroup(rows, manyGroups));
	for (let i = 0; i < 10; i++) check(manyCombinations, `${i}`, 2);
	const { states, columns, of } = fewCombinations;
	const ask = asking(fewCombinations);
	const [one, other] = [ask("one"), ask("other")];
	assert.ok(one instanceof PendingWork && other instanceof PendingWork);
	assert.notEqual(one.name, other.name);
	const before = keptBytes();
	const tooLarge = { ...columns, rows: LARGEST_PAIR_BYTES / 4 } as unknown as SnapshotColumns;
	assert.equal(pairNumbersInSlices(of("too large"), of("state"), states, tooLarge), null);
	for (let i = 0; i < 200; i++)
		assert.equal(pairNumbers(of("too large"), of("state"), states, tooLarge), null);
	assert.equal(keptBytes(), before, "nothing makes room for what is too large");
});

test("one pair of a month that is larger than the bound takes the place of all others", () => {
	const numbered = (rows: number, name: string) => {
		const { states, columns, of } = monthOfOneGroup(rows);
		let made = null;
		// Others that were asked for more often make room in time.
		for (let i = 0; i < 1_000 && made === null; i++)
			made = pairNumbers(of(`${name} of ${rows}`), of("state"), states, columns);
		return made;
	};
	assert.notEqual(numbered(1_000, "small"), null);
	const rows = PAIR_NUMBERS_BYTES_MAX / 4 + 1_000;
	const made = numbered(rows, "large");
	assert.deepEqual([made?.numbers.length, [...(made?.totals ?? [])]], [rows, [rows]]);
	const kept = keptBytes();
	assert.ok(kept >= rows && kept < rows + 100, `${kept} bytes: no pair beside it`);
});

test("the first groups in either order are those of a sort", (t) => {
	const group = fc
		.tuple(fc.nat(6), fc.nat(6), fc.integer({ min: 1, max: 4 }))
		.map(([first, second, rows]) => ({ first, second, rows }));
	const groups = fc.uniqueArray(group, { selector: ({ first, second }) => first * 7 + second });
	checkProperty(
		t,
		2_000,
		fc.property(
			groups,
			fc.integer({ min: 1, max: 10 }),
			fc.constantFrom(byRows, byValue),
			(all, most, order) => {
				const top = new TopGroups(most, order);
				for (const { first, second, rows } of all) top.offer(first, second, rows);
				assert.deepEqual(top.inOrder(), [...all].sort(order).slice(0, most));
				const counted = new TopGroups(most, order);
				const pairs = {
					firsts: Uint32Array.from(all, ({ first }) => first),
					seconds: Uint32Array.from(all, ({ second }) => second),
				};
				const large = all.filter(({ rows }) => rows >= 2);
				const counts = Uint32Array.from(all, ({ rows }) => rows);
				assert.equal(counted.offerCounts({ counts, stored: null, pairs }, 2), large.length);
				assert.deepEqual(counted.inOrder(), large.sort(order).slice(0, most));
				assert.equal(counted.hasMore, large.length > most);
			},
		),
	);
});
