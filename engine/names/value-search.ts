/**
 * Search of a column's distinct values by their words, with the matching rules of names (asked-name.ts), to
 * suggest values for a city, an office or a name that no row has.
 *
 * Invariant: which values are found, and in which order, depends only on the rows of the runs, so a caller
 * restricted to these learns nothing about others.
 */

import {
	askedNameFault,
	type Codes,
	type Column,
	LISTED_BY_VALUE,
	nameCompounds,
} from "../../formats/index.js";
import { countRows, countWithin, type Run } from "../columns/runs.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import type { Geography } from "../query.js";
import type { Scratch } from "../scratch.js";
import { COUNTED_VALUE_ROWS } from "../tuning.js";
import { askedName } from "./asked-name.js";
import { nameSearch } from "./name-search.js";

/** Matching values, by code. */
export interface MatchedValues {
	/** Ascending codes. */
	readonly codes: Uint32Array;
	/** The cost of each match, by code. */
	readonly costs: Uint8Array;
	/** Number of words of each value, by code. */
	readonly wordCounts: Uint8Array;
}

/** The identity: code `i` at `i`. One for all months, as long as the longest needs it. */
let identity = new Uint32Array(0);

/** The codes of `values` values, each its own. Cost O(1), or a nanosecond a value where none had as many before. */
function codesOfValues(values: number): Codes {
	if (identity.length < values) {
		identity = new Uint32Array(values);
		for (let code = 0; code < values; code++) identity[code] = code;
	}
	return identity.subarray(0, values);
}

/**
 * The values of `column` in the rows of `geography` that match `text`; null if the month has no index of their
 * words, or `text` contains no word. Cost O(words of similar length + values found).
 */
export function matchValues(
	column: Column,
	text: string,
	geography: Geography | null,
	columns: SnapshotColumns,
	scratch: Scratch,
): MatchedValues | null {
	const index = columns.nameIndex.get(column);
	if (index === null || askedNameFault(nameCompounds(text)) !== null) return null;
	const { wordCounts } = index;
	const search = nameSearch(index, codesOfValues(wordCounts.length));
	const values = [{ from: 0, to: wordCounts.length }];
	const count = search.search(askedName(text), values, columns.granted.words(column, geography), scratch);
	const granted = columns.granted.codes(column, geography);
	const matched = scratch.list.slice(0, count);
	const codes = granted === null ? matched : matched.filter((code) => granted.has(code));
	return { codes, costs: search.costs, wordCounts };
}

/**
 * Up to `limit` values that match `text` and occur in the runs, which belong to `geography`: by match, then by
 * descending rows, then by fold.
 */
export function looseValues(
	column: Column,
	text: string,
	runs: readonly Run[],
	geography: Geography | null,
	limit: number,
	columns: SnapshotColumns,
	scratch: Scratch,
): string[] {
	const matched = matchValues(column, text, geography, columns, scratch);
	if (matched === null) return [];
	const { codes, costs, wordCounts } = matched;
	const counter = new RowCounter(column, runs, columns, scratch);
	const dictionary = columns.dictionary.get(column);
	const ranked = Array.from(codes, (code) => ({ code, rank: costs[code] * 256 + wordCounts[code], rows: 0 }));
	ranked.sort((a, b) => a.rank - b.rank);
	const found: string[] = [];
	// Only the rows of values that match as well as those found decide, which is often a small part of all.
	for (let from = 0; from < ranked.length && found.length < limit; ) {
		let to = from + 1;
		while (to < ranked.length && ranked[to].rank === ranked[from].rank) to++;
		const equal = ranked.slice(from, to);
		counter.expect(equal.length);
		for (const value of equal) value.rows = counter.rowsOf(value.code);
		equal.sort((a, b) => b.rows - a.rows || a.code - b.code);
		for (const { code, rows } of equal)
			if (rows > 0 && found.length < limit) found.push(dictionary.value(code) as string);
		from = to;
	}
	return found;
}

/**
 * Counts the rows of the runs by code: by binary search in the postings of each value, or, once that would cost more,
 * all of them in one pass over the rows of the runs.
 */
class RowCounter {
	private readonly rows: number;
	private readonly isWhole: boolean;
	private readonly isListed: boolean;
	/** Values that were or are to be counted by binary search. */
	private searched = 0;
	/** Rows by code, once they have been counted in one pass. */
	private counts: Uint32Array | null = null;

	constructor(
		private readonly column: Column,
		private readonly runs: readonly Run[],
		private readonly columns: SnapshotColumns,
		private readonly scratch: Scratch,
	) {
		this.rows = countRows(runs);
		this.isWhole = this.rows === columns.rows;
		this.isListed = LISTED_BY_VALUE.has(column.name);
	}

	/** Prepares for counting `values` more values. Cost O(1), or O(rows of the runs + distinct) once. */
	expect(values: number): void {
		if (this.counts !== null || (this.isListed && this.isWhole)) return;
		const { distinct } = this.columns.dictionary.get(this.column);
		this.searched += values;
		// Clearing the count of a value takes about a quarter of what counting a row does.
		const isFew = this.searched * this.runs.length * COUNTED_VALUE_ROWS <= this.rows + distinct / 4;
		if (this.isListed && isFew) return;
		const codes = this.columns.codes.get(this.column);
		const counts = this.scratch.list.subarray(0, distinct + 1).fill(0);
		for (const { from, to } of this.runs) for (let row = from; row < to; row++) counts[codes[row]]++;
		this.counts = counts;
	}

	/** Rows of a value, one of those that were expected. */
	rowsOf(code: number): number {
		if (this.counts !== null) return this.counts[code];
		const { offsets, rows } = this.columns.postings.get(this.column);
		if (this.isWhole) return offsets[code + 1] - offsets[code];
		return countWithin(this.runs, rows, offsets[code], offsets[code + 1]);
	}
}
