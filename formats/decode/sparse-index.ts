/**
 * A sparse index of a sorted dictionary: the head of every 16th value's fold (of every 32nd, 64th and so on, where
 * these would be too many), which a prefix is searched for among before values are read. A search among the values
 * alone misses the cache twice a step; the sparse index stays cached.
 *
 * Invariant: `heads` ascend as the dictionary's folds do. Made by the first search for a prefix, in less than a
 * millisecond; never stored.
 */

import { HEAD_WORDS, headRange, headsWithin, writeFoldHead } from "../fold-head.js";
import type { Range } from "../range.js";

/** Values from one head to the next, at least: their texts are a few cache lines. */
const STEP_MIN = 16;
/** Heads at most: 64 KiB. */
const HEADS_MAX = 8192;
/** Dictionaries of fewer values are searched without. */
export const SPARSE_INDEX_VALUES_MIN = 1024;

export class SparseIndex {
	private constructor(
		private readonly heads: Uint32Array,
		private readonly distinct: number,
		/** Values from one head to the next. */
		private readonly step: number,
	) {}

	/** The index of the values whose offsets into `heap` are given. Cost O(heads). */
	static of(offsets: Uint32Array, heap: Uint8Array): SparseIndex {
		const distinct = offsets.length - 1;
		let step = STEP_MIN;
		while (distinct > step * HEADS_MAX) step *= 2;
		const heads = new Uint32Array(HEAD_WORDS * Math.ceil(distinct / step));
		for (let code = 0, at = 0; code < distinct; code += step, at += HEAD_WORDS)
			writeFoldHead(heap, offsets[code], offsets[code + 1], heads, at);
		return new SparseIndex(heads, distinct, step);
	}

	/**
	 * Codes between which those of the values that start with the fold of `prefix` begin, and between which they end, in
	 * {@link SparseRange}; valid until the next call. Cost O(log heads).
	 */
	search(prefix: string): SparseRange {
		const { bounds, isExact } = headRange(prefix);
		const { from, to } = headsWithin(this.heads, 0, this.heads.length / HEAD_WORDS, bounds);
		// Of a longer prefix, the heads within may belong to values before it or behind it.
		return { first: this.codes(from, isExact ? from : to), end: this.codes(isExact ? to : from, to) };
	}

	/** From the last value before head `from`, to the first value of head `to`. */
	private codes(from: number, to: number): Range {
		return { from: Math.max(0, from - 1) * this.step, to: Math.min(this.distinct, to * this.step) };
	}
}

export interface SparseRange {
	/** Codes that the first value is among, or is behind. */
	readonly first: Range;
	readonly end: Range;
}
