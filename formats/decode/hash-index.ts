/**
 * Reads a hash index in place. Which value a word stands for is the dictionary's to compare; words
 * that lie, in a damaged snapshot, cost a bounded search and are never believed.
 */

import { hashCodeMask } from "../hash.js";
import { HASH_GROUP_WORDS, HASH_GROUPS_PROBED } from "../layout.js";

export class HashIndex {
	private readonly mask: number;

	constructor(
		/** Groups of words: a code plus one below as many bits of its value's hash; 0 where empty. */
		readonly words: Uint32Array,
		private readonly distinct: number,
	) {
		this.mask = hashCodeMask(distinct);
	}

	/**
	 * The code for which `holds` is true among those that may have `hash`; -1 where there is none. Cost:
	 * one cache line and one call of `holds` for nearly every hash.
	 */
	find(hash: number, holds: (code: number) => boolean): number {
		const { words, mask, distinct } = this;
		const tag = hash & ~mask;
		let at = (hash % (words.length / HASH_GROUP_WORDS)) * HASH_GROUP_WORDS;
		for (let left = HASH_GROUPS_PROBED * HASH_GROUP_WORDS; left > 0; left--) {
			const word = words[at];
			if (word === 0) return -1;
			const code = (word & mask) - 1;
			if (((word ^ tag) & ~mask) === 0 && code >= 0 && code < distinct && holds(code)) return code;
			at++;
			if (at === words.length) at = 0;
		}
		return -1;
	}
}
