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
	type NameIndex,
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

const identities = new WeakMap<NameIndex, Codes>();

/** The codes of the values that an index lists: the identity. */
function codesOf(index: NameIndex): Codes {
	const known = identities.get(index) ?? Uint32Array.from(index.wordCounts, (_, code) => code);
	identities.set(index, known);
	return known;
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
	const search = nameSearch(index, codesOf(index));
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
	const rowsOf = rowCounter(column, codes.length, runs, columns);
	const found: { code: number; rank: number; rows: number }[] = [];
	for (const code of codes) {
		const rows = rowsOf(code);
		if (rows > 0) found.push({ code, rank: costs[code] * 256 + wordCounts[code], rows });
	}
	found.sort((a, b) => a.rank - b.rank || b.rows - a.rows || a.code - b.code);
	const dictionary = columns.dictionary.get(column);
	return found.slice(0, limit).map(({ code }) => dictionary.value(code) as string);
}

/**
 * Counts the rows of the runs by code: by binary search in the postings of each value for few codes, in one pass over the
 * rows of the runs for many.
 */
function rowCounter(
	column: Column,
	count: number,
	runs: readonly Run[],
	columns: SnapshotColumns,
): (code: number) => number {
	const isWhole = countRows(runs) === columns.rows;
	if (count === 0) return () => 0;
	const { distinct } = columns.dictionary.get(column);
	// Clearing the count of a value takes about a quarter of what counting a row does.
	const isFew = count * runs.length * COUNTED_VALUE_ROWS <= countRows(runs) + distinct / 4;
	if (LISTED_BY_VALUE.has(column.name) && (isWhole || isFew)) {
		const { offsets, rows } = columns.postings.get(column);
		if (isWhole) return (code) => offsets[code + 1] - offsets[code];
		return (code) => countWithin(runs, rows, offsets[code], offsets[code + 1]);
	}
	const codes = columns.codes.get(column);
	const counts = new Uint32Array(distinct + 1);
	for (const { from, to } of runs) for (let row = from; row < to; row++) counts[codes[row]]++;
	return (code) => counts[code];
}
