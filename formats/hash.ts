/**
 * The hash of a value's bytes and the size of the table that lies in snapshots under it. Persisted:
 * another hash would be another section kind.
 */

import { HASH_GROUP_VALUES, HASH_GROUP_WORDS } from "./layout.js";

/**
 * FNV-1a over `bytes[start, end)`, then the finalizer of MurmurHash3, without which the top bits of
 * short values hardly differ; an unsigned 32-bit integer. Cost O(length).
 */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
	let hash = 0x811c9dc5;
	for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
	hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
	hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
	return (hash ^ (hash >>> 16)) >>> 0;
}

/** Words of the hash index of `distinct` values: whole groups, filled to eleven sixteenths on average. */
export function hashIndexWords(distinct: number): number {
	return Math.ceil(distinct / HASH_GROUP_VALUES) * HASH_GROUP_WORDS;
}

/** Bits of a word that hold a code plus one of `distinct` codes; the bits above are those of the hash. */
export function hashCodeMask(distinct: number): number {
	return 2 ** (32 - Math.clz32(distinct)) - 1;
}
