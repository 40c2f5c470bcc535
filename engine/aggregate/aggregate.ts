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
import { runsAsBitmap, selectRows } from "../select/select-rows.js";
import type { RowBitmap, Selection } from "../select/selection.js";
import { INDEX_GROUPING_SHARE, INDEX_GROUPS_MIN } from "../tuning.js";
import { Dimension, type DimensionName } from "./dimensions.js";
import { codeIndex, groupBitmapByOne, groupBitmapByState, groupBitmapByTwo } from "./group-bitmap.js";
import { type GroupedRows, groupByOne, groupByTwo, type TakeGroup, takeCodeCounts } from "./group-rows.js";
import { byRows, TopGroups } from "./top-groups.js";

export interface AggregateRequest {
	/** One or two dimensions, which differ. */
	readonly by: readonly DimensionName[];
	/** Groups to list. */
	readonly top: number;
	/** Groups with fewer rows are neither listed nor counted in `groups`. */
	readonly minCount: number;
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
	/** Groups of at least `minCount` rows. */
	readonly groupCount: number;
	/** Rows in no group that is listed. */
	readonly otherRows: number;
}

/** Groups the rows of `plan`, whose order is by row. Cost O(rows + groups). */
export function aggregateRows(
	request: AggregateRequest,
	plan: Plan,
	states: readonly StateRun[],
	columns: SnapshotColumns,
	scratch: Scratch,
): Aggregate {
	const dimensions = request.by.map((name) => new Dimension(name, columns));
	const [first, second] = dimensions;
	const largest = new TopGroups(request.top, byRows);
	let groupCount = 0;
	const take: TakeGroup = (a, b, rows) => {
		if (rows < request.minCount) return;
		groupCount++;
		largest.offer(a, b, rows);
	};
	const matched = groupSelection(dimensions, plan, states, columns, scratch, take);
	let listed = 0;
	const groups = largest.inOrder().map(({ first: a, second: b, rows }): AggregateGroup => {
		listed += rows;
		const by: Record<string, string | null> = { [first.name]: first.label(a) };
		if (second !== undefined) by[second.name] = second.label(b);
		return { by, rows };
	});
	return { groups, rows: matched, groupCount, otherRows: matched - listed };
}

/** Groups the rows of `plan`, whose order is by row, in the way that reads least; returns how many they are. */
export function groupSelection(
	dimensions: readonly Dimension[],
	plan: Plan,
	states: readonly StateRun[],
	columns: SnapshotColumns,
	scratch: Scratch,
	take: TakeGroup,
): number {
	const selection = selectRows(plan, columns, scratch);
	scratch.work.add(selection.count);
	const isLarge = selection.count >= columns.rows * INDEX_GROUPING_SHARE && selection.kind !== "slice";
	const bitmap = isLarge ? () => asBitmap(selection, scratch) : null;
	const [first, second] = dimensions;
	const isGrouped =
		second === undefined
			? groupOneByIndex(first, selection, bitmap, states, columns, take)
			: bitmap !== null && groupTwoByIndex(first, second, bitmap, columns, take);
	if (!isGrouped) {
		const rows = groupedRows(selection, scratch);
		if (second === undefined) groupByOne(rows, first, take);
		else groupByTwo(rows, first, second, take);
	}
	return selection.count;
}

/** Groups by one dimension from stored counts or along an index; false where neither pays. */
function groupOneByIndex(
	dimension: Dimension,
	selection: Selection,
	bitmap: (() => RowBitmap) | null,
	states: readonly StateRun[],
	columns: SnapshotColumns,
	take: TakeGroup,
): boolean {
	const stored = storedCounts(dimension, selection, columns);
	if (stored !== null) {
		takeCodeCounts(stored, dimension.groupOfCode, take);
		return true;
	}
	if (bitmap === null) return false;
	if (dimension.name === "state" || dimension.name === "country") {
		groupBitmapByState(bitmap(), dimension, states, columns, take);
		return true;
	}
	const index = codeIndex(dimension.column, columns);
	if (index === null) return false;
	groupBitmapByOne(bitmap(), dimension, index, columns, take);
	return true;
}

/** Groups by two dimensions along the index of the one with more groups, so that the counters of the other fit in cache. */
function groupTwoByIndex(
	first: Dimension,
	second: Dimension,
	bitmap: () => RowBitmap,
	columns: SnapshotColumns,
	take: TakeGroup,
): boolean {
	const isSwapped = second.groupCount > first.groupCount;
	const [outer, inner] = isSwapped ? [second, first] : [first, second];
	if (outer.groupOfCode !== null || outer.groupCount < INDEX_GROUPS_MIN) return false;
	const index = codeIndex(outer.column, columns);
	if (index === null) return false;
	const takeOuter: TakeGroup = isSwapped ? (a, b, rows) => take(b, a, rows) : take;
	groupBitmapByTwo(bitmap(), outer, index, inner, columns, takeOuter);
	return true;
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
			throw new TypeError("an order by row is never merged");
	}
}

/** Rows by code of a whole snapshot, where its index says how many each has; else null. Cost O(distinct). */
function storedCounts(
	dimension: Dimension,
	selection: Selection,
	columns: SnapshotColumns,
): Uint32Array | null {
	if (selection.kind !== "runs" || countRows(selection.runs) !== columns.rows) return null;
	const index = codeIndex(dimension.column, columns);
	if (index === null) return null;
	const { offsets } = index;
	const { codeCount } = dimension;
	const counts = new Uint32Array(codeCount);
	for (let code = 0; code + 1 < codeCount; code++) counts[code] = offsets[code + 1] - offsets[code];
	counts[codeCount - 1] = columns.rows - (offsets[codeCount - 1] - offsets[0]);
	return counts;
}
