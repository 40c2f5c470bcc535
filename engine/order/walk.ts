/**
 * Walking a sort order: the rows of one column's order, as positions, with the rows without a
 * value last whichever way it is walked (DESIGN §4).
 */

import { type Codes, columnNamed, type Dictionary, type StateRun } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { firstPositionAtLeast, firstRowAtLeast } from "../kernels/codes.js";
import type { OrderPlan } from "../plan/plan.js";
import type { Order } from "../query.js";

/** A stretch of positions to walk, upwards or downwards. Half-open. */
export interface Stretch {
	readonly from: number;
	readonly to: number;
}

export class Walk {
	/** First position without a value; `to` where all have one. */
	readonly nullsFrom: number;
	readonly descending: boolean;

	constructor(
		/** Rows by position; null where a position is its row. */
		readonly rows: Uint32Array | null,
		readonly from: number,
		readonly to: number,
		private readonly order: Order,
		private readonly codes: Codes,
		private readonly dictionary: Dictionary,
		/** Where each rank begins, of the order of a whole snapshot; null where that is to be looked for. */
		private readonly offsets: Uint32Array | null,
	) {
		this.nullsFrom = this.firstOfCode(from, to, dictionary.distinct);
		this.descending = order === "desc";
	}

	/** The walk over a part of the positions. */
	part({ from, to }: Stretch): Walk {
		return new Walk(this.rows, from, to, this.order, this.codes, this.dictionary, this.offsets);
	}

	/** The row at a position. */
	row(position: number): number {
		return this.rows === null ? position : this.rows[position];
	}

	/** The stretches in the order they are walked: values, then nulls. */
	stretches(): Stretch[] {
		return [
			{ from: this.from, to: this.nullsFrom },
			{ from: this.nullsFrom, to: this.to },
		];
	}

	/** The first `steps` positions of a stretch, as it is walked. */
	begin({ from, to }: Stretch, steps: number): Stretch {
		return this.descending
			? { from: Math.max(from, to - steps), to }
			: { from, to: Math.min(to, from + steps) };
	}

	/** The part of a stretch that is walked from `position` on. */
	beyond(position: number, { from, to }: Stretch): Stretch {
		return this.descending ? { from, to: position + 1 } : { from: position, to };
	}

	/** The position of a stretch that is walked last. */
	end({ from, to }: Stretch): number {
		return this.descending ? from : to - 1;
	}

	/** The group of a stretch that is walked first; null where the stretch is empty. Cost that of {@link group}. */
	firstGroup(stretch: Stretch): Stretch | null {
		if (stretch.from === stretch.to) return null;
		return this.group(this.descending ? stretch.to - 1 : stretch.from, stretch);
	}

	/** The group of a stretch that is walked after `group`; null after the last. Cost that of {@link group}. */
	nextGroup(group: Stretch, { from, to }: Stretch): Stretch | null {
		return this.firstGroup(this.descending ? { from, to: group.from } : { from: group.to, to });
	}

	/** Fold rank of the row at a position. */
	rank(position: number): number {
		return this.dictionary.rank(this.codes[this.row(position)]);
	}

	/** The group of equal fold that `position` lies in, within `stretch`. Cost O(1) in the order of a snapshot, else O(log group). */
	group(position: number, { from, to }: Stretch): Stretch {
		const rank = this.rank(position);
		if (this.offsets !== null && rank < this.dictionary.folds) {
			// It holds the position even where damaged offsets do not, so that a walk over groups gets on.
			return {
				from: Math.min(position, Math.max(from, this.offsets[rank])),
				to: Math.max(position + 1, Math.min(to, this.offsets[rank + 1])),
			};
		}
		return { from: this.groupStart(position + 1, rank, from), to: this.groupEnd(position, rank, to) };
	}

	/** One past the last position of the group of equal fold that `position` begins. Cost O(log group). */
	private groupEnd(position: number, rank: number, end: number): number {
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

	/** First position of the group of equal fold that ends before `end`. Cost O(log group). */
	private groupStart(end: number, rank: number, start: number): number {
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
	 * Steps of the walk before the rows of a key by code (sort-keys.ts), or of any that follows; of a key
	 * within a fold somewhere in that fold. Cost O(log positions).
	 */
	stepsBefore(key: number): number {
		const { distinct } = this.dictionary;
		if (key > distinct) return this.to - this.from;
		if (this.descending) return this.nullsFrom - this.firstOfCode(this.from, this.nullsFrom, distinct - key);
		return this.firstOfCode(this.from, this.nullsFrom, key) - this.from;
	}

	/** The first of positions [from, to) whose code is at least `code`, which begins a fold. Cost O(log positions). */
	firstOfCode(from: number, to: number, code: number): number {
		if (this.rows === null) return firstRowAtLeast(this.codes, from, to, code);
		return firstPositionAtLeast(this.rows, this.codes, from, to, code);
	}
}

/** The walk over the order of sort column `depth`: of the whole snapshot, or of `state` alone. */
export function openWalk(
	order: OrderPlan,
	depth: number,
	state: StateRun | null,
	columns: SnapshotColumns,
): Walk {
	const column = columnNamed(order.columns[depth]);
	const permutation = columns.permutation.get(column);
	const codes = columns.codes.get(column);
	const dictionary = columns.dictionary.get(column);
	const rows = state === null ? permutation.rows : permutation.byState;
	const offsets = state === null ? permutation.offsets : null;
	if (depth === 0) {
		const { from, to } = order.walk;
		return new Walk(rows, from, to, order.order, codes, dictionary, offsets);
	}
	const from = state === null ? 0 : state.first;
	const to = state === null ? permutation.rows.length : state.first + state.rows;
	return new Walk(rows, from, to, order.order, codes, dictionary, offsets);
}
