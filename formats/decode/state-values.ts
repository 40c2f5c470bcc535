/** Reads the values of each state's rows in place: which there are, and how many rows have them. */

import { foldToBytes } from "../fold.js";
import { HEAD_WORDS, headRange } from "../fold-head.js";
import type { Range } from "../range.js";
import type { Dictionary } from "./dictionary.js";

export class StateValues {
	constructor(
		/** States + 1 places: the values of state s are at [offsets[s], offsets[s + 1]). */
		readonly offsets: Uint32Array,
		/** The codes of the values of each state's rows, ascending. */
		readonly codes: Uint32Array,
		/** By place, the state's rows with the value: at least 1. */
		readonly rows: Uint32Array,
		/** By place, the head of the value's fold: two words. */
		readonly heads: Uint32Array,
		private readonly dictionary: Dictionary,
	) {}

	/**
	 * The places of the values of the state with number `state` that start with `prefix`. Cost O(log values), where
	 * the prefix has more than 8 bytes with two cache misses a step.
	 */
	prefixRange(state: number, prefix: string): Range {
		const { lowest, highest, isExact } = headRange(prefix);
		const first = this.firstHead(this.offsets[state], this.offsets[state + 1], lowest, false);
		const end = this.firstHead(first, this.offsets[state + 1], highest, true);
		if (isExact) return { from: first, to: end };
		const folded = foldToBytes(prefix);
		const from = this.firstAtPrefix(first, end, folded, 0);
		return { from, to: this.firstAtPrefix(from, end, folded, 1) };
	}

	/** The first place in [from, to) with a head of at least `head`, or a greater one if `isAfter`; `to` if there is none. */
	private firstHead(from: number, to: number, head: readonly [number, number], isAfter: boolean): number {
		const { heads } = this;
		const [upper, lower] = head;
		let low = from;
		let high = to;
		while (low < high) {
			const middle = (low + high) >>> 1;
			const at = middle * HEAD_WORDS;
			const order = heads[at] - upper || heads[at + 1] - lower;
			if (order > 0 || (order === 0 && !isAfter)) high = middle;
			else low = middle + 1;
		}
		return low;
	}

	/** The first place in [from, to) whose fold compares to a folded prefix as `least` or more; `to` if none does. */
	private firstAtPrefix(from: number, to: number, folded: Uint8Array, least: number): number {
		let low = from;
		let high = to;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.dictionary.comparePrefix(this.codes[middle], folded) >= least) high = middle;
			else low = middle + 1;
		}
		return low;
	}
}
