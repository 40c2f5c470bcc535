/**
 * FNV-1a with the finalizer of MurmurHash3, since FNV-1a mixes the high bits of short values poorly: the hash function
 * of the hash index, whose size is here too, and of tables in memory. That of the index is persisted: another function
 * would need another section kind.
 */

import { HASH_GROUP_VALUES, HASH_GROUP_WORDS } from "./layout.js";

/** What a hash begins with. */
export const HASH_BASIS = 0x811c9dc5;

/** The state after `unit`, a byte or a code unit. */
export function hashStep(state: number, unit: number): number {
	return Math.imul(state ^ unit, 0x01000193);
}

/** The hash of a state, after the last unit; a signed 32-bit integer. */
export function finishHash(state: number): number {
	const mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
	const hash = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
	return hash ^ (hash >>> 16);
}

/**
 * The hash of `bytes[start, end)`; an unsigned 32-bit integer. Cost O(length). Written out: of the functions above it
 * takes a twentieth longer, for each value of a lookup.
 */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
	let hash = 0x811c9dc5;
	for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
	hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
	hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
	return (hash ^ (hash >>> 16)) >>> 0;
}

/** The state after the code units of `text`. Cost O(length). */
export function hashText(text: string, state: number): number {
	let after = state;
	for (let i = 0; i < text.length; i++) after = hashStep(after, text.charCodeAt(i));
	return after;
}

/** Words of the hash index of `distinct` values: whole groups with a load factor of at most 11/16. */
export function hashIndexWords(distinct: number): number {
	return Math.ceil(distinct / HASH_GROUP_VALUES) * HASH_GROUP_WORDS;
}

/** Mask of a word's bits that hold a code plus one; the bits above hold the hash. */
export function hashCodeMask(distinct: number): number {
	return 2 ** (32 - Math.clz32(distinct)) - 1;
}
