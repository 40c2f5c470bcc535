/**
 * Writes a hash index, which maps a value's bytes to its code with one cache miss, where a binary search of a
 * large dictionary has about twenty.
 */

import { hashBytes, hashCodeMask, hashIndexWords } from "../hash.js";
import { HASH_GROUP_WORDS, HASH_GROUPS_PROBED, HASH_INDEX_VALUES_MIN, NO_LONE_ROW } from "../layout.js";
import type { EncodedPostings } from "./postings.js";

/** Values whose groups are prefetched together, so that cache misses overlap. */
const PREFETCHED_VALUES = 256;

/** Accumulates what was prefetched, so that the compiler does not remove the reads. */
const prefetched = { sum: 0 };

/**
 * The hash index of the values heap[offsets[c], offsets[c + 1]). Null if there are too few values to need one, or
 * if so many hashes collide that a value does not fit in its groups, which bounds the cost of both writing and
 * reading. Deterministic. Cost O(values + bytes).
 */
export function encodeHashIndex(offsets: Uint32Array, heap: Uint8Array): Uint32Array | null {
	const distinct = offsets.length - 1;
	if (distinct < HASH_INDEX_VALUES_MIN) return null;
	const words = new Uint32Array(hashIndexWords(distinct));
	const mask = hashCodeMask(distinct);
	const hashes = new Uint32Array(PREFETCHED_VALUES);
	let sum = 0;
	for (let first = 0; first < distinct; first += PREFETCHED_VALUES) {
		const count = Math.min(PREFETCHED_VALUES, distinct - first);
		for (let i = 0; i < count; i++) hashes[i] = hashBytes(heap, offsets[first + i], offsets[first + i + 1]);
		for (let i = 0; i < count; i++) sum += words[groupOf(hashes[i], words.length)];
		for (let i = 0; i < count; i++) {
			const place = findPlace(words, hashes[i]);
			if (place === -1) return null;
			words[place] = (hashes[i] & ~mask) | (first + i + 1);
		}
	}
	prefetched.sum ^= sum;
	return words;
}

/**
 * For each word of a hash index the row that has its value, {@link NO_LONE_ROW} where several have it and for empty words.
 * `postings`: of the values. Cost O(words).
 */
export function encodeHashRows(words: Uint32Array, { offsets, rows }: EncodedPostings): Uint32Array {
	const mask = hashCodeMask(offsets.length - 1);
	const lone = new Uint32Array(words.length).fill(NO_LONE_ROW);
	for (let i = 0; i < words.length; i++) {
		if (words[i] === 0) continue;
		const code = (words[i] & mask) - 1;
		if (offsets[code + 1] - offsets[code] === 1) lone[i] = rows[offsets[code]];
	}
	return lone;
}

/** Position of the first word of the first group of `hash`. */
function groupOf(hash: number, words: number): number {
	return (hash % (words / HASH_GROUP_WORDS)) * HASH_GROUP_WORDS;
}

/** The first empty word in the groups of `hash`; -1 if they are full. */
function findPlace(words: Uint32Array, hash: number): number {
	let at = groupOf(hash, words.length);
	for (let left = HASH_GROUPS_PROBED * HASH_GROUP_WORDS; left > 0; left--) {
		if (words[at] === 0) return at;
		at++;
		if (at === words.length) at = 0;
	}
	return -1;
}
