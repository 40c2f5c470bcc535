/**
 * Predicates: every filter but state and country becomes a half-open range of codes of one column,
 * with the slice of postings or of a permutation that lists its rows.
 *
 * Invariant: `rows` is the exact number of rows of the slice, which holds every match of the
 * predicate within the planned states (and may hold matches outside them where it is global).
 */

import {
	COLUMNS,
	type CodeRange,
	type Column,
	type ColumnName,
	type Dictionary,
	type StateRun,
} from "../formats/index.js";
import { firstIndexAtLeast, firstPositionAtLeast } from "./kernels/codes.js";
import type { PlanningContext } from "./plan.js";
import type { Filters } from "./query.js";

/** Where the rows of a predicate are listed. */
export interface SlicePlan {
	readonly source: "postings" | "permutation" | "byState";
	readonly from: number;
	readonly to: number;
}

export interface PredicatePlan {
	/** Names of the filters it answers. */
	readonly filters: readonly string[];
	readonly column: ColumnName;
	/** Codes [low, high) match. */
	readonly low: number;
	readonly high: number;
	/** Whether the range begins and ends between folds, so that it is contiguous in sort order. */
	readonly aligned: boolean;
	/** Positions in the permutation of the snapshot; only of an aligned range of a sortable column. */
	readonly positions: { readonly from: number; readonly to: number };
	readonly slice: SlicePlan;
	readonly rows: number;
	/** How a bitmap of it comes about: stored for its one code, from cumulative bitmaps, or not at all. */
	readonly bitmap: "code" | "cumulative" | null;
}

interface Asked {
	readonly column: Column;
	readonly filters: readonly string[];
	readonly codes: CodeRange;
	readonly aligned: boolean;
}

/** The predicates of `filters`; `state` is the one state they are narrowed to, if there is one. */
export function resolvePredicates(
	filters: Filters,
	state: StateRun | null,
	context: PlanningContext,
): PredicatePlan[] {
	const predicates: PredicatePlan[] = [];
	for (const column of COLUMNS) {
		const asked = resolveColumn(column, filters, context);
		if (asked !== null) predicates.push(planPredicate(asked, state, context));
	}
	return predicates;
}

function resolveColumn(column: Column, filters: Filters, context: PlanningContext): Asked | null {
	const filter = column.filter;
	if (filter === null || filter.match === "list" || column.name === "country") return null;
	const values = filters as Readonly<Record<string, string | undefined>>;
	if (filter.match === "range") {
		const after = values[`${filter.param}_after`];
		const before = values[`${filter.param}_before`];
		if (after === undefined && before === undefined) return null;
		const names = [`${filter.param}_after`, `${filter.param}_before`].filter((n) => values[n] !== undefined);
		const codes = dateRange(context.columns.dictionary.get(column), after, before);
		return { column, filters: names, codes, aligned: true };
	}
	const value = values[filter.param];
	if (value === undefined) return null;
	const dictionary = context.columns.dictionary.get(column);
	if (filter.match === "prefix") {
		return { column, filters: [filter.param], codes: dictionary.prefixRange(value), aligned: true };
	}
	const code = dictionary.find(value);
	const codes = code === -1 ? { low: 0, high: 0 } : { low: code, high: code + 1 };
	return { column, filters: [filter.param], codes, aligned: dictionary.foldRanks === null };
}

/** Codes of the dates from `after` to `before`, both inclusive. */
function dateRange(dictionary: Dictionary, after: string | undefined, before: string | undefined): CodeRange {
	const low = after === undefined ? 0 : dictionary.lowerBound(after);
	// "~" sorts after every character of a date, so this is the first date past `before`.
	const high = before === undefined ? dictionary.distinct : dictionary.lowerBound(`${before}~`);
	return { low, high: Math.max(low, high) };
}

function planPredicate(asked: Asked, state: StateRun | null, context: PlanningContext): PredicatePlan {
	const { column, codes, aligned } = asked;
	const positions =
		aligned && column.sortable ? permutationRange(column, codes, context) : { from: 0, to: 0 };
	const slice = planSlice(asked, positions, state, context);
	return {
		filters: asked.filters,
		column: column.name,
		low: codes.low,
		high: codes.high,
		aligned,
		positions,
		slice,
		rows: slice.to - slice.from,
		bitmap: bitmapOf(column, codes, context),
	};
}

function permutationRange(column: Column, codes: CodeRange, context: PlanningContext) {
	const { offsets } = context.columns.permutation.get(column);
	const dictionary = context.columns.dictionary.get(column);
	// The range is aligned, so the rank of its last code is the last rank inside it.
	if (codes.low === codes.high) return { from: 0, to: 0 };
	return { from: offsets[dictionary.rank(codes.low)], to: offsets[dictionary.rank(codes.high - 1) + 1] };
}

function planSlice(
	asked: Asked,
	positions: { from: number; to: number },
	state: StateRun | null,
	context: PlanningContext,
): SlicePlan {
	const { column, codes } = asked;
	if (codes.low === codes.high) return { source: "postings", from: 0, to: 0 };
	if (asked.aligned && column.sortable) {
		const { byState } = context.columns.permutation.get(column);
		if (state === null || byState === null) return { source: "permutation", ...positions };
		const end = state.first + state.rows;
		const rowCodes = context.columns.codes.get(column);
		const from = firstPositionAtLeast(byState, rowCodes, state.first, end, codes.low);
		return { source: "byState", from, to: firstPositionAtLeast(byState, rowCodes, from, end, codes.high) };
	}
	const { offsets, rows } = context.columns.postings.get(column);
	const from = offsets[codes.low];
	const to = offsets[codes.high];
	if (state === null || codes.high - codes.low > 1) return { source: "postings", from, to };
	const first = firstIndexAtLeast(rows, from, to, state.first);
	return {
		source: "postings",
		from: first,
		to: firstIndexAtLeast(rows, first, to, state.first + state.rows),
	};
}

function bitmapOf(column: Column, codes: CodeRange, context: PlanningContext): PredicatePlan["bitmap"] {
	if (column.filter?.match === "range") {
		return context.columns.cumulativeBitmaps.get(column) === null ? null : "cumulative";
	}
	if (codes.high - codes.low !== 1) return null;
	return (context.columns.bitmaps.get(column)?.find(codes.low) ?? null) === null ? null : "code";
}
