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
import { countRows, type Run } from "../columns/runs.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { ValueRows } from "../columns/value-rows.js";
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
	const counter = new RowCounter(column, runs, columns, scratch);
	const dictionary = columns.dictionary.get(column);
	const found: string[] = [];
	// Only the rows of values that match as well as those found decide, which is often a small part of all.
	for (
		let rank = nextRank(matched, -1);
		rank !== null && found.length < limit;
		rank = nextRank(matched, rank)
	)
		for (const code of mostRows(codesOfRank(matched, rank), counter, limit - found.length))
			found.push(dictionary.value(code) as string);
	return found;
}

/** Lower is better: by the cost of the match, then by words. */
function rankOf({ costs, wordCounts }: MatchedValues, code: number): number {
	return costs[code] * 256 + wordCounts[code];
}

/** The best rank of a value that is worse than `rank`; null if no value has one. */
function nextRank(matched: MatchedValues, rank: number): number | null {
	const { codes } = matched;
	let next = Number.MAX_SAFE_INTEGER;
	for (let i = 0; i < codes.length; i++) {
		const other = rankOf(matched, codes[i]);
		if (other > rank && other < next) next = other;
	}
	return next === Number.MAX_SAFE_INTEGER ? null : next;
}

/** The values of a rank, ascending. */
function codesOfRank(matched: MatchedValues, rank: number): number[] {
	const { codes } = matched;
	const equal: number[] = [];
	for (let i = 0; i < codes.length; i++) if (rankOf(matched, codes[i]) === rank) equal.push(codes[i]);
	return equal;
}

/** Up to `limit` of the codes that have rows, by descending rows; those with as many as they are given. */
function mostRows(codes: readonly number[], counter: RowCounter, limit: number): number[] {
	counter.expect(codes.length);
	const best: { readonly code: number; readonly rows: number }[] = [];
	for (const code of codes) {
		const rows = counter.rowsOf(code);
		if (rows === 0 || (best.length === limit && rows <= best[limit - 1].rows)) continue;
		let at = best.length;
		while (at > 0 && best[at - 1].rows < rows) at--;
		best.splice(at, 0, { code, rows });
		if (best.length > limit) best.pop();
	}
	return best.map(({ code }) => code);
}

/**
 * Counts the rows of the runs by code: by binary search in the postings of each value, or, once that would cost more,
 * all of them in one pass over the rows of the runs.
 */
class RowCounter {
	private readonly rows: number;
	private readonly isWhole: boolean;
	/** Counts by postings; null for a column that has none. */
	private readonly listed: ValueRows | null;
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
		this.listed = LISTED_BY_VALUE.has(column.name) ? new ValueRows(column, runs, columns) : null;
	}

	/** Prepares for counting `values` more values. Cost O(1), or O(rows of the runs + distinct) once. */
	expect(values: number): void {
		if (this.counts !== null || (this.listed !== null && this.isWhole)) return;
		const { distinct } = this.columns.dictionary.get(this.column);
		this.searched += values;
		// Clearing the count of a value takes about a quarter of what counting a row does.
		const isFew = this.searched * this.runs.length * COUNTED_VALUE_ROWS <= this.rows + distinct / 4;
		if (this.listed !== null && isFew) return;
		const codes = this.columns.codes.get(this.column);
		const counts = this.scratch.list.subarray(0, distinct + 1).fill(0);
		for (const { from, to } of this.runs) for (let row = from; row < to; row++) counts[codes[row]]++;
		this.counts = counts;
	}

	/** Rows of a value, one of those that were expected. */
	rowsOf(code: number): number {
		if (this.counts !== null) return this.counts[code];
		return this.listed?.ofCode(code) ?? 0;
	}
}
