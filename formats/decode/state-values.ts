/** Reads the values of each state's rows in place: which there are, and how many rows have them. */

import { fold } from "../fold.js";
import { HEAD_WORDS, headRange, headsWithin } from "../fold-head.js";
import { SECTION } from "../layout.js";
import { firstWhere, type Range } from "../range.js";
import { Utf8Text } from "../utf8.js";
import type { Dictionary } from "./dictionary.js";
import type { SectionTable } from "./section-table.js";

/** The fold of a prefix that is searched for. */
const foldedPrefix = new Utf8Text();

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

	/** Those of the column with this code; null if `sections` have none. Throws FormatError. */
	static open(
		sections: SectionTable,
		column: number,
		states: number,
		dictionary: () => Dictionary,
	): StateValues | null {
		if (!sections.has(SECTION.stateValueOffsets, column)) return null;
		const codes = sections.u32(SECTION.stateValueCodes, column);
		return new StateValues(
			sections.u32(SECTION.stateValueOffsets, column, states + 1),
			codes,
			sections.u32(SECTION.stateValueRows, column, codes.length),
			sections.u32(SECTION.stateValueHeads, column, codes.length * HEAD_WORDS),
			dictionary(),
		);
	}

	/**
	 * The places of the values of the state with number `state` that start with `prefix`. Cost O(log values), where
	 * the prefix has more than 8 bytes with two cache misses a step.
	 */
	prefixRange(state: number, prefix: string): Range {
		const { bounds, isExact } = headRange(prefix);
		const places = headsWithin(this.heads, this.offsets[state], this.offsets[state + 1], bounds);
		if (isExact) return places;
		const folded = foldedPrefix.encode(fold(prefix));
		const order = (place: number) => this.dictionary.comparePrefix(this.codes[place], folded);
		const from = firstWhere(places.from, places.to, (place) => order(place) >= 0);
		return { from, to: firstWhere(from, places.to, (place) => order(place) > 0) };
	}
}
