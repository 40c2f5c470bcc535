/**
 * Predicates: every filter but state and country becomes a range of codes of one column, with the slice
 * of postings or of a permutation that lists its rows.
 *
 * Invariant: `rows` is the exact number of rows of the slice, which holds every match within the planned
 * states (and, where the slice is global, rows of other states).
 */

import {
	type Column,
	columnNamed,
	columnsFilteredBy,
	DATE_RANGES,
	type Dictionary,
	FILTERS,
	type Range,
	type StateRun,
} from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { firstIndexAtLeast, firstPositionAtLeast } from "../kernels/codes.js";
import type { Filters } from "../query.js";
import { COST_NS, UNNARROWED_ROWS_MAX } from "../tuning.js";
import type { PlanningContext } from "./context.js";
import type { PredicatePlan, SlicePlan } from "./plan.js";

/** A column's filters as codes, before it is known how to find their rows. */
export interface AskedCodes {
	readonly column: Column;
	readonly filters: readonly string[];
	readonly codes: Range;
	readonly aligned: boolean;
}

/** A column's filter, or the two date bounds of one. */
interface FilteredColumn {
	readonly column: Column;
	/** Position in the table of filters. */
	readonly place: number;
	readonly match: "prefix" | "exact" | "range";
	/** The filter's name; of a range, the lower bound's. */
	readonly name: string;
	/** Name of a range's upper bound; else empty. */
	readonly until: string;
}

/** By filter name, the columns whose filters become predicates; state and country become runs instead. */
const FILTERED: ReadonlyMap<string, FilteredColumn> = new Map([
	...FILTERS.flatMap(({ param, column, kind }, place): [string, FilteredColumn][] => {
		if (kind !== "exact" && kind !== "prefix" && kind !== "group") return [];
		const match = kind === "prefix" ? "prefix" : "exact";
		return [[param, { column: columnNamed(column), place, match, name: param, until: "" }]];
	}),
	...DATE_RANGES.flatMap(({ column, from, to }): [string, FilteredColumn][] => {
		const place = FILTERS.findIndex(({ param }) => param === from);
		const range = { column: columnNamed(column), place, match: "range", name: from, until: to } as const;
		return [
			[from, range],
			[to, range],
		];
	}),
]);

/** Columns whose filters name one value, whose bitmap is stored where it is frequent. */
const EXACTLY_FILTERED = columnsFilteredBy("exact", "group");

/**
 * The codes that `filters` ask for, column by column in the order of the table of filters, up to the
 * first that no value matches. Cost O(filters given), whatever the number of filters there are.
 */
export function resolveFilters(filters: Filters, columns: SnapshotColumns): AskedCodes[] {
	const values = filters as Readonly<Record<string, string | undefined>>;
	const asks: FilteredColumn[] = [];
	for (const name in filters) {
		const filtered = FILTERED.get(name);
		if (filtered === undefined || values[name] === undefined || asks.includes(filtered)) continue;
		asks.push(filtered);
	}
	if (asks.length > 1) asks.sort((a, b) => a.place - b.place);
	const resolved: AskedCodes[] = [];
	for (const filtered of asks) {
		const { name, until } = filtered;
		const value = values[name];
		const bound = until === "" ? undefined : values[until];
		const asked = resolveColumn(filtered, value, bound, columns);
		resolved.push(asked);
		if (asked.codes.from === asked.codes.to) break;
	}
	return resolved;
}

/** Whether all values asked for fold alike, so that sorting by their column has no effect. */
export function isOneFold({ column, codes }: AskedCodes, columns: SnapshotColumns): boolean {
	if (codes.to - codes.from <= 1) return codes.to > codes.from;
	const dictionary = columns.dictionary.get(column);
	return dictionary.rank(codes.from) === dictionary.rank(codes.to - 1);
}

function resolveColumn(
	{ column, match, name, until }: FilteredColumn,
	value: string | undefined,
	bound: string | undefined,
	columns: SnapshotColumns,
): AskedCodes {
	const dictionary = columns.dictionary.get(column);
	if (match === "range" || value === undefined) {
		const filters = value === undefined ? [until] : bound === undefined ? [name] : [name, until];
		return { column, filters, codes: dateRange(dictionary, value, bound), aligned: true };
	}
	const filters = [name];
	if (match === "prefix") return { column, filters, codes: dictionary.prefixRange(value), aligned: true };
	const code = dictionary.find(value);
	const codes = code === -1 ? { from: 0, to: 0 } : { from: code, to: code + 1 };
	return { column, filters, codes, aligned: dictionary.foldRanks === null };
}

/** Codes of the dates from `after` to `before`, both inclusive. */
function dateRange(dictionary: Dictionary, after: string | undefined, before: string | undefined): Range {
	const from = after === undefined ? 0 : dictionary.lowerBound(after);
	// "~" sorts after every character of a date, so this is the first date past `before`.
	const to = before === undefined ? dictionary.distinct : dictionary.lowerBound(`${before}~`);
	return { from, to: Math.max(from, to) };
}

/** The predicate that `asked` becomes; `state` is the one state it is narrowed to, if there is one. */
export function planPredicate(
	asked: AskedCodes,
	state: StateRun | null,
	context: PlanningContext,
): PredicatePlan {
	const { column, codes, aligned, filters } = asked;
	const positions =
		aligned && column.sortable ? permutationRange(column, codes, context) : { from: 0, to: 0 };
	const slice = planSlice(asked, positions, state, context);
	const rows = slice.to - slice.from;
	const { bitmap, edgeRows } = bitmapOf(asked, rows, state === null ? context.rows : state.rows, context);
	const isOneCode = codes.to - codes.from === 1;
	return {
		filters,
		column: column.name,
		codes,
		aligned,
		positions,
		slice,
		ascending: slice.source === "postings" ? isOneCode : isOneFold(asked, context.columns),
		rows,
		bitmap,
		edgeRows,
	};
}

function permutationRange(column: Column, codes: Range, context: PlanningContext) {
	const { offsets, rows } = context.columns.permutation.get(column);
	const dictionary = context.columns.dictionary.get(column);
	// The range is aligned, so the rank of its last code is the last rank inside it.
	if (codes.from === codes.to) return { from: 0, to: 0 };
	const to = offsets[dictionary.rank(codes.to - 1) + 1];
	return within(rows, offsets[dictionary.rank(codes.from)], to);
}

/**
 * Positions [from, to), limited to those that exist, so that a corrupt offset cannot make a loop run
 * past the end.
 */
function within(rows: Uint32Array, from: number, to: number): Range {
	const end = Math.min(to, rows.length);
	return { from: Math.min(from, end), to: end };
}

function planSlice(
	asked: AskedCodes,
	positions: Range,
	state: StateRun | null,
	context: PlanningContext,
): SlicePlan {
	const { column, codes } = asked;
	if (codes.from === codes.to) return { source: "postings", from: 0, to: 0 };
	if (asked.aligned && column.sortable) {
		const { byState } = context.columns.permutation.get(column);
		const isFew = positions.to - positions.from <= UNNARROWED_ROWS_MAX;
		if (state === null || byState === null || isFew)
			return { source: "permutation", from: positions.from, to: positions.to };
		const end = state.first + state.rows;
		const rowCodes = context.columns.codes.get(column);
		const from = firstPositionAtLeast(byState, rowCodes, state.first, end, codes.from);
		return { source: "byState", from, to: firstPositionAtLeast(byState, rowCodes, from, end, codes.to) };
	}
	const { offsets, rows } = context.columns.postings.get(column);
	const { from, to } = within(rows, offsets[codes.from], offsets[codes.to]);
	if (state === null || codes.to - codes.from > 1) return { source: "postings", from, to };
	const first = firstIndexAtLeast(rows, from, to, state.first);
	return {
		source: "postings",
		from: first,
		to: firstIndexAtLeast(rows, first, to, state.first + state.rows),
	};
}

function bitmapOf(
	{ column, codes }: AskedCodes,
	rows: number,
	spanRows: number,
	context: PlanningContext,
): Pick<PredicatePlan, "bitmap" | "edgeRows"> {
	if (codes.to - codes.from === 1) {
		const stored = context.columns.bitmaps.get(column)?.find(codes.from) ?? null;
		if (stored !== null) return { bitmap: "code", edgeRows: 0 };
	}
	// Cumulative bitmaps follow the permutation, so they cover ranges that are contiguous in it.
	if (!column.sortable || EXACTLY_FILTERED.has(column.name)) return NO_BITMAP;
	const cumulative = context.columns.cumulativeBitmaps.get(column);
	if (cumulative === null) return NO_BITMAP;
	// Each end of the range lies in a bucket; on average a quarter of the bucket is not covered.
	const edgeRows = context.rows / cumulative.bounds.length / 2;
	const words = spanRows / 32;
	const setting = rows * COST_NS.setRow + words * COST_NS.clearWord;
	const combining = words * COST_NS.andWord + edgeRows * COST_NS.setRow;
	return setting < combining ? NO_BITMAP : { bitmap: "cumulative", edgeRows };
}

const NO_BITMAP = { bitmap: null, edgeRows: 0 } as const;
