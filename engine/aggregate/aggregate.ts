/**
 * Aggregates: how many rows of a query each group has, the largest first (docs/API.md §11.3). Counts are
 * exact: all rows are counted, and only then the groups to list are chosen.
 */

import type { StateRun } from "../../formats/index.js";
import { countRows } from "../columns/runs.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { setRows } from "../kernels/bitmap.js";
import { listRows } from "../kernels/list-rows.js";
import type { Plan } from "../plan/plan.js";
import type { Scratch } from "../scratch.js";
import { exactMatches } from "../select/exact-matches.js";
import { runsAsBitmap, selectRows } from "../select/select-rows.js";
import { type RowBitmap, type Selection, wordsOf } from "../select/selection.js";
import { withoutOrder } from "../select/selection-bitmap.js";
import { PendingWork } from "../sliced-work.js";
import {
	AGGREGATE_CELLS_MAX,
	COST_NS,
	HASHED_ROW_CELLS,
	HASHED_ROWS_MAX,
	INDEX_GROUPING_SHARE,
	LISTED_CELLS_MIN,
	PAIR_GROUPING_SHARE,
} from "../tuning.js";
import { Dimension, type DimensionName } from "./dimensions.js";
import {
	type CodeIndex,
	codeIndex,
	costByBitmaps,
	groupBitmapByOne,
	groupBitmapByPair,
	groupBitmapByState,
	isCountedByBitmaps,
	takeStoredCounts,
} from "./group-bitmap.js";
import { groupAlongLists, leadingLists } from "./group-lists.js";
import {
	type GroupedRows,
	type GroupTaker,
	groupByOne,
	groupInArray,
	groupInMap,
	takeCounters,
} from "./group-rows.js";
import { groupBySorting } from "./group-sort.js";
import type { LargeOffices } from "./large-offices.js";
import type { FindPairs } from "./pair-numbers.js";
import type { RankedOffices } from "./ranked-offices.js";
import type { StateGroups } from "./state-groups.js";
import { byRows, type CountedGroup, TopGroups } from "./top-groups.js";

export interface AggregateRequest {
	/** One or two dimensions, which differ. */
	readonly by: readonly DimensionName[];
	/** Groups to list. */
	readonly top: number;
	/** Groups with fewer rows are neither listed nor counted in `groups`. */
	readonly minCount: number;
	/** Groups from after this one on, of the same request to the same snapshot; absent: from the first. */
	readonly after?: CountedGroup;
}

export interface AggregateGroup {
	/** By dimension; null: the rows without a value. */
	readonly by: Readonly<Record<string, string | null>>;
	readonly rows: number;
}

export interface Aggregate {
	/** Most rows first, then in the order of their values by fold, rows without a value last. */
	readonly groups: readonly AggregateGroup[];
	/** Rows that match. */
	readonly rows: number;
	/** Of rows that match a name, those that have each of its words; absent: no name was asked for, or no row matches. */
	readonly exactRows?: number;
	/** Groups of at least `minCount` rows. */
	readonly groupCount: number;
	/** Rows in no group that is listed. */
	readonly otherRows: number;
	/** The last group listed, where more follow it. */
	readonly next: CountedGroup | null;
}

/** What grouping reads: a month, the memory of queries, and the numbers of pairs. */
export interface GroupingContext {
	readonly states: readonly StateRun[];
	readonly columns: SnapshotColumns;
	readonly scratch: Scratch;
	readonly findPairs: FindPairs;
	readonly stateGroups: StateGroups;
	readonly rankedOffices: RankedOffices;
	readonly largeOffices: LargeOffices;
}

/**
 * Groups the rows of `plan`, whose order is by row. Cost O(rows + groups). Where `findPairs` returns work, that is the
 * result.
 */
export function aggregateRows(
	request: AggregateRequest,
	plan: Plan,
	context: GroupingContext,
): Aggregate | PendingWork {
	const dimensions = request.by.map((name) => new Dimension(name, context.columns));
	const [first, second] = dimensions;
	const largest = new TopGroups(request.top, byRows, request.after);
	const { minCount } = request;
	let groupCount = 0;
	let exact: number | undefined;
	const taker: GroupTaker = {
		takeSelection(selection) {
			exact = exactMatches(selection);
		},
		take(a, b, rows) {
			if (rows < minCount) return;
			groupCount++;
			largest.offer(a, b, rows);
		},
		takeCounts(counters) {
			groupCount += largest.offerCounts(counters, Math.max(1, minCount));
		},
	};
	const matched = groupSelection(dimensions, plan, taker, context);
	if (matched instanceof PendingWork) return matched;
	let listed = 0;
	const kept = largest.inOrder();
	const groups = kept.map(({ first: a, second: b, rows }): AggregateGroup => {
		listed += rows;
		const by: Record<string, string | null> = { [first.name]: first.label(a) };
		if (second !== undefined) by[second.name] = second.label(b);
		return { by, rows };
	});
	const next = largest.hasMore ? kept[kept.length - 1] : null;
	const exactRows = exact === undefined ? {} : { exactRows: exact };
	return { groups, rows: matched, ...exactRows, groupCount, otherRows: matched - listed, next };
}

/**
 * Groups the rows of `plan`, whose order is by row, in the way that reads least; returns how many they are. Where
 * `findPairs` returns work, no group is taken, and that is the result.
 */
export function groupSelection(
	dimensions: readonly Dimension[],
	plan: Plan,
	taker: GroupTaker,
	context: GroupingContext,
): number | PendingWork {
	const { states, columns, scratch, findPairs, stateGroups } = context;
	const selection = selectRows(withoutOrder(plan), columns, scratch);
	taker.takeSelection?.(selection);
	const [first, second] = dimensions;
	// Of one dimension the groups of all states are stored.
	const isByStates = selection.kind === "runs" && (second !== undefined || selection.count < columns.rows);
	if (isByStates && stateGroups.take(dimensions, selection.runs, taker)) return selection.count;
	scratch.work.add(selection.count);
	if (second !== undefined) {
		const isNumbered = isShare(selection, PAIR_GROUPING_SHARE, columns);
		const pairs = isNumbered ? findPairs(first, second, states, columns) : null;
		if (pairs instanceof PendingWork) return pairs;
		if (pairs !== null) groupBitmapByPair(asBitmap(selection, scratch), pairs, taker);
		else groupByTwo(selection, dimensions, taker, context);
	} else if (!groupOneByIndex(first, selection, taker, context)) {
		const rows = groupedRows(selection, scratch);
		if (isFew(selection, first.codeCount)) groupInMap(rows, first, undefined, taker.take);
		else groupByOne(rows, first, taker);
	}
	return selection.count;
}

/** Whether a selection is worth grouping as a bitmap, being at least `share` of the snapshot's rows. */
function isShare({ kind, count }: Selection, share: number, { rows }: SnapshotColumns): boolean {
	return count >= rows * share && kind !== "slice";
}

/** Groups by one dimension from stored counts or along an index; false where neither pays. */
function groupOneByIndex(
	dimension: Dimension,
	selection: Selection,
	taker: GroupTaker,
	{ states, columns, scratch }: GroupingContext,
): boolean {
	const index = codeIndex(dimension.column, columns);
	if (index !== null && selection.kind === "runs" && countRows(selection.runs) === columns.rows) {
		takeStoredCounts(takeCounters(dimension.codeCount), dimension, index, columns.rows, taker);
		return true;
	}
	const isLarge = isShare(selection, INDEX_GROUPING_SHARE, columns);
	if (dimension.name === "state" || dimension.name === "country") {
		if (!isLarge && selection.kind !== "bitmap") return false;
		groupBitmapByState(asNearBitmap(selection, scratch), dimension, states, columns, taker);
		return true;
	}
	if (index === null) return false;
	const isCounted = isCountedByBitmaps(dimension);
	if (!isLarge && !(isCounted && isCheaperByBitmaps(selection, dimension, index, columns))) return false;
	const bitmap = isCounted ? asNearBitmap(selection, scratch) : asBitmap(selection, scratch);
	groupBitmapByOne(bitmap, dimension, index, columns, taker);
	return true;
}

/** Whether counting the codes' bitmaps costs less than reading the code of each row of a selection. */
function isCheaperByBitmaps(
	selection: Selection,
	dimension: Dimension,
	index: CodeIndex,
	columns: SnapshotColumns,
): boolean {
	if (selection.kind !== "bitmap") return false;
	const listing = wordsOf(selection) * COST_NS.listWord + selection.count * COST_NS.groupRow;
	return costByBitmaps(dimension, index, columns) < listing;
}

/** Groups rows by two dimensions whose pairs are not numbered. Groups are taken in no order. */
function groupByTwo(
	selection: Selection,
	[first, second]: readonly Dimension[],
	taker: GroupTaker,
	{ states, columns, scratch }: GroupingContext,
): void {
	const { take } = taker;
	const cells = first.groupCount * second.groupCount;
	const isLarge = isShare(selection, INDEX_GROUPING_SHARE, columns);
	const isListed = isLarge && cells > LISTED_CELLS_MIN;
	const leading = isListed ? leadingLists(first, second, states, columns) : null;
	if (leading !== null) {
		groupAlongLists(asBitmap(selection, scratch), leading, taker);
		return;
	}
	const rows = groupedRows(selection, scratch);
	if (isFew(selection, cells)) groupInMap(rows, first, second, take);
	else if (cells <= AGGREGATE_CELLS_MAX) groupInArray(rows, first, second, take);
	else groupBySorting(rows, first, second, take);
}

/** Whether a selection has so few rows that a hash table of their groups costs less than `cells` counters. */
function isFew({ count }: Selection, cells: number): boolean {
	return count <= HASHED_ROWS_MAX && count * HASHED_ROW_CELLS <= cells;
}

/** A large selection as a bitmap. */
function asBitmap(selection: Selection, scratch: Scratch): RowBitmap {
	if (selection.kind === "bitmap") return selection;
	if (selection.kind === "runs") return runsAsBitmap(selection.runs, scratch);
	const words = scratch.predicate;
	words.fill(0);
	setRows(words, scratch.list, 0, selection.count);
	return { words, count: selection.count, from: 0, to: words.length };
}

/**
 * A large selection as a bitmap in memory where it is counted with others by SIMD: copying a stored one takes a tenth
 * of the time of counting it with one other elsewhere.
 */
function asNearBitmap(selection: Selection, scratch: Scratch): RowBitmap {
	const bitmap = asBitmap(selection, scratch);
	const { words, to } = bitmap;
	const { predicate, selected } = scratch;
	if (words === selected || words === predicate) return bitmap;
	// A stored bitmap is a selection only where no run leaves rows out, so its range begins with the first word.
	predicate.set(words.subarray(0, to));
	return { ...bitmap, words: predicate };
}

function groupedRows(selection: Selection, { list }: Scratch): GroupedRows {
	switch (selection.kind) {
		case "empty":
			return { runs: [] };
		case "runs":
			return { runs: selection.runs };
		case "list":
		case "names":
			return { list, count: selection.count };
		case "slice":
			return { list: selection.rows.subarray(selection.from), count: selection.count };
		case "bitmap": {
			const { words, from, to, count } = selection;
			return { list, count: listRows(words, from, to, count, list, 0) };
		}
		case "merge":
		case "counted":
			throw new TypeError("a selection without an order is neither merged nor counted");
	}
}
