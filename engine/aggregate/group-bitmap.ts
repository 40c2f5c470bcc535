/**
 * GROUP BY one dimension over a large bitmap of rows: the rows that the bitmap has are counted, or where it has
 * more than half of all, those it lacks are subtracted from the stored counts. Columns with few codes are counted
 * by stored bitmaps. Cost at most O(half the rows of the snapshot + codes), about three nanoseconds a row.
 */

import { type Codes, type Column, LISTED_BY_VALUE, type StateRun } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { countCommon, countRun } from "../kernels/bitmap.js";
import { countMatches } from "../kernels/bitmap-probe.js";
import type { RowBitmap } from "../select/selection.js";
import { COST_NS, FEW_CODES_MAX } from "../tuning.js";
import type { Dimension } from "./dimensions.js";
import { type GroupTaker, type PairNumbers, takeCodeCounts, takeCounters } from "./group-rows.js";

/** An index that has the rows of code c at [offsets[c], offsets[c + 1]). */
export interface CodeIndex {
	readonly offsets: Uint32Array;
	readonly rows: Uint32Array;
}

/** The index of a column by code; null where it has none. */
export function codeIndex(column: Column, columns: SnapshotColumns): CodeIndex | null {
	if (LISTED_BY_VALUE.has(column.name)) return columns.postings.get(column);
	const isRanked = column.sortable && columns.dictionary.get(column).foldRanks === null;
	return isRanked ? columns.permutation.get(column) : null;
}

/** Whether a dimension has so few codes that the rows of each are counted, by stored bitmaps where there are any. */
export function isCountedByBitmaps({ codeCount }: Dimension): boolean {
	return codeCount - 1 <= FEW_CODES_MAX;
}

/** Nanoseconds of {@link groupBitmapByOne} for a dimension that {@link isCountedByBitmaps}. Cost O(codes). */
export function costByBitmaps(
	{ column, codeCount }: Dimension,
	{ offsets }: CodeIndex,
	columns: SnapshotColumns,
): number {
	const stored = columns.bitmaps.get(column);
	const wordsCost = (columns.rows / 32) * COST_NS.countWord;
	// Copying the selection costs about as much as counting one bitmap.
	let cost = wordsCost;
	for (let code = 0; code + 1 < codeCount; code++) {
		const hasBitmap = (stored?.find(code) ?? null) !== null;
		cost += hasBitmap ? wordsCost : (offsets[code + 1] - offsets[code]) * COST_NS.probeRow;
	}
	return cost;
}

/**
 * Groups the rows of a bitmap by one dimension. Groups are taken in ascending order. For one that
 * {@link isCountedByBitmaps}, fast where the bitmap is in the scratch memory.
 */
export function groupBitmapByOne(
	bits: RowBitmap,
	dimension: Dimension,
	index: CodeIndex,
	columns: SnapshotColumns,
	taker: GroupTaker,
): void {
	const distinct = dimension.codeCount - 1;
	const counts = takeCounters(distinct + 1);
	if (isCountedByBitmaps(dimension)) {
		countByBitmaps(bits, dimension, index, columns, counts);
		let valued = 0;
		for (let code = 0; code < distinct; code++) valued += counts[code];
		counts[distinct] = bits.count - valued;
	} else if (bits.count * 2 <= columns.rows) addRows(bits, dimension.codes, counts);
	else {
		subtractOthers(bits, dimension.codes, columns.rows, counts);
		takeStoredCounts(counts, dimension, index, columns.rows, taker);
		return;
	}
	takeCodeCounts(counts, dimension.groupOfCode, taker);
}

/** Groups the rows of a bitmap by the numbers of pairs. Groups are taken in no order. */
export function groupBitmapByPair(bits: RowBitmap, pairs: PairNumbers, taker: GroupTaker): void {
	const { numbers, totals } = pairs;
	const isMost = bits.count * 2 > numbers.length;
	const counts = takeCounters(totals.length);
	if (isMost) {
		counts.set(totals);
		subtractOthers(bits, numbers, numbers.length, counts);
	} else addRows(bits, numbers, counts);
	taker.takeCounts({ counts, stored: null, pairs });
}

/** Takes the groups of all rows of the snapshot, and of counts[code] more by code, modulo 2^32. Cost O(codes). */
export function takeStoredCounts(
	counts: Uint32Array,
	{ groupOfCode }: Dimension,
	{ offsets }: CodeIndex,
	rows: number,
	taker: GroupTaker,
): void {
	const distinct = counts.length - 1;
	counts[distinct] += rows - (offsets[distinct] - offsets[0]);
	if (groupOfCode === null) {
		const valued = { counts: counts.subarray(0, distinct), stored: offsets, pairs: null };
		taker.takeCounts(valued);
		if (counts[distinct] > 0) taker.take(distinct, 0, counts[distinct]);
		return;
	}
	for (let code = 0; code < distinct; code++) counts[code] += offsets[code + 1] - offsets[code];
	takeCodeCounts(counts, groupOfCode, taker);
}

function addRows({ words, from, to }: RowBitmap, codes: Codes, counts: Uint32Array): void {
	for (let i = from; i < to; i++) {
		for (let word = words[i]; word !== 0; word &= word - 1)
			counts[codes[(i << 5) + 31 - Math.clz32(word & -word)]]++;
	}
}

/** Subtracts the rows that the bitmap lacks, which are fewer than those it has. */
function subtractOthers(
	{ words, from, to }: RowBitmap,
	codes: Codes,
	rows: number,
	counts: Uint32Array,
): void {
	const last = Math.ceil(rows / 32);
	for (let i = 0; i < last; i++) {
		const present = i >= from && i < to ? words[i] : 0;
		const inMonth = i === last - 1 && rows % 32 !== 0 ? 2 ** (rows % 32) - 1 : -1;
		for (let word = ~present & inMonth; word !== 0; word &= word - 1)
			counts[codes[(i << 5) + 31 - Math.clz32(word & -word)]]--;
	}
}

function countByBitmaps(
	{ words, from, to }: RowBitmap,
	{ column }: Dimension,
	{ offsets, rows }: CodeIndex,
	columns: SnapshotColumns,
	counts: Uint32Array,
): void {
	const stored = columns.bitmaps.get(column);
	for (let code = 0; code + 1 < counts.length; code++) {
		const bitmap = stored?.find(code) ?? null;
		const end = Math.min(offsets[code + 1], rows.length);
		counts[code] =
			bitmap === null ? countMatches(rows, words, offsets[code], end) : countCommon(words, bitmap, from, to);
	}
}

/** Groups the rows of a bitmap by state or by country: each state is one run of rows. */
export function groupBitmapByState(
	{ words }: RowBitmap,
	dimension: Dimension,
	states: readonly StateRun[],
	columns: SnapshotColumns,
	taker: GroupTaker,
): void {
	const dictionary = columns.dictionary.get(dimension.column);
	const counts = new Uint32Array(dimension.codeCount);
	for (const { state, country, first, rows } of states) {
		const code = dictionary.find(dimension.name === "state" ? state : country);
		if (code >= 0) counts[code] += countRun(words, first, first + rows);
	}
	takeCodeCounts(counts, null, taker);
}
