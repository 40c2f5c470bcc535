/**
 * The hash function of the hash index and the index's size. Persisted: another function would need another
 * section kind.
 */

import { HASH_GROUP_VALUES, HASH_GROUP_WORDS } from "./layout.js";

/**
 * FNV-1a over `bytes[start, end)`, then the finalizer of MurmurHash3, since FNV-1a mixes the high bits of short
 * values poorly; an unsigned 32-bit integer. Cost O(length).
 */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
	let hash = 0x811c9dc5;
	for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
	hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
	hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
	return (hash ^ (hash >>> 16)) >>> 0;
}

/** Words of the hash index of `distinct` values: whole groups with a load factor of at most 11/16. */
export function hashIndexWords(distinct: number): number {
	return Math.ceil(distinct / HASH_GROUP_VALUES) * HASH_GROUP_WORDS;
}

/** Mask of a word's bits that hold a code plus one; the bits above hold the hash. */
export function hashCodeMask(distinct: number): number {
	return 2 ** (32 - Math.clz32(distinct)) - 1;
}
