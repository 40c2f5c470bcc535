/**
 * Copying of values four bytes at a time, which are checked on the way for bytes that a format escapes or quotes:
 * a test of a word for several bytes at once, without a branch per byte ("SIMD within a register").
 */

import type { Cell } from "./cells.js";
import type { ByteSink } from "./sink.js";

const WORD_BYTES = 4;
/** A byte in each byte of a word. */
const EACH = 0x01010101;
const HIGH_BITS = 0x80808080;
const SPACES = 0x20 * EACH;
const QUOTES = 0x22 * EACH;

/** Returned by {@link copyPlain} for a value that is to be copied byte by byte. */
export const NOT_PLAIN = -1;

/** The byte besides quotes that a format treats specially, in each byte of a word. */
export function wordOf(byte: number): number {
	return byte * EACH;
}

/**
 * Copies bytes [start, end) of the cell's heap to sink.bytes[to…) and returns the end, or {@link NOT_PLAIN} if
 * they may contain a control character, a quote or the byte of `special`; a value without any is sometimes
 * refused, since up to three bytes after it are tested with it. REQUIRES: room for three bytes more.
 */
export function copyPlain(
	{ heapWords }: Cell,
	start: number,
	end: number,
	sink: ByteSink,
	to: number,
	special: number,
): number {
	// Corrupt offsets, and the last bytes of the heap, are left to the copy by bytes.
	if (end < start || end > heapWords.byteLength - WORD_BYTES) return NOT_PLAIN;
	const { words } = sink;
	const offset = to - start;
	let found = 0;
	for (let at = start; at < end; at += WORD_BYTES) {
		const word = heapWords.getInt32(at, true);
		words.setInt32(at + offset, word, true);
		const quotes = word ^ QUOTES;
		const specials = word ^ special;
		// Each term has the high bit of every byte that is below a space, equal to a quote, to `special`.
		found |= ((word - SPACES) & ~word) | ((quotes - EACH) & ~quotes) | ((specials - EACH) & ~specials);
	}
	return (found & HIGH_BITS) === 0 ? end + offset : NOT_PLAIN;
}
