/**
 * Aggregates: how many rows of a query each group has, the largest first (docs/API.md §11.3). Counts are
 * exact: all rows are counted, and only then the groups to list are chosen.
 */

import { type Column, LISTED_BY_VALUE } from "../../formats/index.js";
import { countRows } from "../columns/runs.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { listRows } from "../kernels/list-rows.js";
import type { Plan } from "../plan/plan.js";
import type { Scratch } from "../scratch.js";
import { selectRows } from "../select/select-rows.js";
import type { Selection } from "../select/selection.js";
import { Dimension, type DimensionName } from "./dimensions.js";
import { type GroupedRows, groupByOne, groupByTwo, type TakeGroup, takeCodeCounts } from "./group-rows.js";
import { LargestGroups } from "./largest-groups.js";

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
	columns: SnapshotColumns,
	scratch: Scratch,
): Aggregate {
	const dimensions = request.by.map((name) => new Dimension(name, columns));
	const [first, second] = dimensions;
	const largest = new LargestGroups(request.top);
	let groupCount = 0;
	const take: TakeGroup = (a, b, rows) => {
		if (rows < request.minCount) return;
		groupCount++;
		largest.offer(a, b, rows);
	};
	const selection = selectRows(plan, columns, scratch);
	const stored = second === undefined ? storedCounts(first, selection, columns) : null;
	if (stored !== null) takeCodeCounts(stored, first.groupOfCode, take);
	else {
		const rows = groupedRows(selection, scratch);
		scratch.work.add(selection.count * dimensions.length);
		if (second === undefined) groupByOne(rows, first, take);
		else groupByTwo(rows, first, second, take);
	}
	let listed = 0;
	const groups = largest.descending().map(({ first: a, second: b, rows }): AggregateGroup => {
		listed += rows;
		const by: Record<string, string | null> = { [first.name]: first.label(a) };
		if (second !== undefined) by[second.name] = second.label(b);
		return { by, rows };
	});
	return { groups, rows: selection.count, groupCount, otherRows: selection.count - listed };
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
	const offsets = codeOffsets(dimension.column, columns);
	if (offsets === null) return null;
	const { codeCount } = dimension;
	const counts = new Uint32Array(codeCount);
	for (let code = 0; code + 1 < codeCount; code++) counts[code] = offsets[code + 1] - offsets[code];
	counts[codeCount - 1] = columns.rows - (offsets[codeCount - 1] - offsets[0]);
	return counts;
}

/** Where the rows of each code begin in a list of them; null where there is no such list. */
function codeOffsets(column: Column, columns: SnapshotColumns): Uint32Array | null {
	if (LISTED_BY_VALUE.has(column.name)) return columns.postings.get(column).offsets;
	const isRanked = column.sortable && columns.dictionary.get(column).foldRanks === null;
	return isRanked ? columns.permutation.get(column).offsets : null;
}
