/**
 * Heads: the first {@link HEAD_BYTES} bytes of a fold as two numbers, which compare like the fold. A search among heads
 * reads an array, where one among values reads two cache lines of main memory for each.
 */

import { fold, foldBytes, isAscii, lowerAsciiByte } from "./fold.js";
import type { Range } from "./range.js";
import { Utf8Text } from "./utf8.js";

/** Bytes of a fold in its head. */
export const HEAD_BYTES = 8;
/** Words of a head. */
export const HEAD_WORDS = 2;

/**
 * Writes the head of the fold of the UTF-8 text bytes[start, end) to words[at] and words[at + 1]: its first and next four
 * bytes, the first most significant, zeros after its end. Allocates where the bytes are not ASCII.
 */
export function writeFoldHead(
	bytes: Uint8Array,
	start: number,
	end: number,
	words: Uint32Array,
	at: number,
): void {
	// One byte more than the head has, since it may belong to a character that composes with the one before.
	if (!isAscii(bytes, start, Math.min(end, start + HEAD_BYTES + 1))) {
		const folded = foldBytes(bytes, start, end);
		for (let word = 0; word < HEAD_WORDS; word++) words[at + word] = headWord(folded, 4 * word);
		return;
	}
	for (let word = 0; word < HEAD_WORDS; word++) {
		let head = 0;
		for (let i = start + 4 * word; i < start + 4 * word + 4; i++)
			head = (head << 8) | (i < end ? lowerAsciiByte(bytes[i]) : 0);
		words[at + word] = head;
	}
}

/** Four bytes of a fold as a word, zeros after its end. */
function headWord(folded: Uint8Array, from: number): number {
	let word = 0;
	for (let i = from; i < from + 4; i++) word = (word << 8) | (i < folded.length ? folded[i] : 0);
	return word;
}

/** The heads of the folds that start with a prefix: those from the lowest to the highest. */
export interface HeadRange {
	/** The lowest head, then the highest: two words each. */
	readonly bounds: Uint32Array;
	/** Whether all folds with these heads start with the prefix: it fits in a head and has no zero byte. */
	readonly isExact: boolean;
}

/** Places of the lowest and of the highest head in the bounds of a {@link HeadRange}. */
const LOWEST = 0;
const HIGHEST = HEAD_WORDS;

const foldedPrefix = new Utf8Text();

/** What {@link headRange} returns: a new one for each search would cost as much as the search. */
const lastRange = { bounds: new Uint32Array(2 * HEAD_WORDS), isExact: true };

/** The heads of the folds that start with the fold of `prefix`; valid until the next call. */
export function headRange(prefix: string): HeadRange {
	const { bounds } = lastRange;
	bounds.fill(0, LOWEST, LOWEST + HEAD_WORDS).fill(0xffffffff, HIGHEST, HIGHEST + HEAD_WORDS);
	const folded = isShortAscii(prefix) ? null : foldedPrefix.encode(fold(prefix));
	const length = folded === null ? prefix.length : folded.length;
	lastRange.isExact = length <= HEAD_BYTES;
	for (let i = 0; i < Math.min(length, HEAD_BYTES); i++) {
		const byte = folded === null ? lowerAsciiByte(prefix.charCodeAt(i)) : folded[i];
		const shift = 24 - 8 * (i & 3);
		bounds[LOWEST + (i >> 2)] |= byte << shift;
		bounds[HIGHEST + (i >> 2)] ^= (byte ^ 0xff) << shift;
		if (byte === 0) lastRange.isExact = false;
	}
	return lastRange;
}

function isShortAscii(text: string): boolean {
	if (text.length > HEAD_BYTES) return false;
	for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0x80) return false;
	return true;
}

/** Writes the head of a place that has not been read yet. */
export type ReadHead = (place: number) => void;

/**
 * Those of the ascending heads [from, to) that are in the range with these `bounds`. Cost O(log(to − from)). With `read`,
 * heads whose first word is zero are read by it when they are compared.
 */
export function headsWithin(
	heads: Uint32Array,
	from: number,
	to: number,
	bounds: Uint32Array,
	read: ReadHead | null = null,
): Range {
	const first = firstHead(heads, from, to, bounds, LOWEST, read);
	// Galloping search for the end, since most prefixes match few values.
	let low = first;
	let step = 1;
	while (low + step <= to && isBefore(heads, low + step - 1, bounds, HIGHEST, read)) {
		low += step;
		step *= 2;
	}
	return { from: first, to: firstHead(heads, low, Math.min(to, low + step), bounds, HIGHEST, read) };
}

/** The first head of [from, to) that is not before those of the bound; `to` if there is none. */
function firstHead(
	heads: Uint32Array,
	from: number,
	to: number,
	bounds: Uint32Array,
	bound: number,
	read: ReadHead | null,
): number {
	let low = from;
	let high = to;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (isBefore(heads, middle, bounds, bound, read)) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** Whether the head at `place` is before the range, if `bound` is {@link LOWEST}, or not behind it, if {@link HIGHEST}. */
function isBefore(
	heads: Uint32Array,
	place: number,
	bounds: Uint32Array,
	bound: number,
	read: ReadHead | null,
): boolean {
	if (read !== null && heads[place * HEAD_WORDS] === 0) read(place);
	const upper = heads[place * HEAD_WORDS];
	if (upper !== bounds[bound]) return upper < bounds[bound];
	const lower = heads[place * HEAD_WORDS + 1];
	return lower < bounds[bound + 1] || (bound === HIGHEST && lower === bounds[bound + 1]);
}
