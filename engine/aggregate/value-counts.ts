/**
 * Counts codes in an array that is kept from one count to the next: counting in a hash table takes ten times as long.
 * What was counted is zero again when it has been taken.
 */

import { byRows, TopGroups } from "./top-groups.js";

export class ValueCounts {
	private counts = new Uint32Array(0);
	/** The codes counted, in the order of their first. */
	private seen: number[] = [];

	/** Makes room for codes below `distinct`. */
	fit(distinct: number): void {
		if (distinct > this.counts.length) this.counts = new Uint32Array(distinct);
	}

	/** Counts a code below what it was fitted for. */
	add(code: number): void {
		if (this.counts[code]++ === 0) this.seen.push(code);
	}

	/** The `most` codes that were counted most, these first, then by code; counts none from then on. Cost O(codes × log most). */
	take(most: number): number[] {
		const { counts, seen } = this;
		const top = new TopGroups(most, byRows);
		for (const code of seen) {
			top.offer(code, 0, counts[code]);
			counts[code] = 0;
		}
		this.seen = [];
		return top.inOrder().map(({ first }) => first);
	}
}
