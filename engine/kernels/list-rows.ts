/**
 * Kernels that list a bitmap's rows: one to four nanoseconds a row, and a tenth of a nanosecond a word in WebAssembly
 * memory, where SIMD skips empty words (simd.ts), elsewhere 0.8. None allocates memory for rows.
 */

import { LISTED_WORDS, SIMD_WORDS_MIN, SPARSE_ROWS_PER_WORD } from "../tuning.js";
import { listMatches } from "./bitmap-probe.js";
import { memoryOf } from "./simd.js";

const occupied = new Uint32Array(LISTED_WORDS);

/**
 * Writes the rows of words [from, to), ascending, to out[at…); returns the end. `out` is undefined after it. `count`:
 * how many there are, or an estimate, which only the speed depends on.
 */
export function listRows(
	words: Uint32Array,
	from: number,
	to: number,
	count: number,
	out: Uint32Array,
	at: number,
): number {
	const memory = to - from < SIMD_WORDS_MIN ? undefined : memoryOf(words);
	if (memory === undefined) return listInLoop(words, from, to, count, out, at);
	const listed = memory.list(words, from, to, out, at);
	return listInLoop(words, listed.end, to, count, out, listed.at);
}

/**
 * As {@link listRows}, in JavaScript. Empty words are dropped first, and rows are written two or four at a time whether
 * there are as many or not: branches would be mispredicted half of the time.
 */
function listInLoop(
	words: Uint32Array,
	from: number,
	to: number,
	count: number,
	out: Uint32Array,
	at: number,
): number {
	const list = count <= SPARSE_ROWS_PER_WORD * (to - from) ? listByTwo : listByFour;
	let end = at;
	for (let first = from; first < to; first += LISTED_WORDS) {
		const found = findOccupied(words, first, Math.min(to, first + LISTED_WORDS));
		end = list(words, found, out, end);
	}
	return end;
}

/** As {@link listRows}, of rows [from, to) of a bitmap that has few of them. */
export function listRun(words: Uint32Array, from: number, to: number, out: Uint32Array, at: number): number {
	const [firstWord, endWord] = [(from + 31) >>> 5, to >>> 5];
	if (endWord <= firstWord) return listMatches(null, words, from, to, out, at);
	const head = listMatches(null, words, from, firstWord << 5, out, at);
	const middle = listRows(words, firstWord, endWord, 0, out, head);
	return listMatches(null, words, endWord << 5, to, out, middle);
}

/** Lists the rows of the words in occupied[0, found). */
function listByTwo(words: Uint32Array, found: number, out: Uint32Array, at: number): number {
	let end = at;
	for (let i = 0; i < found; i++) {
		const base = (occupied[i] << 5) + 31;
		let word = words[occupied[i]] | 0;
		do {
			let lowest = word & -word;
			out[end++] = base - Math.clz32(lowest);
			word ^= lowest;
			lowest = word & -word;
			out[end] = base - Math.clz32(lowest);
			end += isSet(word);
			word ^= lowest;
		} while (word !== 0);
	}
	return end;
}

/** As {@link listByTwo}. */
function listByFour(words: Uint32Array, found: number, out: Uint32Array, at: number): number {
	let end = at;
	for (let i = 0; i < found; i++) {
		const base = (occupied[i] << 5) + 31;
		let word = words[occupied[i]] | 0;
		do {
			let lowest = word & -word;
			out[end++] = base - Math.clz32(lowest);
			word ^= lowest;
			lowest = word & -word;
			out[end] = base - Math.clz32(lowest);
			end += isSet(word);
			word ^= lowest;
			lowest = word & -word;
			out[end] = base - Math.clz32(lowest);
			end += isSet(word);
			word ^= lowest;
			lowest = word & -word;
			out[end] = base - Math.clz32(lowest);
			end += isSet(word);
			word ^= lowest;
		} while (word !== 0);
	}
	return end;
}

/**
 * Writes the indexes of those of words [from, to), at most LISTED_WORDS, that have a row to `occupied`;
 * returns how many.
 */
function findOccupied(words: Uint32Array, from: number, to: number): number {
	let count = 0;
	let i = from;
	for (; i + 4 <= to; i += 4) {
		occupied[count] = i;
		count += isSet(words[i]);
		occupied[count] = i + 1;
		count += isSet(words[i + 1]);
		occupied[count] = i + 2;
		count += isSet(words[i + 2]);
		occupied[count] = i + 3;
		count += isSet(words[i + 3]);
	}
	for (; i < to; i++) {
		occupied[count] = i;
		count += isSet(words[i]);
	}
	return count;
}

/** 1 if any bit is set, else 0. */
function isSet(word: number): number {
	return (word | -word) >>> 31;
}

/** Writes the rows of one in every `step` of words [from, to) to `out`; returns how many. */
export function sampleRows(
	words: Uint32Array,
	from: number,
	to: number,
	step: number,
	out: Uint32Array,
): number {
	let end = 0;
	for (let i = from; i < to; i += step) {
		let word = words[i];
		const base = i << 5;
		while (word !== 0) {
			const lowest = word & -word;
			out[end++] = base + 31 - Math.clz32(lowest);
			word ^= lowest;
		}
	}
	return end;
}
