/**
 * The select step of a query: which rows match, and how many, by the way that the plan says. Lists and
 * scans are here; bitmaps are in predicate-bitmaps.ts.
 */

import { columnNamed, invariant, NAME_COLUMN, type Range } from "../../formats/index.js";
import { contains, countRows, type Run } from "../columns/runs.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { EngineError } from "../errors.js";
import { clearRun, copyWords, countWords, fillRun } from "../kernels/bitmap.js";
import { keepBits } from "../kernels/bitmap-probe.js";
import { firstIndexAtLeast, keepCodeSet, keepCodes, scanCodeSet, scanCodes } from "../kernels/codes.js";
import { nameSearch } from "../names/name-search.js";
import { isAscending, isMadeByRun, onlyTerm, type Plan, type PredicatePlan } from "../plan/plan.js";
import type { Scratch } from "../scratch.js";
import { intersectPredicate, predicateBitmap, sliceRows, storedWords } from "./predicate-bitmaps.js";
import { type BitmapSelection, type Selection, wordsOf, wordsOfRuns } from "./selection.js";

export const EMPTY: Selection = { kind: "empty", count: 0 };

/** Counts the rows of a bitmap in ascending, disjoint ranges of its words, of which there is at least one. */
export type CountRows = (words: Uint32Array, parts: readonly Range[]) => number;

/** The rows that meet `plan`. Those of a bitmap are counted by `count` where they are not known. */
export function selectRows(
	plan: Plan,
	columns: SnapshotColumns,
	scratch: Scratch,
	count: CountRows = countParts,
): Selection {
	switch (plan.selection) {
		case "empty":
			return EMPTY;
		case "runs":
			return { kind: "runs", count: countRows(plan.runs), runs: plan.runs };
		case "slice": {
			const [predicate] = plan.predicates;
			const [term] = predicate.terms;
			const rows = sliceRows(predicate, term, columns);
			return { kind: "slice", count: term.rows, rows, from: term.slice.from };
		}
		case "merge":
		case "counted":
			return { kind: plan.selection, count: countRows(plan.parts) };
		case "list":
			return selectList(plan, columns, scratch);
		case "scan":
			return selectScan(plan, columns, scratch);
		case "bitmap":
			return selectBitmap(plan, columns, scratch, count);
		case "names":
			return selectNames(plan, columns, scratch);
	}
}

function selectList(plan: Plan, columns: SnapshotColumns, scratch: Scratch): Selection {
	const [driver, ...rest] = plan.predicates;
	const { list } = scratch;
	let count = 0;
	for (const term of driver.terms) {
		const rows = sliceRows(driver, term, columns);
		const { runs } = plan;
		count = isAscending(term)
			? listAscending(rows, term.slice, runs, list, count)
			: listWithin(rows, term.slice, runs, list, count);
		scratch.work.add(term.rows);
	}
	scratch.work.add(count * rest.length);
	return { kind: "list", count: keepAll(rest, columns, scratch, count), ascending: driver.ascending };
}

/** Appends those of a slice's ascending rows that are in the runs to list[at…); returns the end. */
function listAscending(
	rows: Uint32Array,
	{ from, to }: Range,
	runs: readonly Run[],
	list: Uint32Array,
	at: number,
): number {
	let count = at;
	let next = from;
	for (const run of runs) {
		if (next === to) break;
		if (rows[next] < run.from) next = firstIndexAtLeast(rows, next, to, run.from);
		const end = rows[to - 1] < run.to ? to : firstIndexAtLeast(rows, next, to, run.to);
		list.set(rows.subarray(next, end), count);
		count += end - next;
		next = end;
	}
	return count;
}

/** As {@link listAscending}, of rows in any order. */
function listWithin(
	rows: Uint32Array,
	{ from, to }: Range,
	runs: readonly Run[],
	list: Uint32Array,
	at: number,
): number {
	let count = at;
	if (runs.length === 1) {
		const [{ from: first, to: end }] = runs;
		for (let i = from; i < to; i++) {
			const row = rows[i];
			if (row >= first && row < end) list[count++] = row;
		}
	} else {
		for (let i = from; i < to; i++) if (contains(runs, rows[i])) list[count++] = rows[i];
	}
	return count;
}

function selectScan(plan: Plan, columns: SnapshotColumns, scratch: Scratch): Selection {
	const [first, ...rest] = plan.predicates;
	const { list } = scratch;
	let count = 0;
	const codes = columns.codes.get(columnNamed(first.column));
	if (first.codes.length === 1)
		for (const run of plan.runs) count = scanCodes(codes, run, first.codes[0], list, count);
	else {
		const set = codeSetOf(first, columns, scratch);
		for (const run of plan.runs) count = scanCodeSet(codes, run, set, list, count);
	}
	scratch.work.add(countRows(plan.runs) + count * rest.length);
	return { kind: "list", count: keepAll(rest, columns, scratch, count), ascending: true };
}

/** Rows of the runs whose names match, and that meet every predicate. */
function selectNames(plan: Plan, columns: SnapshotColumns, scratch: Scratch): Selection {
	invariant(plan.name !== null, "a search of names has a name");
	const column = columnNamed(NAME_COLUMN);
	const index = columns.nameIndex.get(column);
	if (index === null)
		throw new EngineError("no_name_index", "this month was built before names were indexed");
	const search = nameSearch(index, columns.codes.get(column));
	const granted = columns.granted.words(column, plan.geography);
	const found = search.search(plan.name, plan.runs, granted, scratch);
	scratch.work.add(found * plan.predicates.length);
	const count = keepAll(plan.predicates, columns, scratch, found);
	const { words } = plan.name;
	return {
		kind: "names",
		list: scratch.list,
		count,
		costs: search.costs,
		wordCounts: index.wordCounts,
		words,
	};
}

function keepAll(
	predicates: readonly PredicatePlan[],
	columns: SnapshotColumns,
	scratch: Scratch,
	count: number,
): number {
	let kept = count;
	for (const predicate of predicates) kept = keepMatches(predicate, columns, scratch, kept);
	return kept;
}

/** Keeps the rows of list[0, count) of the scratch memory that meet a predicate; returns how many. */
export function keepMatches(
	predicate: PredicatePlan,
	columns: SnapshotColumns,
	scratch: Scratch,
	count: number,
): number {
	const { list } = scratch;
	const { negated, terms } = predicate;
	// A bit is in an eighth of the memory of a code, or less. A column without codes has the rows without a value alone.
	const stored = terms.length === 1 ? storedWords(predicate, terms[0], columns) : null;
	if (stored !== null) return keepBits(list, count, stored, negated ? 0 : 1);
	const column = columnNamed(predicate.column);
	const codes = columns.codes.get(column);
	const ranges = predicate.codes;
	if (ranges.length === 1) return keepCodes(list, count, codes, ranges[0]);
	return keepCodeSet(list, count, codes, codeSetOf(predicate, columns, scratch));
}

/** A predicate's codes in `scratch.codeSet`. */
function codeSetOf(
	{ column, codes }: PredicatePlan,
	columns: SnapshotColumns,
	{ codeSet }: Scratch,
): Uint32Array {
	const { distinct } = columns.dictionary.get(columnNamed(column));
	codeSet.fill(0, 0, (distinct >>> 5) + 1);
	for (const { from, to } of codes) fillRun(codeSet, from, to);
	return codeSet;
}

function selectBitmap(plan: Plan, columns: SnapshotColumns, scratch: Scratch, count: CountRows): Selection {
	const { runs } = plan;
	const range = wordsOfRuns(runs);
	const { from, to } = range;
	const stored = storedAnswer(plan, columns);
	if (stored !== null) return { kind: "bitmap", words: stored, count: plan.predicates[0].rows, from, to };
	const { selected } = scratch;
	scratch.beginSelection(range);
	const isWhole = isAllRows(plan, columns);
	const parts = isMadeByRun(runs) ? partsOfRuns(runs) : [range];
	// Without rows to leave out, nothing is set outside of the range, so the bitmap is made in place.
	const target = isWhole ? selected : scratch.predicate;
	combinePredicates(plan, columns, scratch, target, parts);
	clearOutside(selected, runs, from, to);
	const [first, ...others] = plan.predicates;
	const isCounted = isWhole && others.length === 0 && onlyTerm(first) !== null;
	if (isCounted) return { kind: "bitmap", words: selected, count: first.rows, from, to };
	return { kind: "bitmap", words: selected, count: count(selected, parts), from, to };
}

/** The rows of words `range` that meet a plan of bitmaps, in `scratch.selected`. Uncounted. */
export function findWithin(
	plan: Plan,
	range: Range,
	columns: SnapshotColumns,
	scratch: Scratch,
): Uint32Array {
	const { selected, predicate } = scratch;
	scratch.beginSelection(range);
	// Terms whose rows are set one by one have some outside of the range.
	combinePredicates(plan, columns, scratch, predicate, [range]);
	clearOutside(selected, clippedRuns(plan.runs, range), range.from, range.to);
	return selected;
}

/** The runs' rows in a range of words. */
function clippedRuns(runs: readonly Run[], range: Range): Run[] {
	const first = range.from << 5;
	const end = range.to << 5;
	const clipped: Run[] = [];
	for (const { from, to } of runs)
		if (from < end && to > first) clipped.push({ from: Math.max(from, first), to: Math.min(to, end) });
	return clipped;
}

/** The words of each run; one that neighbours share is in the first of them alone. */
function partsOfRuns(runs: readonly Run[]): Range[] {
	const parts: Range[] = [];
	let next = 0;
	for (const run of runs) {
		const { from, to } = wordsOfRuns([run]);
		if (to > next) parts.push({ from: Math.max(from, next), to });
		next = to;
	}
	return parts;
}

/** The intersection of the predicates' bitmaps in `scratch.selected`, within ranges of its words. */
function combinePredicates(
	{ predicates }: Plan,
	columns: SnapshotColumns,
	scratch: Scratch,
	target: Uint32Array,
	parts: readonly Range[],
): void {
	const { selected } = scratch;
	const [first, ...others] = predicates;
	for (const part of parts) scratch.work.add(wordsOf(part) * (predicates.length + 1));
	const words = predicateBitmap(first, columns, target, parts);
	if (words !== selected) for (const { from, to } of parts) copyWords(selected, words, from, to);
	for (const predicate of others) intersectPredicate(predicate, columns, scratch, parts);
}

/** Selected rows within ranges of words. */
function countParts(selected: Uint32Array, parts: readonly Range[]): number {
	let count = 0;
	for (const { from, to } of parts) count += countWords(selected, from, to);
	return count;
}

/** Whether the runs leave no row out. */
function isAllRows({ runs }: Plan, { rows }: SnapshotColumns): boolean {
	return countRows(runs) === rows;
}

/** The stored bitmap that is the whole answer: of the one predicate, where no run leaves rows out. */
function storedAnswer(plan: Plan, columns: SnapshotColumns): Uint32Array | null {
	const [predicate, ...others] = plan.predicates;
	const term = onlyTerm(predicate);
	if (others.length > 0 || term === null || !isAllRows(plan, columns)) return null;
	return storedWords(predicate, term, columns);
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
