/**
 * A predicate's rows as a bitmap: the union of its terms, or the complement of that. A term's bitmap is
 * stored, made of cumulative bitmaps, or set row by row from its slice.
 */

import { type CumulativeBitmaps, columnNamed, invariant, type Range } from "../../formats/index.js";
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

/**
 * A bitmap of the predicate's rows, correct within `range` of its words: stored, or made in `target`, which
 * may then have rows outside of the range too. Of a complement, rows past the last are set.
 */
export function predicateBitmap(
	predicate: PredicatePlan,
	columns: SnapshotColumns,
	target: Uint32Array,
	range: Range,
): Uint32Array {
	const term = onlyTerm(predicate);
	if (term !== null) return termBitmap(predicate, term, columns, target, range);
	uniteTerms(predicate, columns, target, range);
	if (predicate.negated) for (let i = range.from; i < range.to; i++) target[i] = ~target[i];
	return target;
}

/** Removes the rows from `scratch.selected` that do not meet the predicate, within `range` of its words. */
export function intersectPredicate(
	predicate: PredicatePlan,
	columns: SnapshotColumns,
	scratch: Scratch,
	range: Range,
): void {
	const { selected } = scratch;
	const term = onlyTerm(predicate);
	if (term !== null && term.bitmap === "cumulative") {
		intersectCumulative(cumulativeRange(predicate, term, columns), scratch, range);
		return;
	}
	const { negated, terms } = predicate;
	// One excluded term needs no copy of its bitmap.
	const words =
		negated && terms.length === 1
			? termBitmap(predicate, terms[0], columns, scratch.predicate, range)
			: negated
				? uniteTerms(predicate, columns, scratch.predicate, range)
				: predicateBitmap(predicate, columns, scratch.predicate, range);
	if (negated) storeDifference(selected, selected, words, range.from, range.to);
	else storeAnd(selected, selected, words, range.from, range.to);
}

/** The union of a predicate's terms, made in `target`. */
function uniteTerms(
	predicate: PredicatePlan,
	columns: SnapshotColumns,
	target: Uint32Array,
	range: Range,
): Uint32Array {
	target.fill(0, range.from, range.to);
	const allStored: Uint32Array[] = [];
	for (const term of predicate.terms) {
		const stored = storedWords(predicate, term, columns);
		if (stored !== null) allStored.push(stored);
		else if (term.bitmap === "cumulative")
			uniteCumulative(cumulativeRange(predicate, term, columns), target, range);
		else setTermRows(predicate, term, columns, target, range);
	}
	orAll(target, allStored, range.from, range.to);
	return target;
}

/** Sets a term's rows: those within `range` of the words where its slice ascends, else all. */
function setTermRows(
	predicate: PredicatePlan,
	term: TermPlan,
	columns: SnapshotColumns,
	target: Uint32Array,
	range: Range,
): void {
	const rows = sliceRows(predicate, term, columns);
	let { from, to } = term.slice;
	if (isAscending(term)) {
		from = firstIndexAtLeast(rows, from, to, range.from << 5);
		to = firstIndexAtLeast(rows, from, to, range.to << 5);
	}
	setRows(target, rows, from, to);
}

function termBitmap(
	predicate: PredicatePlan,
	term: TermPlan,
	columns: SnapshotColumns,
	target: Uint32Array,
	range: Range,
): Uint32Array {
	const stored = storedWords(predicate, term, columns);
	if (stored !== null) return stored;
	if (term.bitmap === null) {
		target.fill(0, range.from, range.to);
		setTermRows(predicate, term, columns, target, range);
		return target;
	}
	const { rows, from, to, upper, lower, upperBound, lowerBound } = cumulativeRange(predicate, term, columns);
	if (upper === null) target.fill(0, range.from, range.to);
	else if (lower === null) copyWords(target, upper, range.from, range.to);
	else storeDifference(target, upper, lower, range.from, range.to);
	// Now target holds positions [lowerBound, upperBound). What is set below is inside [from, to) and
	// what is cleared is outside of it, so the order of the four does not matter.
	setRows(target, rows, Math.max(upperBound, from), to);
	clearRows(target, rows, Math.max(lowerBound, to), upperBound);
	clearRows(target, rows, lowerBound, Math.min(from, upperBound));
	setRows(target, rows, from, Math.min(lowerBound, to));
	return target;
}

function intersectCumulative(cumulative: CumulativeRange, { selected, list }: Scratch, range: Range): void {
	const { rows, from, to, upper, lower, upperBound, lowerBound } = cumulative;
	// Rows inside [from, to) but not between the bounds are remembered, since the bitmaps remove them.
	const above = listMatches(rows, selected, Math.max(upperBound, from), to, list, 0);
	const kept = listMatches(rows, selected, from, Math.min(lowerBound, to), list, above);
	if (upper === null) selected.fill(0, range.from, range.to);
	else if (lower === null) storeAnd(selected, selected, upper, range.from, range.to);
	else storeAndNot(selected, selected, upper, lower, range.from, range.to);
	clearRows(selected, rows, Math.max(lowerBound, to), upperBound);
	clearRows(selected, rows, lowerBound, Math.min(from, upperBound));
	setRows(selected, list, 0, kept);
}

/**
 * Adds positions [from, to) to `target`. Only bounds inside of the range are used, so that nothing has to be
 * cleared, which might be in another term.
 */
function uniteCumulative(
	{ rows, from, to, cumulative }: CumulativeRange,
	target: Uint32Array,
	range: Range,
): void {
	const { bounds } = cumulative;
	const lower = bounds.findIndex((bound) => bound >= from);
	let upper = bounds.length - 1;
	while (upper >= 0 && bounds[upper] > to) upper--;
	if (lower === -1 || upper <= lower) {
		setRows(target, rows, from, to);
		return;
	}
	storeDifferenceOr(target, cumulative.bitmap(upper), cumulative.bitmap(lower), range.from, range.to);
	setRows(target, rows, from, bounds[lower]);
	setRows(target, rows, bounds[upper], to);
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
	/** Rows by position. */
	readonly rows: Uint32Array;
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
		rows: columns.permutation.get(column).rows,
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
