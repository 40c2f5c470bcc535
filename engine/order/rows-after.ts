/**
 * Keyset pagination: the rows of a selection that follow a given row in the sort order. The row alone
 * identifies the position, since a snapshot never changes: its values are the keys.
 *
 * By row: bits of the selection from the row on. By one column: the permutation from the row's position on,
 * found by binary search. By several: groups of equal first key from the row's own on; large groups are ordered
 * by the other columns. Small selections are listed and selected from instead.
 *
 * The cost is independent of the position: O(limit × rows / selected) positions, or O(selected) for few rows;
 * by several columns, also the rows of the groups that the page overlaps.
 */

import { type Column, columnNamed } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { hasRow, takeRowsDown, takeRowsUp } from "../kernels/bitmap.js";
import { listMatches } from "../kernels/bitmap-probe.js";
import { firstIndexAtLeast } from "../kernels/codes.js";
import { listRows } from "../kernels/list-rows.js";
import type { OrderPlan } from "../plan/plan.js";
import type { RowArena, Scratch } from "../scratch.js";
import type { RowBitmap } from "../select/selection.js";
import { LISTED_SHARE } from "../tuning.js";
import { PeerGroups } from "./bitmap/peer-groups.js";
import { type IndexScan, openScan } from "./index-scan.js";
import { SortKeys } from "./sort-keys.js";
import { TopN } from "./top-n.js";

/** A page by keyset. */
export interface KeysetPage {
	readonly order: Pick<OrderPlan, "columns" | "order">;
	/** What rows are taken of; may be in `scratch.selected`. */
	readonly selected: RowBitmap;
	/** The row that the page follows; null: it is the first. */
	readonly after: number | null;
	/** As many rows are taken as it has room for. */
	readonly out: Uint32Array;
	readonly columns: SnapshotColumns;
	readonly scratch: Scratch;
}

/**
 * The rows of the page by the order's columns from `depth` on, a view of its `out`. `scratch.list` is overwritten, as
 * are its peer bitmaps from `depth` on.
 */
export function rowsAfter(page: KeysetPage, depth = 0): Uint32Array {
	const { selected, after, out, columns, scratch } = page;
	if (out.length === 0) return out;
	const { order } = page.order;
	const sort = page.order.columns.slice(depth);
	const descending = order === "desc";
	if (sort.length === 0) return out.subarray(0, takeByRow(selected, after, descending, out));
	const few = selected.count * LISTED_SHARE <= columns.permutation.get(columnNamed(sort[0])).rows.length;
	if (!few && sort.length === 1) {
		const scan = new GroupScan(sort[0], descending, columns);
		return out.subarray(0, takeByScan(scan, selected.words, after, out));
	}
	if (!few) {
		const groups = new GroupPage(page, depth);
		return out.subarray(0, groups.take());
	}
	const { list } = scratch;
	const listed = listRows(selected.words, selected.from, selected.to, selected.count, list, 0);
	const keys = new SortKeys(sort, order, columns);
	const count = after === null ? listed : keepAfter(list.subarray(0, listed), after, 0, keys, scratch.arena);
	const top = new TopN(sort, order, columns, scratch.arena, scratch.work);
	const taken =
		count === 0 ? 0 : top.select(list.subarray(0, count), 0, { offset: 0, limit: out.length }, out, 0);
	return out.subarray(0, taken);
}

/**
 * Moves those of a list's rows that follow row `after` by the sort columns from `depth` on to its beginning, in their
 * order; returns how many. By the keys of the first of these columns, of which few are equal: comparing each row takes
 * ten times as long.
 */
function keepAfter(list: Uint32Array, after: number, depth: number, keys: SortKeys, arena: RowArena): number {
	const mark = arena.mark();
	const ranks = arena.take(list.length);
	keys.readRanks(list, depth, ranks);
	const own = arena.take(1);
	keys.readRanks(Uint32Array.of(after), depth, own);
	const [least] = own;
	let kept = 0;
	for (let i = 0; i < list.length; i++) {
		const row = list[i];
		if (ranks[i] > least || (ranks[i] === least && keys.compare(row, after, depth + 1) > 0))
			list[kept++] = row;
	}
	arena.release(mark);
	return kept;
}

function takeByRow(selected: RowBitmap, after: number | null, descending: boolean, out: Uint32Array): number {
	const page = { skip: 0, taken: 0, end: out.length, out };
	const { words, from, to } = selected;
	const first = Math.max(from << 5, after === null || descending ? 0 : after + 1);
	const end = Math.min(to << 5, after === null || !descending ? to << 5 : after);
	if (descending) takeRowsDown(words, first, end, page);
	else takeRowsUp(words, first, end, page);
	return page.taken;
}

/** The groups of equal fold of one column, in output order: values, then the rows without one. */
class GroupScan {
	readonly rows: Uint32Array;
	private readonly column: Column;
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

	/** The rank of a row's group, or of the first one. */
	first(after: number | null): number {
		if (after !== null) {
			const code = this.columns.codes.get(this.column)[after];
			return this.columns.dictionary.get(this.column).rank(code);
		}
		if (this.folds === 0) return 0;
		return this.descending ? this.folds - 1 : 0;
	}

	/** The next rank; null after the rows without a value. */
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

	/** Writes the selected rows of one group to out[at…), in the row's own group only those after it; returns the end. */
	take(rank: number, words: Uint32Array, after: number | null, out: Uint32Array, at: number): number {
		const { rows, descending } = this;
		let from = this.from(rank);
		let to = this.to(rank);
		if (after !== null && descending) to = firstIndexAtLeast(rows, from, to, after);
		else if (after !== null) from = firstIndexAtLeast(rows, from, to, after + 1);
		let end = at;
		const step = descending ? -1 : 1;
		for (let i = descending ? to - 1 : from; i >= from && i < to && end < out.length; i += step) {
			if (hasRow(words, rows[i])) out[end++] = rows[i];
		}
		return end;
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
		taken = scan.take(rank, words, own, out, taken);
		own = null;
	}
	return taken;
}

/**
 * A page by several columns, group by group of the first. Small groups are listed together until they contain
 * the page, which is then selected from the list; in a large group, the other columns' orders determine the
 * rows.
 */
class GroupPage {
	private readonly scan: GroupScan;
	private readonly keys: SortKeys;
	/** The columns from `depth` on. */
	private readonly sort: OrderPlan["columns"];
	private readonly peers: PeerGroups;
	/** What peer groups are taken out by; null before one is. */
	private index: IndexScan | null = null;
	private listed = 0;
	private taken = 0;

	constructor(
		private readonly page: KeysetPage,
		private readonly depth: number,
	) {
		const { order, columns, scratch } = page;
		this.sort = order.columns.slice(depth);
		this.scan = new GroupScan(this.sort[0], order.order === "desc", columns);
		this.keys = new SortKeys(this.sort, order.order, columns);
		this.peers = new PeerGroups(order, null, columns, scratch);
	}

	/** Fills the page's `out` as far as there are rows; returns how many. */
	take(): number {
		const { scan } = this;
		const { out } = this.page;
		let own = this.page.after;
		for (let rank: number | null = scan.first(own); rank !== null; rank = scan.next(rank)) {
			const size = scan.to(rank) - scan.from(rank);
			if (size * LISTED_SHARE > scan.rows.length) this.takeLarge(rank, own);
			else this.list(rank, own);
			own = null;
			if (this.taken + this.listed >= out.length) break;
		}
		this.selectListed();
		return this.taken;
	}

	private list(rank: number, after: number | null): void {
		const { scan, keys, listed } = this;
		const { selected, scratch } = this.page;
		const { list, arena } = scratch;
		this.listed = listMatches(scan.rows, selected.words, scan.from(rank), scan.to(rank), list, listed);
		// The rows of the row's own group have its value of the first column.
		if (after !== null)
			this.listed = listed + keepAfter(list.subarray(listed, this.listed), after, 1, keys, arena);
	}

	private takeLarge(rank: number, after: number | null): void {
		this.selectListed();
		const { page, sort, scan, peers, depth } = this;
		this.index ??= openScan(sort[0], page.order.order, null, null, page.columns);
		const range = { from: scan.from(rank), to: scan.to(rank) };
		const selected = peers.narrow(page.selected, this.index, range, depth, null);
		const end = Math.min(page.out.length, this.taken + selected.count);
		const out = page.out.subarray(this.taken, end);
		this.taken += rowsAfter({ ...page, selected, after, out }, depth + 1).length;
	}

	/** Takes as many of the listed rows as fit. */
	private selectListed(): void {
		const { sort, listed } = this;
		const { order, columns, scratch, out } = this.page;
		const room = Math.min(listed, out.length - this.taken);
		this.listed = 0;
		if (room === 0) return;
		const top = new TopN(sort, order.order, columns, scratch.arena, scratch.work);
		this.taken = top.select(scratch.list.subarray(0, listed), 0, { offset: 0, limit: room }, out, this.taken);
	}
}
