/**
 * Bitmap kernels: bit r & 31 of word r >>> 5 stands for row r. About one nanosecond a word; none
 * allocates. Those that combine two bitmaps are in combine-bitmaps.ts.
 */

import { PROBED_ROWS_MIN, SIMD_WORDS_MIN, SKIPPED_WORDS_MAX, SKIPPED_WORDS_MIN } from "../tuning.js";
import { memoryOf } from "./simd.js";

/** Number of set bits of a 32-bit word (Hacker's Delight, figure 5-2). */
export function popcount(word: number): number {
	let bits = word - ((word >>> 1) & 0x55555555);
	bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
	bits = (bits + (bits >>> 4)) & 0x0f0f0f0f;
	return Math.imul(bits, 0x01010101) >>> 24;
}

/** Sets the bits of rows [from, to). */
export function fillRun(words: Uint32Array, from: number, to: number): void {
	if (from >= to) return;
	const firstWord = from >>> 5;
	const lastWord = (to - 1) >>> 5;
	const head = -1 << (from & 31);
	const tail = -1 >>> (31 - ((to - 1) & 31));
	if (firstWord === lastWord) {
		words[firstWord] |= head & tail;
		return;
	}
	words[firstWord] |= head;
	words.fill(0xffffffff, firstWord + 1, lastWord);
	words[lastWord] |= tail;
}

/** Clears the bits of rows [from, to). */
export function clearRun(words: Uint32Array, from: number, to: number): void {
	if (from >= to) return;
	const firstWord = from >>> 5;
	const lastWord = (to - 1) >>> 5;
	const head = -1 << (from & 31);
	const tail = -1 >>> (31 - ((to - 1) & 31));
	if (firstWord === lastWord) {
		words[firstWord] &= ~(head & tail);
		return;
	}
	words[firstWord] &= ~head;
	words.fill(0, firstWord + 1, lastWord);
	words[lastWord] &= ~tail;
}

/** target[from, to) = source[from, to). */
export function copyWords(target: Uint32Array, source: Uint32Array, from: number, to: number): void {
	target.set(source.subarray(from, to), from);
}

/** Set bits of words [from, to). */
export function countWords(words: Uint32Array, from: number, to: number): number {
	return countCommon(words, words, from, to);
}

/**
 * Set bits of words & other in words [from, to). In WebAssembly memory these are counted with SIMD (simd.ts);
 * elsewhere seven words are added bit by bit into three before counting (carry-save adders, Hacker's
 * Delight, figure 5-8), which halves the time.
 */
export function countCommon(words: Uint32Array, other: Uint32Array, from: number, to: number): number {
	let count = 0;
	let i = from;
	const memory = to - from < SIMD_WORDS_MIN ? undefined : memoryOf(words);
	if (memory !== undefined) ({ bits: count, end: i } = memory.countCommon(words, other, from, to));
	for (; i + 7 <= to; i += 7) {
		const word0 = words[i] & other[i];
		const word1 = words[i + 1] & other[i + 1];
		const word2 = words[i + 2] & other[i + 2];
		const word3 = words[i + 3] & other[i + 3];
		const word4 = words[i + 4] & other[i + 4];
		const word5 = words[i + 5] & other[i + 5];
		const word6 = words[i + 6] & other[i + 6];
		const a = word0 ^ word1;
		const ones1 = a ^ word2;
		const twos1 = (word0 & word1) | (a & word2);
		const b = word3 ^ word4;
		const ones2 = b ^ word5;
		const twos2 = (word3 & word4) | (b & word5);
		const c = ones1 ^ ones2;
		const ones = c ^ word6;
		const twos3 = (ones1 & ones2) | (c & word6);
		const d = twos1 ^ twos2;
		const twos = d ^ twos3;
		const fours = (twos1 & twos2) | (d & twos3);
		count += popcount(ones) + 2 * popcount(twos) + 4 * popcount(fours);
	}
	for (; i < to; i++) count += popcount(words[i] & other[i]);
	return count;
}

/** Estimates how many of words [from, to) have a set bit, by reading one in every `step`. */
export function estimateOccupied(words: Uint32Array, from: number, to: number, step: number): number {
	let occupied = 0;
	for (let i = from; i < to; i += step) occupied += +(words[i] !== 0);
	return occupied * step;
}

/** Set bits of rows [from, to). */
export function countRun(words: Uint32Array, from: number, to: number): number {
	if (from >= to) return 0;
	const firstWord = from >>> 5;
	const lastWord = (to - 1) >>> 5;
	const head = -1 << (from & 31);
	const tail = -1 >>> (31 - ((to - 1) & 31));
	if (firstWord === lastWord) return popcount(words[firstWord] & head & tail);
	const inner = countWords(words, firstWord + 1, lastWord);
	return popcount(words[firstWord] & head) + inner + popcount(words[lastWord] & tail);
}

/**
 * Sets the bits of rows[from, to), in WebAssembly memory in 0.7 of the time (simd.ts). Sets none where corrupt offsets have
 * `to` before `from`.
 */
export function setRows(words: Uint32Array, rows: Uint32Array, from: number, to: number): void {
	const memory = to - from < PROBED_ROWS_MIN ? undefined : memoryOf(words);
	if (memory === undefined) {
		setInLoop(words, rows, from, to);
		return;
	}
	for (let at = from; at < to; at += memory.rowsMax) {
		const end = Math.min(to, at + memory.rowsMax);
		if (!memory.setRows(words, rows, at, end)) setInLoop(words, rows, at, end);
	}
}

/**
 * As {@link setRows}, in JavaScript. Interleaves four parts of the list: consecutive rows often have bits in the same word,
 * and each update of a word depends on the store before it (0.6 of the time of a loop over the list).
 */
function setInLoop(words: Uint32Array, rows: Uint32Array, from: number, to: number): void {
	const part = Math.max(0, to - from) >>> 2;
	const second = from + part;
	const third = second + part;
	const fourth = third + part;
	for (let i = 0; i < part; i++) {
		setRow(words, rows[from + i]);
		setRow(words, rows[second + i]);
		setRow(words, rows[third + i]);
		setRow(words, rows[fourth + i]);
	}
	for (let i = fourth + part; i < to; i++) setRow(words, rows[i]);
}

function setRow(words: Uint32Array, row: number): void {
	words[row >>> 5] |= 1 << (row & 31);
}

/** Sets the bits of those of rows[from, to) that are in `source`. */
export function setCommonRows(
	words: Uint32Array,
	source: Uint32Array,
	rows: Uint32Array,
	from: number,
	to: number,
): void {
	for (let i = from; i < to; i++) {
		const row = rows[i];
		words[row >>> 5] |= source[row >>> 5] & (1 << (row & 31));
	}
}

/** Clears the bits of rows[from, to). */
export function clearRows(words: Uint32Array, rows: Uint32Array, from: number, to: number): void {
	for (let i = from; i < to; i++) {
		const row = rows[i];
		words[row >>> 5] &= ~(1 << (row & 31));
	}
}

/** Whether the bit of `row` is set. */
export function hasRow(words: Uint32Array, row: number): boolean {
	return ((words[row >>> 5] >>> (row & 31)) & 1) === 1;
}

/** How far matches have been skipped. */
export interface SkipCursor {
	/** Matches still to skip. */
	skip: number;
}

/** A page that kernels fill, one after the other: rows are written to `out` from `taken` on, at most up to `end`. */
export interface PageFill extends SkipCursor {
	/** Where the next row is written. */
	taken: number;
	/** Where the page ends in `out`. */
	readonly end: number;
	readonly out: Uint32Array;
}

/** The word at `index` without the bits of rows outside [from, to). */
function clippedWord(words: Uint32Array, index: number, from: number, to: number): number {
	let word = words[index];
	if (index === from >>> 5) word &= -1 << (from & 31);
	if (index === (to - 1) >>> 5) word &= -1 >>> (31 - ((to - 1) & 31));
	return word;
}

/** Minimum and maximum size of the blocks whose matches are counted at once. */
export interface BlockSizes {
	readonly least: number;
	readonly most: number;
}

/**
 * Skips matches among positions [from, to), upwards or downwards, by galloping search: the matches of whole blocks are
 * counted, and the block size doubles until one that is not skipped is within a block, then halves. Returns the position
 * from which on, or before which, the rest is skipped one by one.
 */
export function skipBlocks(
	from: number,
	to: number,
	isDown: boolean,
	{ least, most }: BlockSizes,
	cursor: SkipCursor,
	count: (from: number, to: number) => number,
): number {
	let at = isDown ? to : from;
	let size = least;
	for (let isPassed = true; size >= least; ) {
		const next = isDown ? at - size : at + size;
		const isWithin = isDown ? next >= from : next <= to;
		const matches = isWithin ? count(Math.min(at, next), Math.max(at, next)) : Number.POSITIVE_INFINITY;
		isPassed &&= matches <= cursor.skip;
		if (matches <= cursor.skip) {
			cursor.skip -= matches;
			at = next;
		}
		size = isPassed ? Math.min(2 * size, most) : size >>> 1;
	}
	return at;
}

/** Where taking rows begins, upwards or downwards, after those that are skipped by blocks of words. */
function skipRows(words: Uint32Array, from: number, to: number, isDown: boolean, cursor: SkipCursor): number {
	if (cursor.skip === 0) return isDown ? to : from;
	const sizes = { least: 32 * SKIPPED_WORDS_MIN, most: 32 * SKIPPED_WORDS_MAX };
	return skipBlocks(from, to, isDown, sizes, cursor, (first, end) => countRun(words, first, end));
}

/** Takes the set rows among rows [begin, to), ascending, until the page is full. */
export function takeRowsUp(words: Uint32Array, begin: number, to: number, page: PageFill): void {
	const { end, out } = page;
	const from = skipRows(words, begin, to, false, page);
	if (from >= to) return;
	const toWord = ((to - 1) >>> 5) + 1;
	for (let i = from >>> 5; i < toWord && page.taken < end; i++) {
		if (words[i] === 0) continue;
		let word = clippedWord(words, i, from, to);
		if (page.skip > 0) {
			const bits = popcount(word);
			if (page.skip >= bits) {
				page.skip -= bits;
				continue;
			}
		}
		while (word !== 0 && page.taken < end) {
			const lowest = word & -word;
			if (page.skip > 0) page.skip--;
			else out[page.taken++] = (i << 5) + 31 - Math.clz32(lowest);
			word ^= lowest;
		}
	}
}

/** As {@link takeRowsUp}, descending. */
export function takeRowsDown(words: Uint32Array, from: number, stop: number, page: PageFill): void {
	const { end, out } = page;
	const to = skipRows(words, from, stop, true, page);
	if (from >= to) return;
	const fromWord = from >>> 5;
	for (let i = (to - 1) >>> 5; i >= fromWord && page.taken < end; i--) {
		if (words[i] === 0) continue;
		let word = clippedWord(words, i, from, to);
		if (page.skip > 0) {
			const bits = popcount(word);
			if (page.skip >= bits) {
				page.skip -= bits;
				continue;
			}
		}
		while (word !== 0 && page.taken < end) {
			const highest = 31 - Math.clz32(word);
			if (page.skip > 0) page.skip--;
			else out[page.taken++] = (i << 5) + highest;
			word &= ~(1 << highest);
		}
	}
}
