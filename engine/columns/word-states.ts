/**
 * The states in whose rows each word of the index of names occurs, as a bitmask by word. They are found in a word's
 * postings when it is first asked for, and kept for all grants.
 *
 * Memory: four bytes a word for every 32 states.
 */

import type { NameIndex, StateRun } from "../../formats/index.js";
import { statesOfRows } from "./value-states.js";

export class WordStates {
	private readonly wordsEach: number;
	/** By word, the bits of its states; none before it is asked for. */
	private readonly masks: Uint32Array;

	constructor(
		/** An index whose words list rows. */
		private readonly index: Pick<NameIndex, "count" | "postings" | "postingOffsets">,
		/** All states of the month. */
		private readonly states: readonly StateRun[],
	) {
		this.wordsEach = (states.length + 31) >>> 5;
		this.masks = new Uint32Array(index.count * this.wordsEach);
	}

	/** The bits of the states with these numbers, as {@link isIn} takes them. */
	maskOf(numbers: readonly number[]): Uint32Array {
		const mask = new Uint32Array(this.wordsEach);
		for (const number of numbers) mask[number >>> 5] |= 1 << (number & 31);
		return mask;
	}

	/** Whether rows of the states of `mask` have a word. Cost O(states × log rows of the word) for the first time, then O(1). */
	isIn(word: number, mask: Uint32Array): boolean {
		const first = word * this.wordsEach;
		let isKnown = false;
		for (let i = 0; i < this.wordsEach; i++) {
			const bits = this.masks[first + i];
			if ((bits & mask[i]) !== 0) return true;
			isKnown ||= bits !== 0;
		}
		if (isKnown) return false;
		return this.find(word) && this.isIn(word, mask);
	}

	/** Finds the states of a word; returns whether it has any. */
	private find(word: number): boolean {
		const { postings, postingOffsets } = this.index;
		const numbers = statesOfRows(this.states, postings, postingOffsets[word], postingOffsets[word + 1]);
		for (const number of numbers) this.masks[word * this.wordsEach + (number >>> 5)] |= 1 << (number & 31);
		return numbers.length > 0;
	}
}
