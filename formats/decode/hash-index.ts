/**
 * Reads a hash index in place. The dictionary compares the candidates' values, so corrupt words in a damaged
 * snapshot cost a bounded search but never produce a wrong code.
 */

import { hashCodeMask } from "../hash.js";
import { HASH_GROUP_WORDS, HASH_GROUPS_PROBED, NO_LONE_ROW } from "../layout.js";

/** Accumulates what was read ahead, so that the compiler does not remove the reads. */
const ahead = { row: 0 };

export class HashIndex {
	private readonly mask: number;
	private readonly groups: number;

	constructor(
		/** Groups of words. A word is a code plus one in its low bits and bits of the value's hash above; 0 if empty. */
		readonly words: Uint32Array,
		private readonly distinct: number,
	) {
		this.mask = hashCodeMask(distinct);
		this.groups = words.length / HASH_GROUP_WORDS;
	}

	/**
	 * The first candidate code for `hash` that `holds` accepts; -1 if there is none. Cost: one cache line and one
	 * call of `holds` for nearly every hash.
	 */
	find(hash: number, holds: (code: number) => boolean): number {
		const { words, mask, distinct } = this;
		const tag = hash & ~mask;
		// V8 emits an integer division only if both operands are known to be unsigned 32-bit integers.
		let at = ((hash >>> 0) % (this.groups >>> 0)) * HASH_GROUP_WORDS;
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

	/**
	 * The first row that `holds` accepts, of the candidates for `hash`, which `rows` has by word ({@link NO_LONE_ROW}); -1 if
	 * there is none, or a candidate has several rows. Cost as of {@link find}, without a look at codes.
	 */
	findRow(hash: number, rows: Uint32Array, holds: (row: number) => boolean): number {
		const { words, mask } = this;
		const tag = hash & ~mask;
		let at = ((hash >>> 0) % (this.groups >>> 0)) * HASH_GROUP_WORDS;
		// Read ahead: both lines are then fetched at once.
		ahead.row = rows[at];
		for (let left = HASH_GROUPS_PROBED * HASH_GROUP_WORDS; left > 0; left--) {
			const word = words[at];
			if (word === 0) return -1;
			if (((word ^ tag) & ~mask) === 0) {
				const row = rows[at];
				if (row === NO_LONE_ROW) return -1;
				if (holds(row)) return row;
			}
			at++;
			if (at === words.length) at = 0;
		}
		return -1;
	}
}
