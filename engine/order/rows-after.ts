/**
 * Keyset pagination: the rows of a selection that follow a given row in the order asked for. The row alone
 * is the place, since a snapshot never changes: its values are the keys.
 *
 * By row: bits of the selection from the row on. By one column: the permutation from the row's position
 * on, found by binary search. By several: groups of equal first key from the row's own on, until they hold
 * a page, and the page of those. Selections of few rows are listed and selected from instead.
 *
 * Cost independent of the place: O(limit × rows / selected) positions, or O(selected) for few rows; by
 * several columns also the rows of the groups that the page touches.
 */

import { columnNamed } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { hasRow, takeRowsDown, takeRowsUp } from "../kernels/bitmap.js";
import { listRows } from "../kernels/list-rows.js";
import type { OrderPlan } from "../plan/plan.js";
import type { Scratch } from "../scratch.js";
import type { RowBitmap } from "../select/selection.js";
import { SortKeys } from "./sort-keys.js";
import { TopN } from "./top-n.js";

/** Up to this share of all rows, listing the selection costs less than scanning an index for it. */
const LISTED_SHARE = 64;

/**
 * Up to `limit` rows of `selected` after row `after`, from the first where it is null. Not a view; the
 * selection may lie in `scratch.selected`, and `scratch.list` is overwritten.
 */
export function rowsAfter(
	{ columns: sort, order }: Pick<OrderPlan, "columns" | "order">,
	selected: RowBitmap,
	after: number | null,
	limit: number,
	columns: SnapshotColumns,
	scratch: Scratch,
): Uint32Array {
	const out = new Uint32Array(Math.min(limit, selected.count));
	if (out.length === 0) return out;
	const descending = order === "desc";
	if (sort.length === 0) return out.subarray(0, takeByRow(selected, after, descending, out));
	const keys = new SortKeys(sort, order, columns);
	const isAfter = (row: number) => after === null || keys.compare(row, after, 0) > 0;
	const few = selected.count * LISTED_SHARE <= columns.permutation.get(columnNamed(sort[0])).rows.length;
	if (!few && sort.length === 1) {
		const scan = new GroupScan(sort[0], descending, columns);
		return out.subarray(0, takeByScan(scan, selected.words, after, out));
	}
	const { list } = scratch;
	let count = 0;
	if (few) {
		const listed = listRows(selected.words, selected.from, selected.to, selected.count, list, 0);
		for (let i = 0; i < listed; i++) if (isAfter(list[i])) list[count++] = list[i];
	} else {
		count = listGroups(
			new GroupScan(sort[0], descending, columns),
			selected.words,
			after,
			isAfter,
			out.length,
			list,
		);
	}
	const top = new TopN(sort, order, columns, scratch.arena, scratch.work);
	const taken = count === 0 ? 0 : top.select(list, count, 0, 0, Math.min(out.length, count), out, 0);
	return out.subarray(0, taken);
}

function takeByRow(selected: RowBitmap, after: number | null, descending: boolean, out: Uint32Array): number {
	const cursor = { skip: 0, taken: 0 };
	const { words, from, to } = selected;
	const first = Math.max(from << 5, after === null || descending ? 0 : after + 1);
	const end = Math.min(to << 5, after === null || !descending ? to << 5 : after);
	if (descending) takeRowsDown(words, first, end, out.length, cursor, out);
	else takeRowsUp(words, first, end, out.length, cursor, out);
	return cursor.taken;
}

/** The groups of equal fold of one column, in output order: values, then the rows without one. */
class GroupScan {
	readonly rows: Uint32Array;
	private readonly offsets: Uint32Array;
	private readonly folds: number;

	constructor(
		name: OrderPlan["columns"][number],
		readonly descending: boolean,
		private readonly columns: SnapshotColumns,
	) {
		this.column = columnNamed(name);
		const { rows, offsets } = columns.permutation.get(this.column);
		this.rows = rows;
		this.offsets = offsets;
		this.folds = columns.dictionary.get(this.column).folds;
	}

	private readonly column;

	/** The rank of a row's group, or of the first one. */
	first(after: number | null): number {
		if (after !== null) {
			const code = this.columns.codes.get(this.column)[after];
			return this.columns.dictionary.get(this.column).rank(code);
		}
		if (this.folds === 0) return 0;
		return this.descending ? this.folds - 1 : 0;
	}

	/** The rank that follows; null after the rows without a value. */
	next(rank: number): number | null {
		if (rank >= this.folds) return null;
		if (!this.descending) return rank + 1;
		return rank === 0 ? this.folds : rank - 1;
	}

	/** Positions of a rank's rows. */
	from(rank: number): number {
		return this.offsets[rank];
	}

	to(rank: number): number {
		return rank < this.folds ? this.offsets[rank + 1] : this.rows.length;
	}

	/** The first of positions [from, to), whose rows ascend, with a row of at least `row`. */
	positionOf(row: number, from: number, to: number): number {
		let low = from;
		let high = to;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.rows[middle] < row) low = middle + 1;
			else high = middle;
		}
		return low;
	}
}

/** Takes selected rows in the order of one column. */
function takeByScan(scan: GroupScan, words: Uint32Array, after: number | null, out: Uint32Array): number {
	let taken = 0;
	let own = after;
	for (
		let rank: number | null = scan.first(after);
		rank !== null && taken < out.length;
		rank = scan.next(rank)
	) {
		taken = takeOfGroup(scan, rank, words, own, out, taken);
		own = null;
	}
	return taken;
}

/** Takes the selected rows of one group, of its own group those after a row; returns the end. */
function takeOfGroup(
	scan: GroupScan,
	rank: number,
	words: Uint32Array,
	after: number | null,
	out: Uint32Array,
	at: number,
): number {
	const { rows, descending } = scan;
	let from = scan.from(rank);
	let to = scan.to(rank);
	if (after !== null && descending) to = scan.positionOf(after, from, to);
	else if (after !== null) from = scan.positionOf(after + 1, from, to);
	let end = at;
	const step = descending ? -1 : 1;
	for (let i = descending ? to - 1 : from; i >= from && i < to && end < out.length; i += step) {
		if (hasRow(words, rows[i])) out[end++] = rows[i];
	}
	return end;
}

/** Lists the selected rows of whole groups from that of `after` on until there are `wanted`; returns how many. */
function listGroups(
	scan: GroupScan,
	words: Uint32Array,
	after: number | null,
	isAfter: (row: number) => boolean,
	wanted: number,
	list: Uint32Array,
): number {
	let count = 0;
	let isOwnGroup = after !== null;
	for (let rank: number | null = scan.first(after); rank !== null && count < wanted; rank = scan.next(rank)) {
		const to = scan.to(rank);
		for (let i = scan.from(rank); i < to; i++) {
			const row = scan.rows[i];
			if (hasRow(words, row) && (!isOwnGroup || isAfter(row))) list[count++] = row;
		}
		isOwnGroup = false;
	}
	return count;
}
