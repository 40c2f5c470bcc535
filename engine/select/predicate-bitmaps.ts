/** A predicate's rows as a bitmap: stored, made of cumulative bitmaps, or set row by row from its slice. */

import { columnNamed, invariant, type Range } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { clearRows, copyWords, setRows, storeAnd, storeAndNot, storeDifference } from "../kernels/bitmap.js";
import { listMatches } from "../kernels/bitmap-probe.js";
import type { PredicatePlan } from "../plan/plan.js";
import type { Scratch } from "../scratch.js";

/**
 * A bitmap of the predicate's rows, correct within `range` of its words: stored, or made in `target`, which
 * may then have rows outside of the range too.
 */
export function predicateBitmap(
	predicate: PredicatePlan,
	columns: SnapshotColumns,
	target: Uint32Array,
	range: Range,
): Uint32Array {
	if (predicate.bitmap === "code") return storedBitmap(predicate, columns);
	if (predicate.bitmap === null) {
		target.fill(0, range.from, range.to);
		setRows(target, sliceRows(predicate, columns), predicate.slice.from, predicate.slice.to);
		return target;
	}
	const { rows, from, to, upper, lower, upperBound, lowerBound } = cumulativeRange(predicate, columns);
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

/** Removes the rows from `scratch.selected` that do not meet the predicate, within `range` of its words. */
export function intersectPredicate(
	predicate: PredicatePlan,
	columns: SnapshotColumns,
	scratch: Scratch,
	range: Range,
): void {
	const { selected, list } = scratch;
	if (predicate.bitmap !== "cumulative") {
		const words = predicateBitmap(predicate, columns, scratch.predicate, range);
		storeAnd(selected, selected, words, range.from, range.to);
		return;
	}
	const { rows, from, to, upper, lower, upperBound, lowerBound } = cumulativeRange(predicate, columns);
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

/** The stored bitmap of a predicate whose plan says that there is one. */
export function storedBitmap(predicate: PredicatePlan, columns: SnapshotColumns): Uint32Array {
	const stored = columns.bitmaps.get(columnNamed(predicate.column))?.find(predicate.codes.from);
	invariant(stored !== null && stored !== undefined, "a planned bitmap exists");
	return stored;
}

/** Positions [from, to) of an order, and the cumulative bitmaps whose bounds are nearest to both ends. */
interface CumulativeRange extends Range {
	/** Rows by position. */
	readonly rows: Uint32Array;
	/** The rows at positions below `upperBound`; null for none. */
	readonly upper: Uint32Array | null;
	/** The rows at positions below `lowerBound`, which is at most `upperBound`; null for none. */
	readonly lower: Uint32Array | null;
	readonly upperBound: number;
	readonly lowerBound: number;
}

function cumulativeRange(predicate: PredicatePlan, columns: SnapshotColumns): CumulativeRange {
	const column = columnNamed(predicate.column);
	const cumulative = columns.cumulativeBitmaps.get(column);
	invariant(cumulative !== null, "planned cumulative bitmaps exist");
	const { from, to } = predicate.positions;
	const upper = cumulative.nearest(to);
	const lower = cumulative.nearest(from);
	return {
		rows: columns.permutation.get(column).rows,
		from,
		to,
		upper: upper === -1 ? null : cumulative.bitmap(upper),
		lower: lower === -1 ? null : cumulative.bitmap(lower),
		upperBound: upper === -1 ? 0 : cumulative.bounds[upper],
		lowerBound: lower === -1 ? 0 : cumulative.bounds[lower],
	};
}

/** The rows that a predicate's slice indexes. */
export function sliceRows(predicate: PredicatePlan, columns: SnapshotColumns): Uint32Array {
	const column = columnNamed(predicate.column);
	switch (predicate.slice.source) {
		case "postings":
			return columns.postings.get(column).rows;
		case "permutation":
			return columns.permutation.get(column).rows;
		case "byState": {
			const { byState } = columns.permutation.get(column);
			invariant(byState !== null, "a planned state permutation exists");
			return byState;
		}
	}
}
