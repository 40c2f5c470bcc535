/**
 * A sparse index of a sorted dictionary: the head of every 16th value's fold (of every 32nd, 64th and so on, where these
 * would be too many), which a prefix is searched for among before values are read. A search of the values alone misses
 * the cache twice a step; the sparse index stays cached.
 *
 * Never stored: each head is read from its value when a search first compares it, so that no search reads all of them.
 */

import { HEAD_WORDS, headRange, headsWithin, writeFoldHead } from "../fold-head.js";
import type { Range } from "../range.js";

/** Values from one head to the next, at least: their texts are a few cache lines. */
const STEP_MIN = 16;
/** Heads at most: 256 KiB. */
const HEADS_MAX = 32_768;
/** Fewer values are searched without. */
export const SPARSE_INDEX_VALUES_MIN = 1024;

/** Codes that those of the values with a prefix begin and end between. */
export interface SparseRange {
	/** The first value is one of these, or the one behind them. */
	readonly first: Range;
	/** The end of the values is one of these, or the one behind them. */
	readonly end: Range;
}

export class SparseIndex {
	private readonly distinct: number;
	/** Values from one head to the next. */
	private readonly step: number;
	private readonly count: number;
	/** Zero where not read yet. One whose first word is zero, of a value that begins with zero bytes, is read each time. */
	private readonly heads: Uint32Array;

	/** Of the values with these offsets into `heap`. */
	constructor(
		private readonly offsets: Uint32Array,
		private readonly heap: Uint8Array,
	) {
		this.distinct = offsets.length - 1;
		let step = STEP_MIN;
		while (this.distinct > step * HEADS_MAX) step *= 2;
		this.step = step;
		this.count = Math.ceil(this.distinct / step);
		this.heads = new Uint32Array(HEAD_WORDS * this.count);
	}

	private readonly readHead = (place: number): void => {
		const code = place * this.step;
		writeFoldHead(this.heap, this.offsets[code], this.offsets[code + 1], this.heads, place * HEAD_WORDS);
	};

	/** Where the values are whose fold starts with the fold of `prefix`. Cost O(log heads). */
	search(prefix: string): SparseRange {
		const { bounds, isExact } = headRange(prefix);
		const { from, to } = headsWithin(this.heads, 0, this.count, bounds, this.readHead);
		// Of a longer prefix, the heads within may belong to values before it or behind it.
		return { first: this.between(from, isExact ? from : to), end: this.between(isExact ? to : from, to) };
	}

	/** The codes from head `from − 1` to head `to`. */
	private between(from: number, to: number): Range {
		return { from: Math.max(0, from - 1) * this.step, to: Math.min(this.distinct, to * this.step) };
	}
}
