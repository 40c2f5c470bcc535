/**
 * Execution of a plan's selection: which rows match, as runs, as a list or as a bitmap, and how
 * many. Kernels do the loops; this file says which, over what.
 */

import { columnNamed, invariant } from "../../formats/index.js";
import { contains, countRows, type Run } from "../columns/runs.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import {
	andDifferenceWords,
	andWords,
	clearRows,
	clearRun,
	copyWords,
	countWords,
	differenceWords,
	fillRun,
	setRows,
} from "../kernels/bitmap.js";
import { keepCodes, scanCodes } from "../kernels/codes.js";
import { listMatches } from "../kernels/match-rows.js";
import type { Plan } from "../plan/plan.js";
import type { PredicatePlan } from "../plan/predicates.js";
import type { Scratch } from "../scratch.js";

/** Matching rows. A list lies in `scratch.list`, the parts of a merge in the plan. */
export type Selection =
	| { readonly kind: "empty"; readonly count: 0 }
	| { readonly kind: "runs"; readonly count: number; readonly runs: readonly Run[] }
	| SliceSelection
	| { readonly kind: "merge"; readonly count: number }
	| ListSelection
	| BitmapSelection;

/** Rows [from, from + count) of `rows`, in ascending sort order. */
export interface SliceSelection {
	readonly kind: "slice";
	readonly count: number;
	readonly rows: Uint32Array;
	readonly from: number;
}

export interface ListSelection {
	readonly kind: "list";
	readonly count: number;
	/** Whether the list ascends. */
	readonly ascending: boolean;
}

export interface BitmapSelection {
	readonly kind: "bitmap";
	readonly count: number;
	/** `scratch.selected` or a stored bitmap. Zero outside of words [fromWord, toWord). */
	readonly words: Uint32Array;
	readonly fromWord: number;
	readonly toWord: number;
}

const EMPTY: Selection = { kind: "empty", count: 0 };

/** The rows that meet `plan`. */
export function executeSelection(plan: Plan, columns: SnapshotColumns, scratch: Scratch): Selection {
	switch (plan.selection) {
		case "empty":
			return EMPTY;
		case "runs":
			return { kind: "runs", count: countRows(plan.runs), runs: plan.runs };
		case "slice": {
			const [predicate] = plan.predicates;
			const { from } = predicate.slice;
			return { kind: "slice", count: predicate.rows, rows: sliceRows(predicate, columns), from };
		}
		case "merge":
			return { kind: "merge", count: countRows(plan.parts) };
		case "list":
			return selectList(plan, columns, scratch);
		case "scan":
			return selectScan(plan, columns, scratch);
		case "bitmap":
			return selectBitmap(plan, columns, scratch);
	}
}

function selectList(plan: Plan, columns: SnapshotColumns, scratch: Scratch): Selection {
	const [driver, ...rest] = plan.predicates;
	const rows = sliceRows(driver, columns);
	const list = scratch.list;
	const { from, to } = driver.slice;
	let count = 0;
	if (plan.runs.length === 1) {
		const { first, end } = plan.runs[0];
		for (let i = from; i < to; i++) {
			const row = rows[i];
			if (row >= first && row < end) list[count++] = row;
		}
	} else {
		for (let i = from; i < to; i++) if (contains(plan.runs, rows[i])) list[count++] = rows[i];
	}
	scratch.work.add(to - from + count * rest.length);
	return { kind: "list", count: keepAll(rest, columns, list, count), ascending: driver.ascending };
}

function selectScan(plan: Plan, columns: SnapshotColumns, scratch: Scratch): Selection {
	const [first, ...rest] = plan.predicates;
	const codes = columns.codes.get(columnNamed(first.column));
	let count = 0;
	for (const run of plan.runs) {
		count = scanCodes(codes, run.first, run.end, first.low, first.high, scratch.list, count);
	}
	scratch.work.add(countRows(plan.runs) + count * rest.length);
	return { kind: "list", count: keepAll(rest, columns, scratch.list, count), ascending: true };
}

function keepAll(
	predicates: readonly PredicatePlan[],
	columns: SnapshotColumns,
	list: Uint32Array,
	count: number,
): number {
	let kept = count;
	for (const predicate of predicates) {
		const codes = columns.codes.get(columnNamed(predicate.column));
		kept = keepCodes(list, kept, codes, predicate.low, predicate.high);
	}
	return kept;
}

function selectBitmap(plan: Plan, columns: SnapshotColumns, scratch: Scratch): Selection {
	const fromWord = plan.runs[0].first >>> 5;
	const toWord = ((plan.runs[plan.runs.length - 1].end - 1) >>> 5) + 1;
	const stored = storedAnswer(plan, columns);
	if (stored !== null)
		return { kind: "bitmap", words: stored, count: plan.predicates[0].rows, fromWord, toWord };
	const { selected } = scratch;
	const [first, ...others] = plan.predicates;
	const isWhole = isAllRows(plan, columns);
	scratch.work.add((toWord - fromWord) * (plan.predicates.length + 1));
	scratch.beginSelection(fromWord, toWord);
	// Where no run leaves rows out, none is set outside of the words asked for.
	const target = isWhole ? selected : scratch.predicate;
	const words = predicateBitmap(first, columns, target, fromWord, toWord);
	if (words !== selected) copyWords(selected, words, fromWord, toWord);
	for (const predicate of others) intersectPredicate(predicate, columns, scratch, fromWord, toWord);
	clearOutside(selected, plan.runs, fromWord, toWord);
	const isCounted = isWhole && others.length === 0;
	const count = isCounted ? first.rows : countWords(selected, fromWord, toWord);
	return { kind: "bitmap", words: selected, count, fromWord, toWord };
}

/** Whether the runs leave no row out. */
function isAllRows({ predicates, runs }: Plan, columns: SnapshotColumns): boolean {
	return countRows(runs) === columns.codes.get(columnNamed(predicates[0].column)).length;
}

/** The stored bitmap that is the whole answer: of the one predicate, where no run leaves rows out. */
function storedAnswer(plan: Plan, columns: SnapshotColumns): Uint32Array | null {
	const [predicate, ...others] = plan.predicates;
	if (others.length > 0 || predicate.bitmap !== "code" || !isAllRows(plan, columns)) return null;
	return columns.bitmaps.get(columnNamed(predicate.column))?.find(predicate.low) ?? null;
}

/** The runs as a bitmap in `scratch.selected`. */
export function runsAsBitmap(runs: readonly Run[], scratch: Scratch): BitmapSelection {
	const fromWord = runs[0].first >>> 5;
	const toWord = ((runs[runs.length - 1].end - 1) >>> 5) + 1;
	scratch.beginSelection(fromWord, toWord);
	scratch.selected.fill(0, fromWord, toWord);
	for (const run of runs) fillRun(scratch.selected, run.first, run.end);
	return { kind: "bitmap", words: scratch.selected, count: countRows(runs), fromWord, toWord };
}

/** Clears the rows of words [fromWord, toWord) that lie in none of the runs. */
function clearOutside(words: Uint32Array, runs: readonly Run[], fromWord: number, toWord: number): void {
	let next = fromWord << 5;
	for (const run of runs) {
		clearRun(words, next, run.first);
		next = run.end;
	}
	clearRun(words, next, toWord << 5);
}

/**
 * A bitmap of the predicate's rows, right within words [fromWord, toWord): stored, or made in `target`,
 * which is left with rows outside of them too.
 */
function predicateBitmap(
	predicate: PredicatePlan,
	columns: SnapshotColumns,
	target: Uint32Array,
	fromWord: number,
	toWord: number,
): Uint32Array {
	if (predicate.bitmap === "code") return storedBitmap(predicate, columns);
	if (predicate.bitmap === null) {
		target.fill(0, fromWord, toWord);
		setRows(target, sliceRows(predicate, columns), predicate.slice.from, predicate.slice.to);
		return target;
	}
	const { rows, from, to, upper, lower, upperBound, lowerBound } = cumulativeRange(predicate, columns);
	if (upper === null) target.fill(0, fromWord, toWord);
	else if (lower === null) copyWords(target, upper, fromWord, toWord);
	else differenceWords(target, upper, lower, fromWord, toWord);
	// Now target holds positions [lowerBound, upperBound). What is set below lies inside [from, to)
	// and what is cleared lies outside, so the order of the four does not matter.
	setRows(target, rows, Math.max(upperBound, from), to);
	clearRows(target, rows, Math.max(lowerBound, to), upperBound);
	clearRows(target, rows, lowerBound, Math.min(from, upperBound));
	setRows(target, rows, from, Math.min(lowerBound, to));
	return target;
}

/** Leaves of the rows in `scratch.selected` those that meet the predicate, within words [fromWord, toWord). */
function intersectPredicate(
	predicate: PredicatePlan,
	columns: SnapshotColumns,
	scratch: Scratch,
	fromWord: number,
	toWord: number,
): void {
	const { selected, list } = scratch;
	if (predicate.bitmap !== "cumulative") {
		const words = predicateBitmap(predicate, columns, scratch.predicate, fromWord, toWord);
		andWords(selected, words, fromWord, toWord);
		return;
	}
	const { rows, from, to, upper, lower, upperBound, lowerBound } = cumulativeRange(predicate, columns);
	// What lies inside [from, to) but not between the bounds is remembered, since the bitmaps take it away.
	const above = listMatches(rows, selected, Math.max(upperBound, from), to, list, 0);
	const kept = listMatches(rows, selected, from, Math.min(lowerBound, to), list, above);
	if (upper === null) selected.fill(0, fromWord, toWord);
	else if (lower === null) andWords(selected, upper, fromWord, toWord);
	else andDifferenceWords(selected, upper, lower, fromWord, toWord);
	clearRows(selected, rows, Math.max(lowerBound, to), upperBound);
	clearRows(selected, rows, lowerBound, Math.min(from, upperBound));
	setRows(selected, list, 0, kept);
}

function storedBitmap(predicate: PredicatePlan, columns: SnapshotColumns): Uint32Array {
	const stored = columns.bitmaps.get(columnNamed(predicate.column))?.find(predicate.low);
	invariant(stored !== null && stored !== undefined, "a planned bitmap exists");
	return stored;
}

/** Positions [from, to) of an order, and what cumulative bitmaps tell of them: those nearest to both ends. */
interface CumulativeRange {
	/** Rows by position. */
	readonly rows: Uint32Array;
	readonly from: number;
	readonly to: number;
	/** The rows below `upperBound`; null for none. */
	readonly upper: Uint32Array | null;
	/** The rows below `lowerBound`, which is no higher; null for none. */
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
