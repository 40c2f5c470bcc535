/**
 * GROUP BY over a large bitmap of rows, along an index: the rows of each code are contiguous in the index of
 * a column, so a group is counted by testing them in the bitmap, which fits in cache. The index is read
 * sequentially, and counters are never scattered over more memory than one dimension has groups.
 *
 * Cost O(rows of the snapshot), about one nanosecond each for one dimension; for two, another five for each
 * row that matches, whose code in the second dimension is read at random.
 */

import { type Column, LISTED_BY_VALUE, type StateRun } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { countCommon, countRun } from "../kernels/bitmap.js";
import { countMatches } from "../kernels/bitmap-probe.js";
import type { RowBitmap } from "../select/selection.js";
import { FEW_CODES_MAX } from "../tuning.js";
import type { Dimension } from "./dimensions.js";
import { type TakeGroup, takeCodeCounts } from "./group-rows.js";

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

/** Groups the rows of a bitmap by one dimension. Groups are taken in ascending order. */
export function groupBitmapByOne(
	bits: RowBitmap,
	dimension: Dimension,
	index: CodeIndex,
	columns: SnapshotColumns,
	take: TakeGroup,
): void {
	const distinct = dimension.codeCount - 1;
	const counts = new Uint32Array(distinct + 1);
	if (distinct <= FEW_CODES_MAX) countByBitmaps(bits, dimension, index, columns, counts);
	else countAlongIndex(bits.words, index, counts);
	let valued = 0;
	for (let code = 0; code < distinct; code++) valued += counts[code];
	counts[distinct] = bits.count - valued;
	takeCodeCounts(counts, dimension.groupOfCode, take);
}

function countAlongIndex(words: Uint32Array, { offsets, rows }: CodeIndex, counts: Uint32Array): void {
	for (let code = 0; code + 1 < counts.length; code++) {
		const to = Math.min(offsets[code + 1], rows.length);
		let count = 0;
		for (let i = offsets[code]; i < to; i++) count += (words[rows[i] >>> 5] >>> (rows[i] & 31)) & 1;
		counts[code] = count;
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
	take: TakeGroup,
): void {
	const dictionary = columns.dictionary.get(dimension.column);
	const counts = new Uint32Array(dimension.codeCount);
	for (const { state, country, first, rows } of states) {
		const code = dictionary.find(dimension.name === "state" ? state : country);
		if (code >= 0) counts[code] += countRun(words, first, first + rows);
	}
	takeCodeCounts(counts, null, take);
}

/** Groups the rows of a bitmap by two dimensions, along the index of the first, whose groups are its codes. */
export function groupBitmapByTwo(
	bits: RowBitmap,
	first: Dimension,
	{ offsets, rows }: CodeIndex,
	second: Dimension,
	columns: SnapshotColumns,
	take: TakeGroup,
): void {
	const { words } = bits;
	const { codes } = second;
	const groups = groupsOf(second);
	const counts = new Uint32Array(second.groupCount);
	/** Groups of the second dimension that the code at hand has, so that only their counters are reset. */
	const seen = new Uint32Array(second.groupCount);
	const distinct = first.codeCount - 1;
	for (let code = 0; code < distinct; code++) {
		const to = Math.min(offsets[code + 1], rows.length);
		let seenCount = 0;
		for (let i = offsets[code]; i < to; i++) {
			const row = rows[i];
			if (((words[row >>> 5] >>> (row & 31)) & 1) === 0) continue;
			const group = groups[codes[row]];
			if (counts[group]++ === 0) seen[seenCount++] = group;
		}
		for (let i = 0; i < seenCount; i++) {
			take(code, seen[i], counts[seen[i]]);
			counts[seen[i]] = 0;
		}
	}
	const missing = columns.missing.get(first.column).words;
	for (let i = bits.from; i < bits.to; i++) {
		for (let word = words[i] & missing[i]; word !== 0; word &= word - 1) {
			counts[groups[codes[(i << 5) + 31 - Math.clz32(word & -word)]]]++;
		}
	}
	for (let group = 0; group < counts.length; group++)
		if (counts[group] > 0) take(distinct, group, counts[group]);
}

/** Group by code. */
function groupsOf({ codeCount, groupOfCode }: Dimension): Uint32Array {
	return groupOfCode ?? Uint32Array.from({ length: codeCount }, (_, code) => code);
}
