/** Verification of a column's indexes against its codes. Each costs O(rows), bitmaps O(rows × bitmaps / 32). */

import {
	BITMAP_ROWS_PER_HIT,
	type Codes,
	type Column,
	type CountedValues,
	countedValues,
	type Dictionary,
	encodeHashIndex,
	encodeHashRows,
	encodeOrderBuckets,
	encodeOrderCounts,
	encodeStateValues,
	OrderCounts,
	type SnapshotFiles,
	SORTABLE_COLUMNS,
} from "../../formats/index.js";
import { fail } from "./fault.js";

/** Both orders ascend by (rank, row), so they contain every row once, and every rank begins at its offset. */
export function verifyPermutation(
	files: SnapshotFiles,
	column: Column,
	dictionary: Dictionary,
	codes: Codes,
): void {
	const { rows, byState, offsets } = files.permutation(column);
	const rank = (row: number) => dictionary.rank(codes[row]);
	verifyOrder(files, column, rows, 0, rows.length, rank);
	for (let r = 0; r < offsets.length; r++) {
		const at = offsets[r];
		const begins = at >= rows.length || rank(rows[at]) >= r;
		const ends = at === 0 || (at <= rows.length && rank(rows[at - 1]) < r);
		if (!begins || !ends) fail(files, column, `rank ${r} does not begin at ${at}`);
	}
	if (byState === null) return;
	for (const run of files.catalog.states)
		verifyOrder(files, column, byState, run.first, run.first + run.rows, rank);
}

/** Rows at positions [from, to) ascend by (rank, row), so they are distinct, and are rows of the expected range. */
function verifyOrder(
	files: SnapshotFiles,
	column: Column,
	rows: Uint32Array,
	from: number,
	to: number,
	rank: (row: number) => number,
): void {
	for (let position = from; position < to; position++) {
		const row = rows[position];
		if (row < from || row >= to) fail(files, column, `position ${position} of an order names row ${row}`);
		if (position === from) continue;
		const before = rows[position - 1];
		const order = rank(before) - rank(row) || before - row;
		if (order >= 0) fail(files, column, `position ${position} of a permutation is out of order`);
	}
}

/** Postings list for every code exactly its rows, ascending. */
export function verifyPostings(files: SnapshotFiles, column: Column, codes: Codes): void {
	const { offsets, rows } = files.postings(column);
	if (offsets[0] !== 0 || offsets[offsets.length - 1] !== rows.length)
		fail(files, column, "postings do not span their list");
	for (let code = 0; code < offsets.length - 1; code++) {
		for (let i = offsets[code]; i < offsets[code + 1]; i++) {
			if (codes[rows[i]] !== code) fail(files, column, `posting ${i} lists row ${rows[i]} for code ${code}`);
			if (i > offsets[code] && rows[i] <= rows[i - 1])
				fail(files, column, `postings of code ${code} do not ascend`);
		}
	}
}

/** Every frequent code has a bitmap, and every bitmap holds exactly the rows of its code. */
export function verifyBitmaps(files: SnapshotFiles, column: Column, codes: Codes, counts: Uint32Array): void {
	const bitmaps = files.bitmaps(column);
	if (bitmaps === null) return;
	const words = Array.from(counts, () => null as Uint32Array | null);
	for (const code of bitmaps.codes) {
		if (code >= counts.length) fail(files, column, `a bitmap stands for code ${code}`);
		words[code] = bitmaps.find(code);
		const set = words[code] === null ? 0 : countBits(words[code]);
		if (set !== counts[code])
			fail(files, column, `bitmap of code ${code} holds ${set} rows of ${counts[code]}`);
	}
	for (let code = 0; code < counts.length; code++) {
		if (counts[code] * BITMAP_ROWS_PER_HIT > codes.length && words[code] === null)
			fail(files, column, `frequent code ${code} has no bitmap`);
	}
	for (let row = 0; row < codes.length; row++) {
		const bitmap = words[codes[row]];
		if (bitmap !== null && !hasBit(bitmap, row))
			fail(files, column, `bitmap of code ${codes[row]} lacks row ${row}`);
	}
}

/** Cumulative bitmap b holds exactly the rows at positions below bounds[b] of the permutation, else of the postings. */
export function verifyCumulative(files: SnapshotFiles, column: Column): void {
	const cumulative = files.cumulativeBitmaps(column);
	if (cumulative === null) return;
	const { rows } = column.sortable ? files.permutation(column) : files.postings(column);
	const valued = files.catalog.rows - files.column(column).nulls;
	const { bounds } = cumulative;
	if (bounds[bounds.length - 1] !== valued)
		fail(files, column, `cumulative bitmaps end at ${bounds[bounds.length - 1]} of ${valued}`);
	let from = 0;
	let before: Uint32Array | null = null;
	for (let bucket = 0; bucket < bounds.length; bucket++) {
		const bitmap: Uint32Array = cumulative.bitmap(bucket);
		const to = bounds[bucket];
		if (to < from || countBits(bitmap) !== to || (before !== null && !contains(bitmap, before)))
			fail(files, column, `cumulative bitmap ${bucket} is not of ${to} positions`);
		for (let position = from; position < to; position++) {
			if (!hasBit(bitmap, rows[position]))
				fail(files, column, `cumulative bitmap ${bucket} lacks row ${rows[position]}`);
		}
		from = to;
		before = bitmap;
	}
}

/** Order buckets follow from the column's order. Months of version 1 have none. */
export function verifyOrderBuckets(
	files: SnapshotFiles,
	column: Column,
	dictionary: Dictionary,
	codes: Codes,
): void {
	const stored = files.storedOrderBuckets(column);
	if (stored === null) return;
	const { buckets, firstRanks } = encodeOrderBuckets(
		codes,
		dictionary.foldRanks,
		files.permutation(column).offsets,
	);
	const wrongRow = buckets.findIndex((bucket, row) => bucket !== stored.buckets[row]);
	if (wrongRow !== -1)
		fail(files, column, `row ${wrongRow} lies in bucket ${stored.buckets[wrongRow]} of its order`);
	const isSame = firstRanks.length === stored.firstRanks.length;
	if (!isSame || firstRanks.some((rank, i) => rank !== stored.firstRanks[i]))
		fail(files, column, "the buckets of its order do not begin where they should");
}

/** The rows of frequent values by position follow from each order. Small months and those of versions before 8 have none. */
export function verifyOrderCounts(files: SnapshotFiles): void {
	const { rows } = files.catalog;
	const orders = SORTABLE_COLUMNS.flatMap((column) => {
		const stored = OrderCounts.open(files.sections, column.code, rows);
		return stored === null ? [] : [{ column, stored }];
	});
	if (orders.length === 0) return;
	const codesOf = (counted: Column) => ({
		codes: files.codes(counted),
		distinct: files.column(counted).distinct,
	});
	const expected = countedValues(codesOf, rows, null);
	for (const { column, stored } of orders) verifyCountsOf(files, column, stored, expected);
}

function verifyCountsOf(
	files: SnapshotFiles,
	column: Column,
	stored: OrderCounts,
	expected: CountedValues,
): void {
	const isSame = expected.values.length === stored.values.length;
	if (!isSame || expected.values.some((word, i) => word !== stored.values[i]))
		fail(files, column, "other values are counted in its order than the frequent ones");
	const counts = encodeOrderCounts(files.permutation(column).rows, expected);
	const wrong = counts.findIndex((rows, i) => rows !== stored.counts[i]);
	if (wrong !== -1) fail(files, column, `count ${wrong} in its order is ${stored.counts[wrong]}`);
}

/** A hash index follows from the dictionary's values. Months of older versions have none. */
export function verifyHashIndex(files: SnapshotFiles, column: Column, dictionary: Dictionary): void {
	const words = files.hashIndex(column)?.words;
	if (words === undefined) return;
	const expected = encodeHashIndex(dictionary.offsets, dictionary.heap);
	if (expected === null) fail(files, column, "values that cannot have a hash index have one");
	const wrong = expected.findIndex((word, i) => word !== words[i]);
	if (wrong !== -1) fail(files, column, `word ${wrong} of the hash index is ${words[wrong]}`);
	const rows = files.hashRows(column);
	if (rows === null) return;
	const lying = encodeHashRows(expected, files.postings(column)).findIndex((row, i) => row !== rows[i]);
	if (lying !== -1) fail(files, column, `the row of word ${lying} of the hash index is ${rows[lying]}`);
}

/** The values of states follow from the rows' codes and the dictionary. Months of older versions have none. */
export function verifyStateValues(
	files: SnapshotFiles,
	column: Column,
	dictionary: Dictionary,
	codes: Codes,
): void {
	const stored = files.stateValues(column);
	if (stored === null) return;
	const expected = encodeStateValues(codes, files.catalog.states, dictionary.offsets, dictionary.heap);
	for (const part of ["offsets", "codes", "rows", "heads"] as const) {
		const wrong = expected[part].findIndex((word, i) => word !== stored[part][i]);
		if (wrong !== -1 || expected[part].length !== stored[part].length)
			fail(files, column, `the ${part} of the values of states differ from those of its rows`);
	}
}

function hasBit(bitmap: Uint32Array, row: number): boolean {
	return ((bitmap[row >>> 5] >>> (row & 31)) & 1) === 1;
}

function contains(bitmap: Uint32Array, other: Uint32Array): boolean {
	for (let i = 0; i < other.length; i++) if ((other[i] & ~bitmap[i]) !== 0) return false;
	return true;
}

function countBits(words: Uint32Array): number {
	let bits = 0;
	for (let i = 0; i < words.length; i++) {
		let word = words[i];
		word -= (word >>> 1) & 0x55555555;
		word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
		bits += (((word + (word >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
	}
	return bits;
}
