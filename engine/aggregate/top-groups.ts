/**
 * The first of many groups in some order, or those after a position in it, offered one by one: a binary heap of
 * bounded size with the last of them at its root, once it is full. Its cost does not depend on the position.
 */

import {
	COUNTERS_MAX,
	counterAt,
	countersAtLeast,
	listCounters,
	readCounters,
} from "../kernels/group-counts.js";
import type { GroupCounters } from "./group-rows.js";

/** Counters that are read at a time until as many groups are kept as are wanted. */
const FIRST_COUNTERS = 256;

export interface CountedGroup {
	/** Index of the group in the first dimension, and in the second, or 0. */
	readonly first: number;
	readonly second: number;
	readonly rows: number;
}

/** Negative if `a` precedes `b`. */
export type GroupOrder = (a: CountedGroup, b: CountedGroup) => number;

/** By index, which is ascending by value. */
export const byValue: GroupOrder = (a, b) => a.first - b.first || a.second - b.second;

/** By descending rows, then by value. */
export const byRows: GroupOrder = (a, b) => b.rows - a.rows || byValue(a, b);

export class TopGroups {
	private readonly heap: CountedGroup[] = [];
	/** The offered group, before it is known whether it is kept. */
	private readonly offered = { first: 0, second: 0, rows: 0 };

	/** Whether further groups come after those that are kept. */
	hasMore = false;

	/** Keeps the first `most` groups of those that come after `after`, if given. */
	constructor(
		private readonly most: number,
		private readonly order: GroupOrder,
		private readonly after?: CountedGroup,
	) {}

	/** Groups with fewer rows come after all that are kept. */
	private fewest = 0;
	/** So do those with a larger index in the first dimension. */
	private largest = Number.POSITIVE_INFINITY;

	/** Cost O(1) for a group that comes after all that are kept, else O(log most); O(most) for the last of the first `most`. */
	offer(first: number, second: number, rows: number): void {
		if (rows < this.fewest || first > this.largest) {
			this.hasMore = true;
			return;
		}
		const { heap, most, order, offered, after } = this;
		if (heap.length === most || after !== undefined) {
			offered.first = first;
			offered.second = second;
			offered.rows = rows;
			if (after !== undefined && order(offered, after) <= 0) return;
		}
		if (heap.length === most) {
			this.hasMore = true;
			if (order(offered, heap[0]) > 0) return;
			heap[0] = { first, second, rows };
			this.sink(0);
		} else {
			heap.push({ first, second, rows });
			// It becomes a heap when it is full: groups that arrive in order would each rise to the root.
			if (heap.length === most) for (let at = most >>> 1; at >= 0; at--) this.sink(at);
		}
		if (heap.length < most) return;
		if (order === byRows) this.fewest = heap[0].rows;
		else if (order === byValue) this.largest = heap[0].first;
	}

	/**
	 * Offers the group of each counter that is at least `least`, which is positive; returns how many there are. Cost
	 * O(groups), a nanosecond each for those that come after all that are kept.
	 */
	offerCounts({ counts, stored, pairs }: GroupCounters, least: number): number {
		let atLeast = 0;
		let offered = 0;
		for (let from = 0; from < counts.length; ) {
			// Until enough are kept, each group is offered.
			const most = this.fewest === 0 ? FIRST_COUNTERS : COUNTERS_MAX;
			const to = Math.min(from + most, counts.length);
			readCounters(counts, stored, from, to);
			atLeast += countersAtLeast(least);
			const large = listCounters(Math.max(least, this.fewest));
			for (let i = 0; i < large.length; i++) {
				const at = from + large[i];
				const rows = counterAt(large[i]);
				if (pairs === null) this.offer(at, 0, rows);
				else this.offer(pairs.firsts[at], pairs.seconds[at], rows);
			}
			offered += large.length;
			from = to;
		}
		// The others have fewer rows than all that are kept.
		if (atLeast > offered) this.hasMore = true;
		return atLeast;
	}

	/** The groups kept, in order. */
	inOrder(): readonly CountedGroup[] {
		return [...this.heap].sort(this.order);
	}

	private sink(from: number): void {
		const { heap, order } = this;
		for (let at = from; ; ) {
			let last = at;
			for (let child = 2 * at + 1; child <= 2 * at + 2 && child < heap.length; child++) {
				if (order(heap[child], heap[last]) > 0) last = child;
			}
			if (last === at) return;
			[heap[at], heap[last]] = [heap[last], heap[at]];
			at = last;
		}
	}
}
