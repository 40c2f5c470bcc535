/**
 * The first of many groups in some order, or those after a position in it, offered one by one: a binary heap of
 * bounded size with the last of them at its root, once it is full. Its cost does not depend on the position.
 */

import type { GroupPairs } from "./group-rows.js";

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

	/** Cost O(1) for a group that comes after all that are kept, else O(log most); O(most) for the last of the first `most`. */
	offer(first: number, second: number, rows: number): void {
		if (rows < this.fewest) {
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
		if (order === byRows && heap.length === most) this.fewest = heap[0].rows;
	}

	/**
	 * Offers group i with counts[i] rows if those are at least `least`, which is positive: of number i where `pairs`
	 * is null, else the pair at i. Returns how many it offered. Cost O(groups): what comes after all that are kept
	 * costs one comparison.
	 */
	offerCounts(counts: Uint32Array, pairs: GroupPairs | null, least: number): number {
		let offered = 0;
		for (let i = 0; i < counts.length; i++) {
			const rows = counts[i];
			if (rows < least) continue;
			offered++;
			if (rows < this.fewest) this.hasMore = true;
			else if (pairs === null) this.offer(i, 0, rows);
			else this.offer(pairs.firsts[i], pairs.seconds[i], rows);
		}
		return offered;
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
