/**
 * Which values of a column may have spellings that differ in more than letter case: those that share their words with
 * another value, or that are one word of which another's one compound consists. Found once for a month by hashing the numbers of words, so that a value without
 * other spellings, as most are, is told from the others without looking at any text.
 *
 * Invariant: every value for which `otherSpellings` finds one with another fold is marked, but those whose compound repeats a
 * word. Values that are marked need not have any.
 */

import type { Dictionary, NameIndex } from "../../formats/index.js";
import { finishHash, fold, HASH_BASIS, hashStep } from "../../formats/index.js";

/** Values of a step: about a millisecond. */
const STEP_VALUES = 1 << 13;
/** Slots of the hash table for each value, at least: a value takes up to two. */
const SLOTS_MIN = 4;

export class SpelledValues {
	private constructor(
		private readonly marks: Uint32Array,
		private readonly dictionary: Dictionary,
	) {}

	/**
	 * Marks the values of a column that has an index of its words. Memory: a bit a value, and while it runs 32 to 64 bytes.
	 * Cost O(words of all values), some 100 ns a value.
	 */
	static *find(index: NameIndex, dictionary: Dictionary): Generator<void, SpelledValues> {
		const { distinct } = dictionary;
		const marks = new Uint32Array((distinct + 31) >>> 5);
		const table = new HashedWords(dictionary, marks);
		for (let code = 0; code < distinct; code++) {
			if (code % STEP_VALUES === 0) yield;
			table.add(code, index);
		}
		return new SpelledValues(marks, dictionary);
	}

	/** Whether a value with the fold of `text` may have spellings of another fold. False where there is no such value. Cost O(log distinct). */
	has(text: string): boolean {
		const { dictionary, marks } = this;
		// The values of a prefix begin with those that are the prefix.
		const { from, to } = dictionary.prefixRange(text);
		if (from === to || fold(dictionary.value(from) as string) !== fold(text)) return false;
		const { to: end } = dictionary.sameFold(from);
		for (let code = from; code < end; code++) if ((marks[code >>> 5] & (1 << (code & 31))) !== 0) return true;
		return false;
	}
}

/** The hashes of words of values in an open-addressing table; marks two values of one hash that differ in more than letter case. */
class HashedWords {
	/** Hashes, and codes plus one; 0: empty. */
	private readonly hashes: Int32Array;
	private readonly codes: Uint32Array;

	constructor(
		private readonly dictionary: Dictionary,
		private readonly marks: Uint32Array,
	) {
		const slots = 2 ** Math.ceil(Math.log2(Math.max(1, dictionary.distinct) * SLOTS_MIN));
		this.hashes = new Int32Array(slots);
		this.codes = new Uint32Array(slots);
	}

	/** Adds a value: its words, and the one word of its compound, where it is one. */
	add(code: number, index: NameIndex): void {
		const { valueOffsets, valueWords, wordCounts } = index;
		const from = valueOffsets[code];
		const to = valueOffsets[code + 1];
		// Without words it shares none.
		if (from === to) return;
		let state = hashStep(HASH_BASIS, wordCounts[code]);
		let parts = 0;
		let isCompound = false;
		for (let i = from; i < to; i++) {
			const joined = joinedParts(index, from, i);
			// All words before it, and none after it.
			isCompound = joined === i - from && i === to - 1;
			if (joined > 0) continue;
			state = hashStep(state, valueWords[i]);
			parts++;
		}
		this.put(code, finishHash(state));
		if (isCompound && parts > 1)
			this.put(code, finishHash(hashStep(hashStep(HASH_BASIS, 1), valueWords[to - 1])));
	}

	private put(code: number, hash: number): void {
		const { hashes, codes, marks, dictionary } = this;
		const mask = codes.length - 1;
		for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
			const other = codes[slot] - 1;
			if (other === -1) {
				hashes[slot] = hash;
				codes[slot] = code + 1;
				return;
			}
			if (hashes[slot] !== hash) continue;
			// A filter on one finds the other: they differ in letter case.
			if (dictionary.rank(other) === dictionary.rank(code)) return;
			marks[other >>> 5] |= 1 << (other & 31);
			marks[code >>> 5] |= 1 << (code & 31);
			return;
		}
	}
}

/** How many words before valueWords[at], from `from` on, it is written together of; 0: it is none of these. */
function joinedParts({ valueWords, offsets, heap }: NameIndex, from: number, at: number): number {
	const end = offsets[valueWords[at] + 1];
	const start = offsets[valueWords[at]];
	let left = end;
	for (let i = at - 1; i >= from && left > start; i--) {
		const partStart = offsets[valueWords[i]];
		const length = offsets[valueWords[i] + 1] - partStart;
		left -= length;
		if (left < start) return 0;
		for (let k = 0; k < length; k++) if (heap[left + k] !== heap[partStart + k]) return 0;
		if (left === start && at - i > 1) return at - i;
	}
	return 0;
}
