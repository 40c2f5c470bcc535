/**
 * A predicate's rows as a bitmap: the union of its terms, or the complement of that. A term's bitmap is
 * stored, made of cumulative bitmaps, or set row by row from its slice.
 *
 * Bitmaps are made within ascending, disjoint ranges of their words: one for each run of the selection, or one from
 * the first run to the last. Rows outside of all ranges may be set or not.
 */

import {
	type CumulativeBitmaps,
	columnNamed,
	invariant,
	type Postings,
	type Range,
} from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { clearRows, copyWords, setRows } from "../kernels/bitmap.js";
import { listMatches } from "../kernels/bitmap-probe.js";
import { firstIndexAtLeast } from "../kernels/codes.js";
import {
	orAll,
	storeAnd,
	storeAndNot,
	storeDifference,
	storeDifferenceOr,
} from "../kernels/combine-bitmaps.js";
import { isAscending, onlyTerm, type PredicatePlan, type TermPlan } from "../plan/plan.js";
import type { Scratch } from "../scratch.js";
import { takeWithin } from "./order-slices.js";

/** Ascending, disjoint ranges of words. */
type Parts = readonly Range[];

/**
 * A bitmap of the predicate's rows, correct within `parts`: stored, or made in `target`. Of a complement, rows past
 * the last are set.
 */
export function predicateBitmap(
	predicate: PredicatePlan,
	columns: SnapshotColumns,
	target: Uint32Array,
	parts: Parts,
): Uint32Array {
	const term = onlyTerm(predicate);
	if (term !== null) return termBitmap(predicate, term, columns, target, parts);
	uniteTerms(predicate, columns, target, parts);
	if (predicate.negated)
		for (const { from, to } of parts) for (let i = from; i < to; i++) target[i] = ~target[i];
	return target;
}

/** Removes the rows from `scratch.selected` that do not meet the predicate, within `parts`. */
export function intersectPredicate(
	predicate: PredicatePlan,
	columns: SnapshotColumns,
	scratch: Scratch,
	parts: Parts,
): void {
	const { selected } = scratch;
	const term = onlyTerm(predicate);
	if (term !== null && term.bitmap === "cumulative") {
		intersectCumulative(cumulativeRange(predicate, term, columns), scratch, parts);
		return;
	}
	const { negated, terms } = predicate;
	// One excluded term needs no copy of its bitmap.
	const words =
		negated && terms.length === 1
			? termBitmap(predicate, terms[0], columns, scratch.predicate, parts)
			: negated
				? uniteTerms(predicate, columns, scratch.predicate, parts)
				: predicateBitmap(predicate, columns, scratch.predicate, parts);
	for (const { from, to } of parts) {
		if (negated) storeDifference(selected, selected, words, from, to);
		else storeAnd(selected, selected, words, from, to);
	}
}

/** The union of a predicate's terms, made in `target`. */
function uniteTerms(
	predicate: PredicatePlan,
	columns: SnapshotColumns,
	target: Uint32Array,
	parts: Parts,
): Uint32Array {
	clearWords(target, parts);
	const allStored: Uint32Array[] = [];
	for (const term of predicate.terms) {
		const stored = storedWords(predicate, term, columns);
		if (stored !== null) allStored.push(stored);
		else if (term.bitmap === "cumulative")
			uniteCumulative(cumulativeRange(predicate, term, columns), target, parts);
		else setTermRows(predicate, term, columns, target, parts);
	}
	for (const { from, to } of parts) orAll(target, allStored, from, to);
	return target;
}

function clearWords(target: Uint32Array, parts: Parts): void {
	for (const { from, to } of parts) target.fill(0, from, to);
}

/** Sets a term's rows: those within `parts` where its slice ascends, else all. */
function setTermRows(
	predicate: PredicatePlan,
	term: TermPlan,
	columns: SnapshotColumns,
	target: Uint32Array,
	parts: Parts,
): void {
	const rows = sliceRows(predicate, term, columns);
	const { from, to } = term.slice;
	if (!isAscending(term)) {
		setRows(target, rows, from, to);
		return;
	}
	let next = from;
	for (const part of parts) {
		const first = firstIndexAtLeast(rows, next, to, part.from << 5);
		next = firstIndexAtLeast(rows, first, to, part.to << 5);
		setRows(target, rows, first, next);
	}
}

function termBitmap(
	predicate: PredicatePlan,
	term: TermPlan,
	columns: SnapshotColumns,
	target: Uint32Array,
	parts: Parts,
): Uint32Array {
	const stored = storedWords(predicate, term, columns);
	if (stored !== null) return stored;
	if (term.bitmap === null) {
		clearWords(target, parts);
		setTermRows(predicate, term, columns, target, parts);
		return target;
	}
	const { order, from, to, upper, lower, upperBound, lowerBound } = cumulativeRange(predicate, term, columns);
	for (const part of parts) {
		if (upper === null) target.fill(0, part.from, part.to);
		else if (lower === null) copyWords(target, upper, part.from, part.to);
		else storeDifference(target, upper, lower, part.from, part.to);
	}
	// Now target holds positions [lowerBound, upperBound). What is set below is inside [from, to) and
	// what is cleared is outside of it, so the order of the four does not matter.
	setWithin(target, order, Math.max(upperBound, from), to, parts);
	clearWithin(target, order, Math.max(lowerBound, to), upperBound, parts);
	clearWithin(target, order, lowerBound, Math.min(from, upperBound), parts);
	setWithin(target, order, from, Math.min(lowerBound, to), parts);
	return target;
}

/** Sets the rows at positions [from, to) of an order: those within `parts`, and maybe others. */
function setWithin(target: Uint32Array, order: Postings, from: number, to: number, parts: Parts): void {
	takeWithin(order, from, to, parts, (first, end) => setRows(target, order.rows, first, end));
}

/** As {@link setWithin}, clearing them. */
function clearWithin(target: Uint32Array, order: Postings, from: number, to: number, parts: Parts): void {
	takeWithin(order, from, to, parts, (first, end) => clearRows(target, order.rows, first, end));
}

function intersectCumulative(cumulative: CumulativeRange, { selected, list }: Scratch, parts: Parts): void {
	const { order, from, to, upper, lower, upperBound, lowerBound } = cumulative;
	// Rows inside [from, to) but not between the bounds are remembered, since the bitmaps remove them.
	let kept = 0;
	const remember = (first: number, end: number) => {
		kept = listMatches(order.rows, selected, first, end, list, kept);
	};
	takeWithin(order, Math.max(upperBound, from), to, parts, remember);
	takeWithin(order, from, Math.min(lowerBound, to), parts, remember);
	for (const part of parts) {
		if (upper === null) selected.fill(0, part.from, part.to);
		else if (lower === null) storeAnd(selected, selected, upper, part.from, part.to);
		else storeAndNot(selected, selected, upper, lower, part.from, part.to);
	}
	clearWithin(selected, order, Math.max(lowerBound, to), upperBound, parts);
	clearWithin(selected, order, lowerBound, Math.min(from, upperBound), parts);
	setRows(selected, list, 0, kept);
}

/**
 * Adds positions [from, to) to `target`. Only bounds inside of the range are used, so that nothing has to be
 * cleared, which might be in another term.
 */
function uniteCumulative(
	{ order, from, to, cumulative }: CumulativeRange,
	target: Uint32Array,
	parts: Parts,
): void {
	const { bounds } = cumulative;
	const lower = bounds.findIndex((bound) => bound >= from);
	let upper = bounds.length - 1;
	while (upper >= 0 && bounds[upper] > to) upper--;
	if (lower === -1 || upper <= lower) {
		setWithin(target, order, from, to, parts);
		return;
	}
	for (const part of parts)
		storeDifferenceOr(target, cumulative.bitmap(upper), cumulative.bitmap(lower), part.from, part.to);
	setWithin(target, order, from, bounds[lower], parts);
	setWithin(target, order, bounds[upper], to, parts);
}

/** The stored bitmap of a term; null where it has none. */
export function storedWords(
	{ column }: PredicatePlan,
	{ bitmap, codes }: TermPlan,
	columns: SnapshotColumns,
): Uint32Array | null {
	if (bitmap === "missing") return columns.missing.get(columnNamed(column)).words;
	if (bitmap !== "code") return null;
	const stored = columns.bitmaps.get(columnNamed(column))?.find(codes.from);
	invariant(stored !== null && stored !== undefined, "a planned bitmap exists");
	return stored;
}

/** Positions [from, to) of an order, and the cumulative bitmaps whose bounds are nearest to both ends. */
interface CumulativeRange extends Range {
	readonly order: Postings;
	readonly cumulative: CumulativeBitmaps;
	/** The rows at positions below `upperBound`; null for none. */
	readonly upper: Uint32Array | null;
	/** The rows at positions below `lowerBound`, which is at most `upperBound`; null for none. */
	readonly lower: Uint32Array | null;
	readonly upperBound: number;
	readonly lowerBound: number;
}

function cumulativeRange(
	predicate: PredicatePlan,
	term: TermPlan,
	columns: SnapshotColumns,
): CumulativeRange {
	const column = columnNamed(predicate.column);
	const cumulative = columns.cumulativeBitmaps.get(column);
	invariant(cumulative !== null, "planned cumulative bitmaps exist");
	const { from, to } = term.positions;
	const upper = cumulative.nearest(to);
	const lower = cumulative.nearest(from);
	return {
		order: columns.cumulativeOrder.get(column),
		cumulative,
		from,
		to,
		upper: upper === -1 ? null : cumulative.bitmap(upper),
		lower: lower === -1 ? null : cumulative.bitmap(lower),
		upperBound: upper === -1 ? 0 : cumulative.bounds[upper],
		lowerBound: lower === -1 ? 0 : cumulative.bounds[lower],
	};
}

/** The rows that a term's slice indexes. */
export function sliceRows(
	predicate: PredicatePlan,
	{ slice }: TermPlan,
	columns: SnapshotColumns,
): Uint32Array {
	const column = columnNamed(predicate.column);
	switch (slice.source) {
		case "postings":
			return columns.postings.get(column).rows;
		case "permutation":
			return columns.permutation.get(column).rows;
		case "byState": {
			const { byState } = columns.permutation.get(column);
			invariant(byState !== null, "a planned state permutation exists");
			return byState;
		}
		case "none":
			throw new TypeError("no list holds the rows of the term");
	}
}
