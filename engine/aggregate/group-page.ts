/**
 * A page of many groups in some order, at any position: all groups are taken, and those of the page are found by
 * quickselect. A heap of the groups up to the page's end costs more the further the page is: 50,000 groups some 50 ms.
 *
 * Invariant: groups differ in their first or their second index, so that no two are equal in order.
 */

import type { CountedGroup } from "./top-groups.js";

/** Groups in a range that is sorted rather than partitioned further. */
const SORTED_MAX = 24;

export interface PageOrder {
	/** By code of the first dimension, what comes first, ascending; null: nothing. */
	readonly costs: Uint16Array | null;
	/** Whether descending rows come before the value. */
	readonly isByRows: boolean;
}

export class GroupPage {
	private firsts = new Uint32Array(1024);
	private seconds = new Uint32Array(1024);
	private rows = new Uint32Array(1024);
	/** Groups taken so far. */
	count = 0;

	constructor(private readonly order: PageOrder) {}

	take(first: number, second: number, rows: number): void {
		const { count } = this;
		if (count === this.rows.length) this.grow();
		this.firsts[count] = first;
		this.seconds[count] = second;
		this.rows[count] = rows;
		this.count++;
	}

	/** Groups [from, to) in order, fewer where there are not as many. Cost O(groups + page × log page) in the mean. */
	inOrder(from: number, to: number): CountedGroup[] {
		const end = Math.min(to, this.count);
		if (from >= end) return [];
		const indexes = Uint32Array.from({ length: this.count }, (_, i) => i);
		this.select(indexes, from, 0);
		this.select(indexes, end - 1, from);
		const page = indexes.slice(from, end).sort((a, b) => this.compare(a, b));
		return Array.from(page, (i) => ({ first: this.firsts[i], second: this.seconds[i], rows: this.rows[i] }));
	}

	/**
	 * Quickselect: reorders `indexes` from `from` on, so that the groups before `position` precede the one there, and others
	 * follow it.
	 */
	private select(indexes: Uint32Array, position: number, from: number): void {
		let low = from;
		let high = indexes.length - 1;
		while (high - low > SORTED_MAX) {
			const pivot = this.medianOf(indexes[low], indexes[(low + high) >>> 1], indexes[high]);
			let up = low;
			let down = high;
			while (up <= down) {
				while (this.compare(indexes[up], pivot) < 0) up++;
				while (this.compare(indexes[down], pivot) > 0) down--;
				if (up > down) break;
				const other = indexes[up];
				indexes[up++] = indexes[down];
				indexes[down--] = other;
			}
			if (position <= down) high = down;
			else if (position >= up) low = up;
			else return;
		}
		indexes.subarray(low, high + 1).sort((a, b) => this.compare(a, b));
	}

	private medianOf(a: number, b: number, c: number): number {
		return [a, b, c].sort((x, y) => this.compare(x, y))[1];
	}

	/** Negative if group `a` precedes group `b`. */
	private compare(a: number, b: number): number {
		const { firsts, seconds, rows } = this;
		const { costs, isByRows } = this.order;
		const byCost = costs === null ? 0 : costs[firsts[a]] - costs[firsts[b]];
		if (byCost !== 0) return byCost;
		if (isByRows && rows[a] !== rows[b]) return rows[b] - rows[a];
		return firsts[a] - firsts[b] || seconds[a] - seconds[b];
	}

	private grow(): void {
		this.firsts = doubled(this.firsts);
		this.seconds = doubled(this.seconds);
		this.rows = doubled(this.rows);
	}
}

function doubled(words: Uint32Array): Uint32Array<ArrayBuffer> {
	const larger = new Uint32Array(2 * words.length);
	larger.set(words);
	return larger;
}
