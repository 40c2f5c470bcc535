/**
 * Execution of a plan's order: the rows of one page of a selection.
 *
 * Ways, each giving the same rows: take a stretch of the order as it is (every row matches), walk
 * the order and test rows in the selection's bitmap, or list the selection and select the page by
 * key. Several sort columns walk the first one's order group by group and go into a group with the
 * next column.
 */

import type { Run } from "../columns/runs.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import type { Plan } from "../plan/plan.js";
import type { Scratch } from "../scratch.js";
import { type BitmapSelection, runsAsBitmap, type Selection } from "../select/selection.js";
import { BitmapOrder } from "./bitmap/bitmap-page.js";
import { mergePage } from "./merge.js";
import { PageSelector } from "./top-rows.js";
import { openWalk, type Walk } from "./walk.js";

/** Writes the page's rows to `scratch.page`; returns how many. */
export function orderPage(
	plan: Plan,
	selection: Selection,
	offset: number,
	limit: number,
	columns: SnapshotColumns,
	scratch: Scratch,
): number {
	if (offset >= selection.count) return 0;
	const page: PageRequest = {
		plan,
		offset,
		limit: Math.min(limit, selection.count - offset),
		columns,
		scratch,
	};
	switch (selection.kind) {
		case "empty":
			return 0;
		case "slice":
			return takeSlice(page, selection.rows, selection.from, selection.count);
		case "merge": {
			const { order, parts } = plan;
			const merge = { column: order.columns[0], order: order.order, parts, offset, limit: page.limit };
			return mergePage(merge, columns, scratch);
		}
		case "list":
			if (selection.ascending && plan.order.columns.length === 0)
				return takeSlice(page, scratch.list, 0, selection.count);
			return selectFromList(page, selection.count);
		case "runs":
			return orderRuns(page, selection.runs, selection.count);
		case "bitmap":
			return orderBitmap(page, selection);
	}
}

/** Up to this many rows in runs are listed and selected from, not made a bitmap. */
const LISTED_ROWS_MAX = 4096;

interface PageRequest {
	readonly plan: Plan;
	readonly offset: number;
	/** Rows to write: no more than there are. */
	readonly limit: number;
	readonly columns: SnapshotColumns;
	readonly scratch: Scratch;
}

function selectFromList({ plan, offset, limit, columns, scratch }: PageRequest, count: number): number {
	const selector = new PageSelector(
		plan.order.columns,
		plan.order.order,
		columns,
		scratch.arena,
		scratch.work,
	);
	return selector.select(scratch.list, count, 0, offset, limit, scratch.page, 0);
}

/** Rows of a slice that lies in ascending order. */
function takeSlice(page: PageRequest, rows: Uint32Array, from: number, count: number): number {
	const { plan, offset, limit, scratch } = page;
	const descending = plan.order.order === "desc";
	for (let i = 0; i < limit; i++) {
		scratch.page[i] = rows[descending ? from + count - 1 - offset - i : from + offset + i];
	}
	return limit;
}

function orderRuns(page: PageRequest, runs: readonly Run[], count: number): number {
	const { plan, columns, scratch } = page;
	if (plan.order.columns.length === 0) return takeRuns(page, runs);
	const walk = openWalk(plan.order, 0, plan.state, columns);
	const whole = walk.to - walk.from === count;
	if (plan.order.columns.length === 1 && whole) return takeStretches(page, walk);
	if (count <= LISTED_ROWS_MAX) {
		let end = 0;
		for (const run of runs) for (let row = run.first; row < run.end; row++) scratch.list[end++] = row;
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
	for (const run of ordered) {
		const rows = run.end - run.first;
		for (let i = skip; i < rows && taken < limit; i++) {
			scratch.page[taken++] = descending ? run.end - 1 - i : run.first + i;
		}
		skip = Math.max(0, skip - rows);
		if (taken === limit) break;
	}
	return taken;
}

/** Rows of the order itself, every one of which matches. */
function takeStretches({ plan, offset, limit, scratch }: PageRequest, walk: Walk): number {
	const descending = plan.order.order === "desc";
	let skip = offset;
	let taken = 0;
	for (const { from, to } of walk.stretches()) {
		const positions = to - from;
		for (let i = skip; i < positions && taken < limit; i++) {
			scratch.page[taken++] = walk.row(descending ? to - 1 - i : from + i);
		}
		skip = Math.max(0, skip - positions);
	}
	return taken;
}

function orderBitmap(page: PageRequest, selection: BitmapSelection): number {
	const { plan, offset, limit, columns, scratch } = page;
	return new BitmapOrder(plan, columns, scratch).page(selection, offset, limit);
}
