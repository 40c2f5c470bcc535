/**
 * Index scan: the rows of one column's sort order by position, ascending or descending, with the rows
 * without a value last in both. The index is a permutation of the snapshot's rows or of one state's; where
 * the order is that of the rows themselves, there is none and a position is its row.
 */

import {
	type Codes,
	type Column,
	type ColumnName,
	columnNamed,
	type Dictionary,
	type Range,
	type StateRun,
} from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { firstPositionAtLeast, firstRowAtLeast } from "../kernels/codes.js";
import type { OrderPlan } from "../plan/plan.js";
import type { Order } from "../query.js";

/** What a column's order is read from. */
interface ColumnIndex {
	/** Rows by position; null where a position is its row. */
	readonly rows: Uint32Array | null;
	/** First position of each fold rank, in the order of a whole snapshot; null where binary search finds it. */
	readonly offsets: Uint32Array | null;
	readonly codes: Codes;
	readonly dictionary: Dictionary;
}

export class IndexScan {
	readonly rows: Uint32Array | null;
	readonly from: number;
	readonly to: number;
	/** First position without a value; `to` where all have one. */
	readonly nullsFrom: number;
	readonly descending: boolean;
	private readonly codes: Codes;
	private readonly dictionary: Dictionary;
	private readonly offsets: Uint32Array | null;

	/** The scan of positions [from, to) of an index. */
	constructor(
		private readonly index: ColumnIndex,
		{ from, to }: Range,
		private readonly order: Order,
	) {
		const { rows, offsets, codes, dictionary } = index;
		this.rows = rows;
		this.from = from;
		this.to = to;
		this.codes = codes;
		this.dictionary = dictionary;
		this.offsets = offsets;
		this.nullsFrom =
			offsets === null
				? this.firstOfCode(from, to, dictionary.distinct)
				: Math.min(to, Math.max(from, offsets[dictionary.folds]));
		this.descending = order === "desc";
	}

	/** The scan of some of the positions. */
	within(range: Range): IndexScan {
		return new IndexScan(this.index, range, this.order);
	}

	/** The row at a position. */
	row(position: number): number {
		return this.rows === null ? position : this.rows[position];
	}

	/** Slices in scan order: positions with a value, then those without. */
	slices(): Range[] {
		return [
			{ from: this.from, to: this.nullsFrom },
			{ from: this.nullsFrom, to: this.to },
		];
	}

	/** The `steps` positions of a slice that are scanned first. */
	head({ from, to }: Range, steps: number): Range {
		return this.descending
			? { from: Math.max(from, to - steps), to }
			: { from, to: Math.min(to, from + steps) };
	}

	/** The part of a slice that is scanned from `position` on. */
	beyond(position: number, { from, to }: Range): Range {
		return this.descending ? { from, to: position + 1 } : { from: position, to };
	}

	/** The position of a slice that is scanned last. */
	end({ from, to }: Range): number {
		return this.descending ? from : to - 1;
	}

	/** The peer group of a slice that is scanned first; null where the slice is empty. Cost that of {@link peersAt}. */
	firstPeers(slice: Range): Range | null {
		if (slice.from === slice.to) return null;
		return this.peersAt(this.descending ? slice.to - 1 : slice.from, slice);
	}

	/** The peer group of a slice that is scanned after `peers`; null after the last. Cost that of {@link peersAt}. */
	nextPeers(peers: Range, { from, to }: Range): Range | null {
		return this.firstPeers(this.descending ? { from, to: peers.from } : { from: peers.to, to });
	}

	/** Fold rank of the row at a position. */
	rank(position: number): number {
		return this.dictionary.rank(this.codes[this.row(position)]);
	}

	/**
	 * The peer group (positions of equal fold) that holds `position`, within `slice`. Cost O(1) in the order
	 * of a snapshot, else O(log peers).
	 */
	peersAt(position: number, { from, to }: Range): Range {
		const rank = this.rank(position);
		if (this.offsets !== null && rank < this.dictionary.folds) {
			// Always contains the position, even with corrupt offsets, so that iterating over peers terminates.
			return {
				from: Math.min(position, Math.max(from, this.offsets[rank])),
				to: Math.max(position + 1, Math.min(to, this.offsets[rank + 1])),
			};
		}
		return { from: this.peersFrom(position + 1, rank, from), to: this.peersTo(position, rank, to) };
	}

	/** One past the last position of the peers that begin at or before `position`, by exponential search. Cost O(log peers). */
	private peersTo(position: number, rank: number, end: number): number {
		if (rank >= this.dictionary.folds) return end;
		let step = 1;
		let low = position;
		while (low + step < end && this.rank(low + step) === rank) {
			low += step;
			step *= 2;
		}
		let high = Math.min(end, low + step);
		low++;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.rank(middle) === rank) low = middle + 1;
			else high = middle;
		}
		return low;
	}

	/** First position of the peers that end at or after `end`, by exponential search. Cost O(log peers). */
	private peersFrom(end: number, rank: number, start: number): number {
		if (rank >= this.dictionary.folds) return start;
		let step = 1;
		let high = end - 1;
		while (high - step >= start && this.rank(high - step) === rank) {
			high -= step;
			step *= 2;
		}
		let low = Math.max(start, high - step);
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.rank(middle) === rank) high = middle;
			else low = middle + 1;
		}
		return high;
	}

	/**
	 * Steps of the scan before the first row whose key by code (sort-keys.ts) is `key` or more. A key inside a
	 * fold gives a position somewhere in that fold. Cost O(log positions).
	 */
	stepsBefore(key: number): number {
		const { distinct } = this.dictionary;
		if (key > distinct) return this.to - this.from;
		if (this.descending) return this.nullsFrom - this.firstOfCode(this.from, this.nullsFrom, distinct - key);
		return this.firstOfCode(this.from, this.nullsFrom, key) - this.from;
	}

	/** The first of positions [from, to) whose code is at least `code`, the first code of a fold. Cost O(log positions). */
	firstOfCode(from: number, to: number, code: number): number {
		if (this.rows === null) return firstRowAtLeast(this.codes, from, to, code);
		return firstPositionAtLeast(this.rows, this.codes, from, to, code);
	}
}

/** The scan of the index of sort column `depth`: of the whole snapshot, or of `state` alone. */
export function openIndexScan(
	order: OrderPlan,
	depth: number,
	state: StateRun | null,
	columns: SnapshotColumns,
): IndexScan {
	const range = depth === 0 ? order.scan : null;
	return openScan(order.columns[depth], order.order, range, state, columns);
}

/** The scan of some positions of a column's index, of the whole snapshot or of `state` alone; null: of all its rows. */
export function openScan(
	name: ColumnName,
	order: Order,
	range: Range | null,
	state: StateRun | null,
	columns: SnapshotColumns,
): IndexScan {
	const column = columnNamed(name);
	if (state !== null) return scanOfState(column, order, range ?? positionsOf(state), columns);
	const { rows, offsets } = columns.permutation.get(column);
	const codes = columns.codes.get(column);
	const dictionary = columns.dictionary.get(column);
	const whole = { from: 0, to: rows.length };
	return new IndexScan({ rows, offsets, codes, dictionary }, range ?? whole, order);
}

/** The scan of some positions of the orders by state of a column. */
export function scanOfState(column: Column, order: Order, range: Range, columns: SnapshotColumns): IndexScan {
	const rows = columns.permutation.get(column).byState;
	const codes = columns.codes.get(column);
	const dictionary = columns.dictionary.get(column);
	return new IndexScan({ rows, offsets: null, codes, dictionary }, range, order);
}

/** A state's positions in the orders by state, which are those of its rows. */
export function positionsOf({ first, rows }: StateRun): Range {
	return { from: first, to: first + rows };
}
