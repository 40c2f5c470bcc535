/**
 * The select step of a query: which rows match, and how many, by the way that the plan says. Lists and
 * scans are here; bitmaps are in predicate-bitmaps.ts.
 */

import { columnNamed } from "../../formats/index.js";
import { contains, countRows, type Run } from "../columns/runs.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { clearRun, copyWords, countWords, fillRun } from "../kernels/bitmap.js";
import { keepCodes, scanCodes } from "../kernels/codes.js";
import type { Plan, PredicatePlan } from "../plan/plan.js";
import type { Scratch } from "../scratch.js";
import { intersectPredicate, predicateBitmap, sliceRows, storedBitmap } from "./predicate-bitmaps.js";
import { type BitmapSelection, type Selection, wordsOf, wordsOfRuns } from "./selection.js";

const EMPTY: Selection = { kind: "empty", count: 0 };

/** The rows that meet `plan`. */
export function selectRows(plan: Plan, columns: SnapshotColumns, scratch: Scratch): Selection {
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
		const [run] = plan.runs;
		const { from: first, to: end } = run;
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
	for (const run of plan.runs) count = scanCodes(codes, run, first.codes, scratch.list, count);
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
		kept = keepCodes(list, kept, codes, predicate.codes);
	}
	return kept;
}

function selectBitmap(plan: Plan, columns: SnapshotColumns, scratch: Scratch): Selection {
	const range = wordsOfRuns(plan.runs);
	const { from, to } = range;
	const stored = storedAnswer(plan, columns);
	if (stored !== null) return { kind: "bitmap", words: stored, count: plan.predicates[0].rows, from, to };
	const { selected } = scratch;
	const [first, ...others] = plan.predicates;
	const isWhole = isAllRows(plan, columns);
	scratch.work.add(wordsOf(range) * (plan.predicates.length + 1));
	scratch.beginSelection(range);
	// Without rows to leave out, nothing is set outside of the range, so the bitmap is made in place.
	const target = isWhole ? selected : scratch.predicate;
	const words = predicateBitmap(first, columns, target, range);
	if (words !== selected) copyWords(selected, words, from, to);
	for (const predicate of others) intersectPredicate(predicate, columns, scratch, range);
	clearOutside(selected, plan.runs, from, to);
	const isCounted = isWhole && others.length === 0;
	const count = isCounted ? first.rows : countWords(selected, from, to);
	return { kind: "bitmap", words: selected, count, from, to };
}

/** Whether the runs leave no row out. */
function isAllRows({ predicates, runs }: Plan, columns: SnapshotColumns): boolean {
	return countRows(runs) === columns.codes.get(columnNamed(predicates[0].column)).length;
}

/** The stored bitmap that is the whole answer: of the one predicate, where no run leaves rows out. */
function storedAnswer(plan: Plan, columns: SnapshotColumns): Uint32Array | null {
	const [predicate, ...others] = plan.predicates;
	if (others.length > 0 || predicate.bitmap !== "code" || !isAllRows(plan, columns)) return null;
	return storedBitmap(predicate, columns);
}

/** The runs as a bitmap in `scratch.selected`. */
export function runsAsBitmap(runs: readonly Run[], scratch: Scratch): BitmapSelection {
	const range = wordsOfRuns(runs);
	scratch.beginSelection(range);
	scratch.selected.fill(0, range.from, range.to);
	for (const run of runs) fillRun(scratch.selected, run.from, run.to);
	return { kind: "bitmap", words: scratch.selected, count: countRows(runs), ...range };
}

/** Clears the rows of words [from, to) that are in none of the runs. */
function clearOutside(words: Uint32Array, runs: readonly Run[], from: number, to: number): void {
	let next = from << 5;
	for (const run of runs) {
		clearRun(words, next, run.from);
		next = run.to;
	}
	clearRun(words, next, to << 5);
}
