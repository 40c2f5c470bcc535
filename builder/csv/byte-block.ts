/**
 * Bytes that can be accessed one or four at a time: hashing, comparing and copying short values by words takes
 * about two thirds of the time.
 *
 * Invariant: at least {@link SLACK_BYTES} bytes follow every value, so that its last word can be read beyond its end
 * and masked.
 */

import { randomInt } from "node:crypto";
import { BuildError } from "../errors.js";

export const SLACK_BYTES = 4;

/** Maximum bytes of a column's values in one block, whose offsets have 32 bits. */
export const BLOCK_BYTES_MAX = 2 ** 32 - 1;

export interface ByteBlock {
	readonly bytes: Uint8Array;
	/** Over the same memory; words are little-endian. */
	readonly words: DataView;
}

/** Mask of a word's valid bits by number of remaining bytes. */
const TAIL_MASKS = Int32Array.of(0, 0xff, 0xffff, 0xffffff);

/** A block over `memory`, including the slack. */
export function byteBlock(memory: ArrayBuffer | SharedArrayBuffer): ByteBlock {
	return { bytes: new Uint8Array(memory), words: new DataView(memory) };
}

/** A block over `memory` that begins with the bytes of `block`, which it has room for. */
export function movedTo(memory: ArrayBuffer | SharedArrayBuffer, block: ByteBlock): ByteBlock {
	const moved = byteBlock(memory);
	moved.bytes.set(block.bytes);
	return moved;
}

/** Throws {@link BuildError} `limit_exceeded` if the values of `column` need a block of more than its maximum bytes. */
export function requireBlockBytes(needed: number, column: string): void {
	if (needed > BLOCK_BYTES_MAX)
		throw new BuildError("limit_exceeded", "distinct values take more than 4 GiB", { column });
}

/**
 * The size of a block that replaces one of `bytes` bytes, which has no room for the `needed` bytes of `column`: twice
 * as large, if it may be. Throws as {@link requireBlockBytes}.
 */
export function enlargedBytes(bytes: number, needed: number, column: string): number {
	requireBlockBytes(needed, column);
	return Math.min(BLOCK_BYTES_MAX, Math.max(needed, 2 * bytes));
}

/** `length` words of shared memory, which begin with those of `words`. */
export function sharedWords(length: number, words?: Uint32Array): Uint32Array<SharedArrayBuffer> {
	const shared = new Uint32Array(new SharedArrayBuffer(4 * length));
	if (words !== undefined) shared.set(words);
	return shared;
}

/** A block with `text` at position 0, and its length in bytes. */
export function blockOfText(text: string): { readonly block: ByteBlock; readonly length: number } {
	const utf8 = Buffer.from(text, "utf8");
	const block = byteBlock(new ArrayBuffer(utf8.length + SLACK_BYTES));
	block.bytes.set(utf8);
	return { block, length: utf8.length };
}

/**
 * Secret seed of this thread's hashes, so that the author of a drop cannot construct collisions. Nothing that is
 * published depends on it. The seeded odd multiplier also separates values that differ in a word's highest bit,
 * which a constant multiplier would not mix.
 */
const SEED = randomInt(2 ** 32) | 0;
const SECRET_MULTIPLIER = (randomInt(2 ** 31) << 1) | 1;

/** A 32-bit hash of words[start, end), seeded by thread. */
export function keyedHash(words: DataView, start: number, end: number): number {
	const lastWord = end - 4;
	let hash = (end - start) ^ SEED;
	let i = start;
	for (; i <= lastWord; i += 4) {
		hash = Math.imul(hash ^ words.getInt32(i, true), 0x9e3779b1);
		hash = Math.imul(hash ^ (hash >>> 15), SECRET_MULTIPLIER);
		hash ^= hash >>> 13;
	}
	if (i < end) {
		hash = Math.imul(hash ^ (words.getInt32(i, true) & TAIL_MASKS[end - i]), 0x9e3779b1);
		hash = Math.imul(hash ^ (hash >>> 15), SECRET_MULTIPLIER);
		hash ^= hash >>> 13;
	}
	hash = Math.imul(hash, 0x85ebca77);
	return hash ^ (hash >>> 13);
}

/** Whether the `length` bytes at `a` and at `b` are the same. */
export function equalBytes(
	a: DataView,
	aStart: number,
	b: DataView,
	bStart: number,
	length: number,
): boolean {
	const lastWord = length - 4;
	let i = 0;
	for (; i <= lastWord; i += 4) {
		if (a.getInt32(aStart + i, true) !== b.getInt32(bStart + i, true)) return false;
	}
	if (i === length) return true;
	const difference = a.getInt32(aStart + i, true) ^ b.getInt32(bStart + i, true);
	return (difference & TAIL_MASKS[length - i]) === 0;
}

/** Copies `length` bytes, and up to {@link SLACK_BYTES} - 1 more after them. */
export function copyBytes(from: DataView, start: number, to: DataView, at: number, length: number): void {
	for (let i = 0; i < length; i += 4) to.setInt32(at + i, from.getInt32(start + i, true), true);
}
