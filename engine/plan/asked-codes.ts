/**
 * Filters as sets of codes: every filter except state and country, which become runs of rows, is a set of codes
 * of one column. Filters on the same column are intersected.
 *
 * Invariant: every value and range of a set occurs in a granted row. Others are dropped like values that occur
 * nowhere, so neither the plan nor its cost distinguishes them.
 */

import {
	COLUMNS,
	type Column,
	type ColumnName,
	columnNamed,
	type Dictionary,
	FILTERS_BY_NAME,
	type Filter,
	type FilterKind,
	type Postings,
	type Range,
} from "../../formats/index.js";
import type { GrantedRanges } from "../columns/grant-search.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import type { Filters, Geography } from "../query.js";
import { type CodeSet, complementOf, intersectionOf, NO_CODES, unionOf } from "./code-ranges.js";

/** The filters on a column as a set of codes, before an access path is chosen. */
export interface AskedCodes {
	readonly column: Column;
	/** Names of the filters. */
	readonly filters: readonly string[];
	readonly codes: CodeSet;
	/** Number of values, which is the code of null. A column without a dictionary has one value, code 0. */
	readonly distinct: number;
	/** Whether every range begins and ends between folds, so that it is contiguous in sort order. */
	readonly aligned: boolean;
}

interface Ask {
	readonly column: Column;
	readonly filter: Filter;
	readonly value: string | readonly string[];
}

/** Position of each column in the table of columns. */
const PLACES: ReadonlyMap<ColumnName, number> = new Map(COLUMNS.map(({ name }, place) => [name, place]));

/** A filter that is a set of codes, with its column; null: its values are the columns. */
interface Resolvable {
	readonly filter: Filter;
	readonly column: Column | null;
}

/** By name: one look-up for each filter of a query. */
const RESOLVABLE: ReadonlyMap<string, Resolvable> = new Map(
	[...FILTERS_BY_NAME]
		.filter(([, filter]) => !isAnsweredElsewhere(filter))
		.map(([name, filter]) => [
			name,
			{ filter, column: filter.column === null ? null : columnNamed(filter.column) },
		]),
);

/** Whether a filter is not a set of codes: states and countries become runs, names are searched by their words. */
function isAnsweredElsewhere({ kind }: Filter): boolean {
	return kind === "state" || kind === "country" || kind === "name";
}

/**
 * The codes that `filters` select, by column in the order of the table of columns, up to the first column in
 * which no value matches a row of `geography`. Cost O(values given × log distinct).
 */
export function resolveFilters(
	filters: Filters,
	geography: Geography | null,
	columns: SnapshotColumns,
): AskedCodes[] {
	const asks = asksOf(filters);
	const resolved: AskedCodes[] = [];
	for (let i = 0; i < asks.length; ) {
		const { column } = asks[i];
		let end = i + 1;
		while (end < asks.length && asks[end].column === column) end++;
		const own = end - i === asks.length ? asks : asks.slice(i, end);
		const asked = resolveColumn(column, own, geography, columns);
		i = end;
		if (asked === null) continue;
		resolved.push(asked);
		if (asked.codes.length === 0) break;
	}
	return resolved;
}

/** Each filter with each column that it reads, in the order of the table of columns. */
function asksOf(filters: Filters): Ask[] {
	const values = filters as Readonly<Record<string, string | readonly string[] | undefined>>;
	const asks: Ask[] = [];
	for (const name in filters) {
		const resolvable = RESOLVABLE.get(name);
		const value = values[name];
		if (resolvable === undefined || value === undefined) continue;
		const { filter, column } = resolvable;
		if (column !== null) asks.push({ column, filter, value });
		else
			for (const each of listOf(value)) asks.push({ column: columnNamed(each as ColumnName), filter, value });
	}
	if (asks.length > 1) asks.sort((a, b) => placeOf(a) - placeOf(b));
	return asks;
}

function placeOf({ column }: Ask): number {
	return PLACES.get(column.name) as number;
}

/** The codes of one column; null if every row matches. */
function resolveColumn(
	column: Column,
	asks: readonly Ask[],
	geography: Geography | null,
	columns: SnapshotColumns,
): AskedCodes | null {
	// One filter is the most frequent case: the closures of the others would cost as much as the rest.
	const filters = asks.length === 1 ? [asks[0].filter.param] : asks.map(({ filter }) => filter.param);
	if (column.kind === "id" || column.kind === "snapshot") {
		// Every row has both, so `present` matches every row and `missing` none.
		const isMet = asks.every(({ filter }) => filter.kind === "present");
		return isMet ? null : { column, filters, codes: NO_CODES, distinct: 1, aligned: true };
	}
	const dictionary = column.kind === "string" ? null : columns.dictionary.get(column);
	const distinct = dictionary?.distinct ?? 1;
	const granted = geography === null ? null : grantedOf(column, asks, distinct, geography, columns);
	let codes = codesOf(asks[0], distinct, dictionary, granted, columns);
	for (let i = 1; i < asks.length; i++)
		codes = intersectionOf(codes, codesOf(asks[i], distinct, dictionary, granted, columns));
	// The union of granted ranges is granted, and needs no further look.
	if (granted !== null && (asks.length > 1 || !hasGrantedRanges(asks[0])))
		codes = codes.filter((range) => granted.hasAny(range));
	const isFolded = dictionary !== null && dictionary.foldRanks !== null;
	const aligned = !isFolded || (asks.length === 1 ? isBoundedByFolds(asks[0]) : asks.every(isBoundedByFolds));
	return { column, filters, codes, distinct, aligned };
}

/** What tells which values of a column rows of `geography` have; null if these are all rows. */
function grantedOf(
	column: Column,
	asks: readonly Ask[],
	distinct: number,
	geography: Geography,
	{ granted }: SnapshotColumns,
): GrantedRanges | null {
	const others = asks.filter((ask) => !isPresence(ask));
	if (others.length === 0) return granted.presence(column, distinct, geography);
	if (others.every(isRange)) return granted.ranges(column, geography);
	return granted[others.every(isSingle) ? "singleValues" : "values"](column, geography);
}

/** Whether a filter only asks whether there is a value. */
function isPresence({ filter: { kind } }: Ask): boolean {
	return kind === "present" || kind === "missing";
}

/** Whether each value of a filter is that of one code at most. */
function isSingle({ filter: { kind, spellings } }: Ask): boolean {
	return kind === "exact" && spellings === null;
}

/** Whether the codes of a filter are the union of ranges of which each was looked for in granted rows. */
function hasGrantedRanges(ask: Ask): boolean {
	return ask.filter.kind !== "not" && !isPresence(ask);
}

/** Whether the values of a filter are ranges that begin and end between folds. */
function isRange({ filter: { kind } }: Ask): boolean {
	return RANGES.has(kind);
}

const RANGES: ReadonlySet<FilterKind> = new Set<FilterKind>(["prefix", "fold", "from", "to"]);

/** Whether the codes of a filter begin and end between folds. */
function isBoundedByFolds({ filter }: Ask): boolean {
	return filter.kind !== "exact" && filter.kind !== "not";
}

function codesOf(
	ask: Ask,
	distinct: number,
	dictionary: Dictionary | null,
	granted: GrantedRanges | null,
	columns: SnapshotColumns,
): CodeSet {
	const { filter, value } = ask;
	if (filter.kind === "present") return unionOf([{ from: 0, to: distinct }]);
	if (filter.kind === "missing") return [{ from: distinct, to: distinct + 1 }];
	if (dictionary === null) return NO_CODES;
	switch (filter.kind) {
		case "exact":
			return unionOf(exactRanges(ask, dictionary, granted, columns));
		case "group":
			return unionOf(rangesOf(value, granted, (each) => exactRange(dictionary, each)));
		case "not":
			return complementOf(
				unionOf(rangesOf(value, granted, (each) => exactRange(dictionary, each))),
				distinct + 1,
			);
		case "prefix":
			return unionOf(rangesOf(value, granted, (each) => dictionary.prefixRange(each)));
		case "fold":
			return unionOf(rangesOf(value, granted, (each) => foldRange(dictionary, each, granted)));
		case "from":
			return unionOf(
				rangesOf(value, granted, (each) => ({ from: dictionary.lowerBound(each), to: distinct })),
			);
		case "to":
			// "~" sorts after every character of a date, so this is the first date past the bound.
			return unionOf(
				rangesOf(value, granted, (each) => ({ from: 0, to: dictionary.lowerBound(`${each}~`) })),
			);
		default:
			return NO_CODES;
	}
}

/** The ranges of the given values, without those that no granted row is in. */
function rangesOf(
	value: string | readonly string[],
	granted: GrantedRanges | null,
	range: (value: string) => Range,
): readonly Range[] {
	const ranges = typeof value === "string" ? [range(value)] : value.map(range);
	return granted === null ? ranges : ranges.filter((each) => granted.hasAny(each));
}

/** The ranges of the given values in all of their spellings. */
function exactRanges(
	{ column, filter: { spellings }, value }: Ask,
	dictionary: Dictionary,
	granted: GrantedRanges | null,
	columns: SnapshotColumns,
): readonly Range[] {
	// The rows of a value are nearly always read next.
	const postings = granted === null ? columns.postings.get(column) : null;
	if (spellings !== null) return spelledRanges(listOf(value), spellings, dictionary, granted, postings);
	// One value is the most frequent case: a closure takes a quarter of what it costs.
	return typeof value === "string" && granted === null
		? [exactRange(dictionary, value, postings)]
		: rangesOf(value, granted, (each) => exactRange(dictionary, each, postings));
}

/** As {@link exactRanges}, of a filter whose values have other spellings. */
function spelledRanges(
	values: readonly string[],
	spellings: (value: string) => readonly string[],
	dictionary: Dictionary,
	granted: GrantedRanges | null,
	postings: Postings | null,
): readonly Range[] {
	const ranges = values.flatMap((value) => {
		const spelled = spellings(value);
		if (spelled.length === 0) return [exactRange(dictionary, value, postings)];
		return spelled.map((text) =>
			HAS_LETTER.test(text) ? foldRange(dictionary, text, granted) : exactRange(dictionary, text, postings),
		);
	});
	return granted === null ? ranges : ranges.filter((range) => granted.hasAny(range));
}

/** Of a spelling: whether it may be in another letter case. Without letters it has one code, which a hash table finds. */
const HAS_LETTER = /[a-z]/i;

function listOf(value: string | readonly string[]): readonly string[] {
	return typeof value === "string" ? [value] : value;
}

function exactRange(dictionary: Dictionary, value: string, postings: Postings | null = null): Range {
	const code = dictionary.find(value, postings);
	return code === -1 ? { from: 0, to: 0 } : { from: code, to: code + 1 };
}

/** The codes whose fold is that of `value`. */
function foldRange(dictionary: Dictionary, value: string, granted: GrantedRanges | null): Range {
	// Values that are not granted are not compared, since that would take time.
	// They are looked up in empty ranges too, which takes the same time.
	if (granted?.hasAny(dictionary.prefixRange(value)) === false) return { from: 0, to: 0 };
	return dictionary.foldRange(value);
}

/** Whether all values of the filter fold alike, so that sorting by their column has no effect. */
export function isOneFold({ column, codes, distinct }: AskedCodes, columns: SnapshotColumns): boolean {
	if (codes.length !== 1) return false;
	const [{ from, to }] = codes;
	if (to - from === 1) return true;
	if (column.kind === "string" || to > distinct) return false;
	const dictionary = columns.dictionary.get(column);
	return dictionary.rank(from) === dictionary.rank(to - 1);
}
