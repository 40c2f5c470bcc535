/**
 * Predicates: the codes that filters select in a column, with the lists or bitmaps of their rows. A predicate
 * is the union of terms, one for each range of codes, or the complement of such a union, whichever costs less:
 * `status_not=Active` is the complement of one stored bitmap.
 *
 * Invariant: a term's `rows` is the exact number of rows of its slice, which contains every match within the
 * planned states (and, if the slice is global, rows of other states).
 */

import {
	type Bitmaps,
	type Column,
	columnsFilteredBy,
	LISTED_BY_VALUE,
	type Range,
	type StateRun,
} from "../../formats/index.js";
import { firstIndexAtLeast, firstPositionAtLeast } from "../kernels/codes.js";
import { COST_NS, UNNARROWED_ROWS_MAX } from "../tuning.js";
import { type AskedCodes, isOneFold } from "./asked-codes.js";
import { type CodeSet, complementOf } from "./code-ranges.js";
import type { PlanningContext } from "./context.js";
import { isAscending, type PredicatePlan, type SlicePlan, type TermPlan } from "./plan.js";

/** Columns whose filters select values, whose bitmaps are stored if they are frequent. */
const EXACTLY_FILTERED = columnsFilteredBy("exact", "group");

const NO_ROWS: Range = { from: 0, to: 0 };
const NO_SLICE: SlicePlan = { source: "none", from: 0, to: 0 };
const NO_BITMAP = { bitmap: null, edgeRows: 0 } as const;

/** The predicate of the set `asked`; `state` is the one state it is narrowed to, if there is one. */
export function planPredicate(
	asked: AskedCodes,
	state: StateRun | null,
	context: PlanningContext,
): PredicatePlan {
	const { column, codes, aligned, filters } = asked;
	const span = state === null ? context.rows : state.rows;
	if (codes.length === 0) {
		const terms: TermPlan[] = [];
		return { filters, column: column.name, codes, aligned, negated: false, terms, ascending: false, rows: 0 };
	}
	if (codes.length === 1 && canList(asked, codes) && isCheap(asked, codes[0])) {
		const term = planTerm(asked, codes[0], state, context);
		const { rows, slice } = term;
		const ascending = slice.source === "postings" ? isOneCode(codes[0]) : isOneFold(asked, context.columns);
		return { filters, column: column.name, codes, aligned, negated: false, terms: [term], ascending, rows };
	}
	const { negated, terms } = cheaperSide(asked, span, (side) => planTerms(asked, side, state, context));
	const rows = negated
		? estimateComplement(terms, span, context.rows)
		: terms.reduce((sum, each) => sum + each.rows, 0);
	return { filters, column: column.name, codes, aligned, negated, terms, ascending: false, rows };
}

/** An estimate of the rows among `span` of `all` rows that have none of the terms. */
function estimateComplement(terms: readonly TermPlan[], span: number, all: number): number {
	let rows = span;
	// Terms that are not narrowed have rows of other states too, assumed to be uniformly distributed.
	for (const term of terms) {
		const isNarrowed = term.slice.source === "byState" || isAscending(term);
		rows -= isNarrowed ? term.rows : (term.rows * span) / all;
	}
	return Math.max(1, Math.round(rows));
}

/** The requested set, or its complement, as terms, whichever costs less as a bitmap over `span` rows. */
function cheaperSide(
	asked: AskedCodes,
	span: number,
	plan: (side: CodeSet) => TermPlan[],
): { readonly negated: boolean; readonly terms: readonly TermPlan[] } {
	const { codes, distinct } = asked;
	const others = complementOf(codes, distinct + 1);
	if (!canList(asked, others)) return { negated: false, terms: plan(codes) };
	if (!canList(asked, codes)) return { negated: true, terms: plan(others) };
	// The side without null first: the other may require the rows without a value.
	const hasNull = codes[codes.length - 1].to > distinct;
	const [side, other] = hasNull ? [others, codes] : [codes, others];
	const terms = plan(side);
	const cost = costOf(terms, span);
	const leastOfOther = (other.length * span * COST_NS.andWord) / 32;
	if (cost <= leastOfOther) return { negated: hasNull, terms };
	const otherTerms = plan(other);
	return costOf(otherTerms, span) < cost
		? { negated: !hasNull, terms: otherTerms }
		: { negated: hasNull, terms };
}

/** Whether a single range needs no comparison with its complement: one value, or contiguous in an index. */
function isCheap({ column, aligned, distinct }: AskedCodes, codes: Range): boolean {
	return codes.to <= distinct && ((aligned && column.sortable) || isOneCode(codes));
}

function isOneCode({ from, to }: Range): boolean {
	return to - from === 1;
}

/** Whether there is an index or a bitmap for each range. Null alone has one in every column. */
function canList({ column, distinct, aligned }: AskedCodes, codes: CodeSet): boolean {
	if (column.kind !== "string" && (LISTED_BY_VALUE.has(column.name) || (column.sortable && aligned)))
		return true;
	return codes.every(({ from }) => from === distinct);
}

/**
 * One term for each range, except that null has a term of its own if the index does not list it, and so has each
 * code with a stored bitmap, which costs less than setting its rows one by one.
 */
function planTerms(
	asked: AskedCodes,
	codes: CodeSet,
	state: StateRun | null,
	context: PlanningContext,
): TermPlan[] {
	const { distinct, aligned, column } = asked;
	const isIndexed = aligned && column.sortable;
	const terms: TermPlan[] = [];
	for (const range of codes) {
		if (isIndexed) terms.push(planTerm(asked, range, state, context));
		else {
			const to = Math.min(range.to, distinct);
			for (const part of splitAtBitmaps({ from: range.from, to }, context.columns.bitmaps.get(column)))
				terms.push(planTerm(asked, part, state, context));
			if (range.to > distinct) terms.push(missingTerm(asked, context));
		}
	}
	return terms;
}

/** A range of codes in parts: each code with a stored bitmap alone, the others joined. Cost O(log codes + parts). */
function splitAtBitmaps({ from, to }: Range, bitmaps: Bitmaps | null): CodeSet {
	const parts: Range[] = [];
	let next = from;
	if (bitmaps !== null) {
		const { codes } = bitmaps;
		for (let i = firstIndexAtLeast(codes, 0, codes.length, from); i < codes.length && codes[i] < to; i++) {
			if (next < codes[i]) parts.push({ from: next, to: codes[i] });
			next = codes[i] + 1;
			parts.push({ from: codes[i], to: next });
		}
	}
	if (next < to) parts.push({ from: next, to });
	return parts;
}

/** The rows without a value, by a bitmap that is computed at first use. */
function missingTerm({ column, distinct }: AskedCodes, { columns }: PlanningContext): TermPlan {
	return {
		codes: { from: distinct, to: distinct + 1 },
		positions: NO_ROWS,
		slice: NO_SLICE,
		rows: columns.missing.get(column).count,
		bitmap: "missing",
		edgeRows: 0,
	};
}

function planTerm(
	asked: AskedCodes,
	codes: Range,
	state: StateRun | null,
	context: PlanningContext,
): TermPlan {
	const { column } = asked;
	const positions = isContiguous(asked) ? positionsOf(column, codes, context) : NO_ROWS;
	const slice = planSlice(asked, codes, positions, state, context);
	const rows = slice.to - slice.from;
	const span = state === null ? context.rows : state.rows;
	// No object spread: it would cost as much as the rest of planning a single value.
	const { bitmap, edgeRows } = bitmapOf(asked, codes, rows, span, context);
	return { codes, positions, slice, rows, bitmap, edgeRows };
}

/** Nanoseconds to make a bitmap of the union of terms over `span` rows. */
export function costOf(terms: readonly TermPlan[], span: number): number {
	const words = span / 32;
	let cost = 0;
	for (const { bitmap, rows, edgeRows } of terms) {
		cost += words * COST_NS.andWord;
		if (bitmap === null) cost += rows * COST_NS.setRow + words * COST_NS.clearWord;
		if (bitmap === "cumulative") cost += words * COST_NS.andWord + edgeRows * COST_NS.setRow;
	}
	return cost;
}

/**
 * Whether each range of codes is contiguous in the order of rows by value: in the permutation, if it begins and ends
 * between folds, and always in the postings of a column without one.
 */
function isContiguous({ column, aligned }: AskedCodes): boolean {
	return column.sortable ? aligned : column.kind !== "string" && LISTED_BY_VALUE.has(column.name);
}

/** Positions of codes in the snapshot's permutation, else in the postings; rows without a value are last or in none. */
function positionsOf(column: Column, codes: Range, context: PlanningContext): Range {
	if (!column.sortable) {
		const { offsets, rows } = context.columns.postings.get(column);
		return within(rows, offsets[codes.from], offsets[codes.to]);
	}
	const { offsets, rows } = context.columns.permutation.get(column);
	const dictionary = context.columns.dictionary.get(column);
	// The range is aligned, so the rank of its last code is the last rank inside it.
	if (codes.from === codes.to) return NO_ROWS;
	const to = codes.to > dictionary.distinct ? rows.length : offsets[dictionary.rank(codes.to - 1) + 1];
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
	codes: Range,
	positions: Range,
	state: StateRun | null,
	context: PlanningContext,
): SlicePlan {
	const { column } = asked;
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
	const { from, to } = column.sortable ? within(rows, offsets[codes.from], offsets[codes.to]) : positions;
	if (state === null || !isOneCode(codes)) return { source: "postings", from, to };
	const first = firstIndexAtLeast(rows, from, to, state.first);
	return {
		source: "postings",
		from: first,
		to: firstIndexAtLeast(rows, first, to, state.first + state.rows),
	};
}

function bitmapOf(
	asked: AskedCodes,
	codes: Range,
	rows: number,
	spanRows: number,
	context: PlanningContext,
): Pick<TermPlan, "bitmap" | "edgeRows"> {
	const { column, distinct } = asked;
	if (isOneCode(codes)) {
		const stored = context.columns.bitmaps.get(column)?.find(codes.from) ?? null;
		if (stored !== null) return { bitmap: "code", edgeRows: 0 };
		if (EXACTLY_FILTERED.has(column.name) && codes.from < distinct) return NO_BITMAP;
	}
	if (!isContiguous(asked)) return NO_BITMAP;
	const cumulative = context.columns.cumulativeBitmaps.get(column);
	if (cumulative === null) return NO_BITMAP;
	// Each end of the range is inside a bucket; on average a quarter of the bucket is not covered.
	const edgeRows = context.rows / cumulative.bounds.length / 2;
	const words = spanRows / 32;
	const setting = rows * COST_NS.setRow + words * COST_NS.clearWord;
	const combining = words * COST_NS.andWord + edgeRows * COST_NS.setRow;
	// Rows without a value follow the last bound, so cumulative bitmaps do not help to set them.
	return setting < combining || codes.from === distinct ? NO_BITMAP : { bitmap: "cumulative", edgeRows };
}
