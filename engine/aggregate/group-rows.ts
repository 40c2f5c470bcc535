/**
 * GROUP BY one or two dimensions with COUNT(*): array aggregation over dictionary codes, where a group's
 * number is its place in an array of counters, and a sort where two dimensions have too many combinations for
 * that (group-sort.ts).
 *
 * Rows come as runs, whose codes are read sequentially, or as a list. Cost O(rows), one to three nanoseconds
 * each with counters that fit in cache, plus O(groups).
 */

import type { Codes, Range } from "../../formats/index.js";
import type { Selection } from "../select/selection.js";
import type { Dimension } from "./dimensions.js";

/** Rows to group: ascending runs, or list[0, count). */
export type GroupedRows =
	| { readonly runs: readonly Range[] }
	| { readonly list: Uint32Array; readonly count: number };

/** Takes each group that has rows: its number in both dimensions (the second 0 if there is one only), and its rows. */
export type TakeGroup = (first: number, second: number, rows: number) => void;

/** Takes groups one by one, or those with the rows of each in an array. */
export interface GroupTaker {
	readonly take: TakeGroup;
	/** Takes each group whose counter is not 0. */
	takeCounts(counters: GroupCounters): void;
	/** Takes the rows before they are grouped; absent: they need not be known. */
	takeSelection?(selection: Selection): void;
}

/** The rows of groups: counts[i], and stored[i + 1] - stored[i] more where `stored` is not null, modulo 2^32. */
export interface GroupCounters {
	readonly counts: Uint32Array;
	readonly stored: Uint32Array | null;
	/** The pair of groups at i, of which nothing is `stored`; null: the group of number i. */
	readonly pairs: GroupPairs | null;
}

/** Groups of two dimensions, pair by pair. */
export interface GroupPairs {
	readonly firsts: Uint32Array;
	readonly seconds: Uint32Array;
}

/** Pairs of groups, numbered: all that rows have (pair-numbers.ts), or all combinations (cell-numbers.ts). */
export interface PairNumbers extends GroupPairs {
	/** Number by row. */
	readonly numbers: Codes;
	/** Rows of the month by number. */
	readonly totals: Uint32Array;
}

/** `length` numbers of pairs below `limit`, zero, in as few bytes as they fit. */
export function numbersBelow(limit: number, length: number): Codes {
	if (limit <= 1 << 8) return new Uint8Array(length);
	return limit <= 1 << 16 ? new Uint16Array(length) : new Uint32Array(length);
}

/** A taker of all groups one by one. */
export function takingEach(take: TakeGroup): GroupTaker {
	return {
		take,
		takeCounts({ counts, stored, pairs }) {
			if (pairs !== null) {
				const { firsts, seconds } = pairs;
				for (let i = 0; i < counts.length; i++) if (counts[i] > 0) take(firsts[i], seconds[i], counts[i]);
				return;
			}
			for (let i = 0; i < counts.length; i++) {
				const rows = (counts[i] + (stored === null ? 0 : stored[i + 1] - stored[i])) >>> 0;
				if (rows > 0) take(i, 0, rows);
			}
		},
	};
}

/** Counters, kept from query to query and grown as needed. */
let counters = new Uint32Array(1 << 16);

/** `size` counters of zero, which the next call takes back. */
export function takeCounters(size: number): Uint32Array {
	if (counters.length < size) counters = new Uint32Array(Math.max(size, counters.length * 2));
	const taken = counters.subarray(0, size);
	taken.fill(0);
	return taken;
}

/** Groups rows by one dimension. Groups are taken in ascending order. */
export function groupByOne(
	rows: GroupedRows,
	{ codes, codeCount, groupOfCode }: Dimension,
	taker: GroupTaker,
): void {
	const counts = takeCounters(codeCount);
	if ("runs" in rows) {
		for (const { from, to } of rows.runs) for (let row = from; row < to; row++) counts[codes[row]]++;
	} else {
		const { list, count } = rows;
		for (let i = 0; i < count; i++) counts[codes[list[i]]]++;
	}
	takeCodeCounts(counts, groupOfCode, taker);
}

/**
 * Groups few rows by one dimension or two in a hash table, where clearing and reading an array of counters would cost
 * more. Groups are taken in no order. Cost O(rows), some 50 ns each.
 */
export function groupInMap(
	rows: GroupedRows,
	first: Dimension,
	second: Dimension | undefined,
	take: TakeGroup,
): void {
	const width = second === undefined ? 1 : second.groupCount;
	const counts = new Map<number, number>();
	const add = (row: number) => {
		const key = groupOf(first, row) * width + (second === undefined ? 0 : groupOf(second, row));
		counts.set(key, (counts.get(key) ?? 0) + 1);
	};
	if ("runs" in rows) for (const { from, to } of rows.runs) for (let row = from; row < to; row++) add(row);
	else for (let i = 0; i < rows.count; i++) add(rows.list[i]);
	for (const [key, count] of counts) take(Math.floor(key / width), key % width, count);
}

/** The group of a row. */
export function groupOf({ codes, groupOfCode }: Dimension, row: number): number {
	return groupOfCode === null ? codes[row] : groupOfCode[codes[row]];
}

/** Takes the groups of rows that have been counted by code. */
export function takeCodeCounts(
	counts: Uint32Array,
	groupOfCode: Uint32Array | null,
	taker: GroupTaker,
): void {
	if (groupOfCode === null) {
		taker.takeCounts({ counts, stored: null, pairs: null });
		return;
	}
	const { take } = taker;
	let group = 0;
	let rows = 0;
	for (let code = 0; code < counts.length; code++) {
		if (groupOfCode[code] !== group) {
			if (rows > 0) take(group, 0, rows);
			group = groupOfCode[code];
			rows = 0;
		}
		rows += counts[code];
	}
	if (rows > 0) take(group, 0, rows);
}

/** Groups rows by two dimensions in an array with a cell for each combination of their groups. */
export function groupInArray(rows: GroupedRows, first: Dimension, second: Dimension, take: TakeGroup): void {
	const width = second.groupCount;
	const cells = first.groupCount * width;
	// Two counters a cell, for rows in turn: rows that follow on one another are often of one cell, and each
	// increment would wait for the one before it.
	const counts = takeCounters(2 * cells);
	const cellsA = cellOfCode(first, width);
	const cellsB = cellOfCode(second, 1);
	const codesA = first.codes;
	const codesB = second.codes;
	if ("runs" in rows) {
		for (const { from, to } of rows.runs) {
			let row = from;
			for (; row + 1 < to; row += 2) {
				counts[cellsA[codesA[row]] + cellsB[codesB[row]]]++;
				counts[cells + cellsA[codesA[row + 1]] + cellsB[codesB[row + 1]]]++;
			}
			if (row < to) counts[cellsA[codesA[row]] + cellsB[codesB[row]]]++;
		}
	} else {
		const { list, count } = rows;
		let i = 0;
		for (; i + 1 < count; i += 2) {
			counts[cellsA[codesA[list[i]]] + cellsB[codesB[list[i]]]]++;
			counts[cells + cellsA[codesA[list[i + 1]]] + cellsB[codesB[list[i + 1]]]]++;
		}
		if (i < count) counts[cellsA[codesA[list[i]]] + cellsB[codesB[list[i]]]]++;
	}
	for (let cell = 0; cell < cells; cell++) {
		const rowCount = counts[cell] + counts[cells + cell];
		if (rowCount > 0) take(Math.floor(cell / width), cell % width, rowCount);
	}
}

/** By code, the place of its group in an array that has `width` cells for each group. */
export function cellOfCode({ codeCount, groupOfCode }: Dimension, width: number): Uint32Array {
	const cells = new Uint32Array(codeCount);
	for (let code = 0; code < codeCount; code++) cells[code] = (groupOfCode?.[code] ?? code) * width;
	return cells;
}
