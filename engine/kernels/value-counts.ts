/**
 * Counts codes by an array that is kept from one count to the next: counting in a hash table takes ten times as long.
 * What was counted is zero again when it has been taken.
 */

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

	/** The `most` codes that were counted most, these first, then by code; counts none from then on. Cost O(codes × log). */
	take(most: number): number[] {
		const { counts, seen } = this;
		const codes = seen.sort((a, b) => counts[b] - counts[a] || a - b).slice(0, most);
		for (const code of seen) counts[code] = 0;
		this.seen = [];
		return codes;
	}
}
