/**
 * A set of codes: one bit per code, with a rank index (counts before every block of bits), so that a value or a
 * range of values is looked up in constant time.
 */

import type { Range } from "../../formats/index.js";
import { popcount } from "../kernels/bitmap.js";
import type { GrantedValues } from "./grant-search.js";

/** Words per block of the rank index. */
const BLOCK_WORDS = 8;
const BLOCK_SHIFT = 8;

export class GrantedCodes implements GrantedValues {
	private readonly words: Uint32Array;
	/** Number of granted codes before each block; null before a range is asked for. */
	private before: Uint32Array | null = null;

	/** `codes`: number of codes; `mark` sets the granted ones. */
	constructor(codes: number, mark: (words: Uint32Array) => void) {
		this.words = new Uint32Array((Math.ceil(codes / (BLOCK_WORDS * 32)) + 1) * BLOCK_WORDS);
		mark(this.words);
	}

	/** Bytes that it takes, with the rank index. */
	get bytes(): number {
		return this.words.byteLength * (1 + 1 / BLOCK_WORDS);
	}

	/** Whether a granted row has the code. Cost O(1). */
	has(code: number): boolean {
		return (this.words[code >>> 5] & (1 << (code & 31))) !== 0;
	}

	/** Whether a granted row has a code in the range. Cost O(1), and O(codes / 32) for the first range of several codes. */
	hasAny({ from, to }: Range): boolean {
		if (to - from <= 1) return from < to && this.has(from);
		this.before ??= countsBefore(this.words);
		return this.rank(to, this.before) > this.rank(from, this.before);
	}

	/** The first granted code at or after `code`; `end` if there is none before it. Cost O(codes skipped / 32). */
	next(code: number, end: number): number {
		let word = code >>> 5;
		let bits = this.words[word] & (-1 << (code & 31));
		while (bits === 0) {
			word++;
			if (word << 5 >= end) return end;
			bits = this.words[word];
		}
		return Math.min(end, (word << 5) + 31 - Math.clz32(bits & -bits));
	}

	/** Granted codes below `code`. */
	private rank(code: number, before: Uint32Array): number {
		const block = code >>> BLOCK_SHIFT;
		let count = before[block];
		const last = code >>> 5;
		for (let word = block * BLOCK_WORDS; word < last; word++) count += popcount(this.words[word]);
		return count + popcount(this.words[last] & ~(-1 << (code & 31)));
	}
}

/** Set bits before each block of words. */
function countsBefore(words: Uint32Array): Uint32Array {
	const before = new Uint32Array(words.length / BLOCK_WORDS);
	let count = 0;
	for (let word = 0; word < words.length; word++) {
		if (word % BLOCK_WORDS === 0) before[word / BLOCK_WORDS] = count;
		count += popcount(words[word]);
	}
	return before;
}
