/**
 * The order step of a query: the rows of one page of a selection. Where the selection is in order already,
 * the page is a slice of it; states' orders are merged (merge-states.ts); rows that are only counted are tested in order
 * (test-in-order.ts), or found in the page's blocks or at its positions (seek-positions.ts); a list goes through top-N
 * selection (top-n.ts) and a bitmap through bitmap/order-bitmap.ts.
 */

import type { Run } from "../columns/runs.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { takeRowsDown, takeRowsUp } from "../kernels/bitmap.js";
import { firstIndexAtLeast } from "../kernels/codes.js";
import { bestMatches } from "../names/best-match.js";
import type { Plan } from "../plan/plan.js";
import type { Scratch } from "../scratch.js";
import { findWithin, runsAsBitmap, selectRows } from "../select/select-rows.js";
import {
	type BitmapSelection,
	type BlockSelection,
	type NamesSelection,
	type PageSelection,
	wordsOfRuns,
} from "../select/selection.js";
import { withoutOrder } from "../select/selection-bitmap.js";
import type { AccessPath } from "../trace.js";
import { LISTED_ROWS_MAX } from "../tuning.js";
import { BitmapOrder } from "./bitmap/order-bitmap.js";
import { type IndexScan, openIndexScan } from "./index-scan.js";
import { mergePage } from "./merge-states.js";
import type { PageRequest, PageWindow } from "./page-window.js";
import { seekPositions } from "./seek-positions.js";
import { testInOrder } from "./test-in-order.js";
import { TopN } from "./top-n.js";

/** Writes the window's rows, as far as they exist, to `scratch.page`; returns how many. What it did is in `scratch.trace`. */
export function orderPage(
	plan: Plan,
	selection: PageSelection,
	{ offset, limit }: PageWindow,
	columns: SnapshotColumns,
	scratch: Scratch,
): number {
	if (offset >= selection.count) return 0;
	const page = { plan, offset, limit: Math.min(limit, selection.count - offset), columns, scratch };
	switch (selection.kind) {
		case "empty":
			return 0;
		case "slice":
			return takeSlice(page, selection.rows, selection.from, selection.count);
		case "merge":
			return mergeStates(page, selection.count);
		case "counted":
			return takeOrFind(page, "test in order", selection.count, () => testInOrder(page, selection.count));
		case "list":
			if (selection.ascending && plan.order.columns.length === 0)
				return takeSlice(page, scratch.list, 0, selection.count);
			return selectFromList(page, selection.count);
		case "names":
			return orderMatches(page, selection);
		case "runs":
			return orderRuns(page, selection.runs, selection.count);
		case "bitmap":
			return orderBitmap(page, selection);
		case "blocks":
			return traced(page, "seek blocks", selection.count, () => takeFromBlocks(page, selection));
		case "positions":
			return takeOrFind(page, "seek positions", selection.count, () =>
				seekPositions(page, selection.counted),
			);
	}
}

function orderMatches(page: PageRequest, selection: NamesSelection): number {
	const { plan, offset, limit, scratch } = page;
	const { columns, byMatch, order } = plan.order;
	if (byMatch)
		return traced(page, "best match", selection.count, () =>
			bestMatches(selection, order, offset, limit, scratch.page),
		);
	if (columns.length === 0) return takeSlice(page, scratch.list, 0, selection.count);
	return selectFromList(page, selection.count);
}

function mergeStates(page: PageRequest, count: number): number {
	return traced(page, "merge states", count, () => mergePage(page));
}

/** Takes rows that are counted but not found; where `take` gives up, since it is too far to them, finds all and orders these. */
function takeOrFind(page: PageRequest, path: AccessPath, count: number, take: () => number | null): number {
	const { plan, columns, scratch } = page;
	const { trace, work } = scratch;
	const step = trace.begin(path, plan.order.columns[0] ?? "id", count, work.elements);
	const taken = take();
	trace.end(step, work.elements, taken === null ? "given up" : "done");
	if (taken !== null) return taken;
	const selection = selectRows(withoutOrder(plan), columns, scratch);
	return orderPage(plan, selection, page, columns, scratch);
}

function selectFromList(page: PageRequest, count: number): number {
	const { plan, columns, scratch } = page;
	const topN = new TopN(plan.order.columns, plan.order.order, columns, scratch.arena, scratch.work);
	return traced(page, "top-N", count, () =>
		topN.select(scratch.list.subarray(0, count), 0, page, scratch.page, 0),
	);
}

/** Rows of a slice that is in ascending order. */
function takeSlice(page: PageRequest, rows: Uint32Array, from: number, count: number): number {
	const { plan, offset, limit, scratch } = page;
	const { trace, work } = scratch;
	const descending = plan.order.order === "desc";
	// Not by `traced`: for a page of one row, its closure would cost more than the row.
	const step = trace.begin("take in order", plan.order.columns[0] ?? "id", count, work.elements);
	for (let i = 0; i < limit; i++) {
		scratch.page[i] = rows[descending ? from + count - 1 - offset - i : from + offset + i];
	}
	trace.end(step, work.elements);
	return limit;
}

function orderRuns(page: PageRequest, runs: readonly Run[], count: number): number {
	const { plan, columns, scratch } = page;
	if (plan.order.columns.length === 0)
		return traced(page, "take in order", count, () => takeRuns(page, runs));
	const scan = openIndexScan(plan.order, 0, plan.state, columns);
	const whole = scan.to - scan.from === count;
	if (plan.order.columns.length === 1 && whole)
		return traced(page, "take in order", count, () => takeIndex(page, scan));
	if (count <= LISTED_ROWS_MAX) {
		let end = 0;
		for (const run of runs) for (let row = run.from; row < run.to; row++) scratch.list[end++] = row;
		return selectFromList(page, count);
	}
	return orderBitmap(page, runsAsBitmap(runs, scratch));
}

/** Rows of the runs by id. */
function takeRuns({ plan, offset, limit, scratch }: PageRequest, runs: readonly Run[]): number {
	const descending = plan.order.order === "desc";
	const ordered = descending ? [...runs].reverse() : runs;
	let skip = offset;
	let taken = 0;
	for (const { from, to } of ordered) {
		const rows = to - from;
		for (let i = skip; i < rows && taken < limit; i++) {
			scratch.page[taken++] = descending ? to - 1 - i : from + i;
		}
		skip = Math.max(0, skip - rows);
		if (taken === limit) break;
	}
	return taken;
}

/** Rows of an index, every one of which matches. */
function takeIndex({ plan, offset, limit, scratch }: PageRequest, scan: IndexScan): number {
	const descending = plan.order.order === "desc";
	let skip = offset;
	let taken = 0;
	for (const { from, to } of scan.slices()) {
		const positions = to - from;
		for (let i = skip; i < positions && taken < limit; i++) {
			scratch.page[taken++] = scan.row(descending ? to - 1 - i : from + i);
		}
		skip = Math.max(0, skip - positions);
	}
	return taken;
}

function orderBitmap(page: PageRequest, selection: BitmapSelection): number {
	const { plan, columns, scratch } = page;
	return new BitmapOrder(plan, columns, scratch).page(selection, page);
}

/** Finds the rows of the blocks that the page lies in, and takes the page of them. */
function takeFromBlocks(
	{ plan, offset, limit, columns, scratch }: PageRequest,
	{ count, blocks }: BlockSelection,
): number {
	const descending = plan.order.order === "desc";
	const { before, blockWords } = blocks;
	// The page's rows are those from the `from`-th on, in ascending order.
	const from = descending ? count - offset - limit : offset;
	const end = firstIndexAtLeast(before, 0, before.length, from + limit);
	const first = firstIndexAtLeast(before, 0, end, from + 1) - 1;
	const whole = wordsOfRuns(plan.runs);
	const range = {
		from: Math.max(first * blockWords, whole.from),
		to: Math.min(end * blockWords, whole.to),
	};
	const words = findWithin(plan, range, columns, scratch);
	const skip = descending ? before[end] - from - limit : from - before[first];
	const page = { skip, taken: 0, end: limit, out: scratch.page };
	const take = descending ? takeRowsDown : takeRowsUp;
	take(words, range.from << 5, range.to << 5, page);
	return page.taken;
}

/** Runs the one step of a page that takes a single path. */
function traced({ plan, scratch }: PageRequest, path: AccessPath, rows: number, take: () => number): number {
	const { trace, work } = scratch;
	const step = trace.begin(path, plan.order.columns[0] ?? "id", rows, work.elements);
	const taken = take();
	trace.end(step, work.elements);
	return taken;
}
