/**
 * Heads: the first {@link HEAD_BYTES} bytes of a fold as two numbers, which compare like the fold. A search among heads
 * reads an array, where one among values reads two cache lines of main memory for each.
 */

import { foldBytes, foldToBytes, isAscii, lowerAsciiByte } from "./fold.js";

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
		for (let word = 0; word < HEAD_WORDS; word++) words[at + word] = headWord(folded, 4 * word, 0);
		return;
	}
	for (let word = 0; word < HEAD_WORDS; word++) {
		let head = 0;
		for (let i = start + 4 * word; i < start + 4 * word + 4; i++)
			head = (head << 8) | (i < end ? lowerAsciiByte(bytes[i]) : 0);
		words[at + word] = head;
	}
}

/** The heads of the folds that start with a prefix: those from the lowest to the highest, both two words. */
export interface HeadRange {
	readonly lowest: readonly [number, number];
	readonly highest: readonly [number, number];
	/** Whether all folds with these heads start with the prefix: it fits in a head and has no zero byte. */
	readonly isExact: boolean;
}

/** The heads of the folds that start with the fold of `prefix`. */
export function headRange(prefix: string): HeadRange {
	const folded = foldPrefix(prefix);
	const length = Math.min(folded.length, HEAD_BYTES);
	let isExact = folded.length <= HEAD_BYTES;
	for (let i = 0; i < length; i++) if (folded[i] === 0) isExact = false;
	return {
		lowest: [headWord(folded, 0, 0), headWord(folded, 4, 0)],
		highest: [headWord(folded, 0, 0xff), headWord(folded, 4, 0xff)],
		isExact,
	};
}

/** Bytes from `from` on as a word; `fill`: those after the end. */
function headWord(folded: ArrayLike<number>, from: number, fill: number): number {
	let word = 0;
	for (let i = from; i < from + 4; i++) word = (word << 8) | (i < folded.length ? folded[i] : fill);
	return word >>> 0;
}

/** The bytes of a fold; those of short ASCII without a call of the text encoder. */
function foldPrefix(prefix: string): ArrayLike<number> {
	if (prefix.length > HEAD_BYTES) return foldToBytes(prefix);
	const bytes: number[] = [];
	for (let i = 0; i < prefix.length; i++) {
		const unit = prefix.charCodeAt(i);
		if (unit >= 0x80) return foldToBytes(prefix);
		bytes.push(lowerAsciiByte(unit));
	}
	return bytes;
}
