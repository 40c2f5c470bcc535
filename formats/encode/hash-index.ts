/**
 * Writes a hash index, which maps a value's bytes to its code with one cache miss, where a binary search of a
 * large dictionary has about twenty.
 */

import { hashBytes, hashCodeMask, hashIndexWords } from "../hash.js";
import { HASH_GROUP_WORDS, HASH_GROUPS_PROBED, HASH_INDEX_VALUES_MIN } from "../layout.js";

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
	for (let code = 0; code < distinct; code++) {
		const hash = hashBytes(heap, offsets[code], offsets[code + 1]);
		const place = findPlace(words, hash);
		if (place === -1) return null;
		words[place] = (hash & ~mask) | (code + 1);
	}
	return words;
}

/** The first empty word in the groups of `hash`; -1 if they are full. */
function findPlace(words: Uint32Array, hash: number): number {
	let at = (hash % (words.length / HASH_GROUP_WORDS)) * HASH_GROUP_WORDS;
	for (let left = HASH_GROUPS_PROBED * HASH_GROUP_WORDS; left > 0; left--) {
		if (words[at] === 0) return at;
		at++;
		if (at === words.length) at = 0;
	}
	return -1;
}
