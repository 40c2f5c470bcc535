/**
 * Which values of a column may have spellings that differ in more than letter case: those that share their words with
 * another value, or that are one word of which another's one compound consists. Found once for a month by hashing the numbers
 * of words, so that a value without other spellings, as most are, is told from the others without looking at any text.
 *
 * Invariant: every value for which `otherSpellings` finds one with another fold is marked. Values that are marked need not have
 * any.
 */

import type { Dictionary, NameIndex, Range } from "../../formats/index.js";
import { finishHash, fold, HASH_BASIS, hashStep, isAscii } from "../../formats/index.js";
import { countWords } from "../kernels/bitmap.js";

/** Values of a step: about a millisecond. */
const STEP_VALUES = 1 << 13;
/** Slots of the hash table for each value, at least: a value takes up to two. */
const SLOTS_MIN = 4;

/** Where a chain ends. */
const NONE = -1;

/** The hashes of a value's words, the last that {@link hashWords} was called for. */
const own = { count: 0, hashes: new Int32Array(2) };

export class SpelledValues {
	/** By hash, modulo their number, the last entry of a chain. */
	private readonly heads: Int32Array;
	/** Entries: a hash of a marked value, its code, and the entry before it in the chain. */
	private readonly hashes: Int32Array;
	private readonly codes: Uint32Array;
	private readonly before: Int32Array;

	private constructor(
		private readonly marks: Uint32Array,
		private readonly index: NameIndex,
		private readonly dictionary: Dictionary,
	) {
		const entries = 2 * countWords(marks, 0, marks.length);
		this.heads = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(1, entries)))).fill(NONE);
		this.hashes = new Int32Array(entries);
		this.codes = new Uint32Array(entries);
		this.before = new Int32Array(entries);
	}

	/**
	 * Marks the values of a column that has an index of its words. Memory: a bit a value, some 32 bytes one that is marked, and
	 * while it runs 32 to 64 bytes a value. Cost O(words of all values), some 100 ns a value.
	 */
	static *find(index: NameIndex, dictionary: Dictionary): Generator<void, SpelledValues> {
		const { distinct } = dictionary;
		const marks = new Uint32Array((distinct + 31) >>> 5);
		const table = new HashedWords(dictionary, marks);
		for (let code = 0; code < distinct; code++) {
			if (code % STEP_VALUES === 0) yield;
			hashWords(code, index);
			for (let i = 0; i < own.count; i++) table.put(code, own.hashes[i]);
		}
		const found = new SpelledValues(marks, index, dictionary);
		let entry = 0;
		for (let code = 0; code < distinct; code++) {
			if (code % STEP_VALUES === 0) yield;
			if (found.isMarked(code)) entry = found.link(code, entry);
		}
		return found;
	}

	/** Whether a value with the fold of `text` may have spellings of another fold. False where there is no such value. Cost O(log distinct). */
	has(text: string): boolean {
		const { from, to } = valuesOfFold(this.dictionary, text);
		for (let code = from; code < to; code++) if (this.isMarked(code)) return true;
		return false;
	}

	/** Of each fold that may be another spelling of a value's, a code; the value's own among them. Cost O(these). */
	candidates(code: number): number[] {
		hashWords(code, this.index);
		const found: number[] = [];
		for (let i = 0; i < own.count; i++) {
			const hash = own.hashes[i];
			for (let entry = this.heads[hash & (this.heads.length - 1)]; entry !== NONE; entry = this.before[entry])
				if (this.hashes[entry] === hash) found.push(this.codes[entry]);
		}
		return found;
	}

	private isMarked(code: number): boolean {
		return (this.marks[code >>> 5] & (1 << (code & 31))) !== 0;
	}

	/** Makes entries of a value's hashes from number `entry` on; returns the next number. */
	private link(code: number, entry: number): number {
		hashWords(code, this.index);
		for (let i = 0; i < own.count; i++) {
			const slot = own.hashes[i] & (this.heads.length - 1);
			this.hashes[entry + i] = own.hashes[i];
			this.codes[entry + i] = code;
			this.before[entry + i] = this.heads[slot];
			this.heads[slot] = entry + i;
		}
		return entry + own.count;
	}
}

/** The codes of the values with the fold of `text`. Cost O(log distinct), O(1) after a query of it as a prefix. */
export function valuesOfFold(dictionary: Dictionary, text: string): Range {
	const { from, to } = dictionary.prefixRange(text);
	if (from === to) return { from, to };
	// The values of a prefix begin with those that are the prefix.
	const start = dictionary.offsets[from];
	const end = dictionary.offsets[from + 1];
	const isPrefix = isAscii(dictionary.heap, start, end)
		? end - start === text.length
		: fold(dictionary.value(from) as string) === fold(text);
	return isPrefix ? dictionary.sameFold(from) : { from, to: from };
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

	put(code: number, hash: number): void {
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

/** Hashes the words of a value, and the one word of its compound, where it is one, to {@link own}. */
function hashWords(code: number, index: NameIndex): void {
	const { valueOffsets, valueWords, wordCounts } = index;
	const from = valueOffsets[code];
	const to = valueOffsets[code + 1];
	own.count = 0;
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
	own.hashes[own.count++] = finishHash(state);
	if (isCompound && parts > 1)
		own.hashes[own.count++] = finishHash(hashStep(hashStep(HASH_BASIS, 1), valueWords[to - 1]));
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
