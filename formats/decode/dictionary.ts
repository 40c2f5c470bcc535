/**
 * Reads a sorted dictionary in place. Values are sorted by fold, then by bytes, so a prefix is one range of
 * codes, and codes compare like their values.
 */

import { compareBytes, compareFolded, fold, isAscii, lowerAsciiByte } from "../fold.js";
import { hashBytes } from "../hash.js";
import { firstWhere, type Range } from "../range.js";
import { Utf8Text } from "../utf8.js";
import type { HashIndex } from "./hash-index.js";
import type { Postings } from "./postings.js";
import { SPARSE_INDEX_VALUES_MIN, SparseIndex } from "./sparse-index.js";

/** A search value, and its fold. */
const asked = new Utf8Text();
const askedFold = new Utf8Text();

/** Buffers for the bytes of a short ASCII search value and of its fold. */
const asciiBytes = new Uint8Array(64);
const asciiFolded = new Uint8Array(64);

/** The last row that was read ahead. Stored, so that the compiler cannot eliminate the read. */
const ahead: { row: number | undefined } = { row: 0 };

/** Writes `value` to both buffers if it is short ASCII; returns whether it was. */
function encodeAscii(value: string): boolean {
	for (let i = 0; i < value.length; i++) {
		const byte = value.charCodeAt(i);
		if (byte >= 0x80) return false;
		asciiBytes[i] = byte;
		asciiFolded[i] = lowerAsciiByte(byte);
	}
	return true;
}

export class Dictionary {
	/** Number of values, which is also the code of null. */
	readonly distinct: number;
	/** The heap as Node decodes text from it: making a view for each value would cost more than decoding it. */
	private readonly heapText: Buffer;
	/** The last prefix that was searched for, and its codes: the hints of an empty page ask for it again and again. */
	private lastPrefix = "";
	private lastRange: Range;
	/** Null until a prefix is searched for, and where there are few values. */
	private sparse: SparseIndex | null = null;

	constructor(
		/** `distinct + 1` offsets into `heap`. */
		readonly offsets: Uint32Array,
		readonly heap: Uint8Array,
		/** Dense fold rank by code; null where it equals the code. */
		readonly foldRanks: Uint32Array | null,
		/** Number of distinct folds, which is also the rank of null. */
		readonly folds: number,
		/** Maps a value's hash to its code; null for small dictionaries and months of older versions. */
		private readonly hashIndex: HashIndex | null = null,
	) {
		this.distinct = offsets.length - 1;
		this.lastRange = { from: 0, to: this.distinct };
		this.heapText = Buffer.from(heap.buffer, heap.byteOffset, heap.length);
	}

	/** The value of `code`; null for the code of null. */
	value(code: number): string | null {
		if (code >= this.distinct) return null;
		return this.heapText.toString("utf8", this.offsets[code], this.offsets[code + 1]);
	}

	/** Fold rank of `code`; the number of folds for the code of null. Cost O(1). */
	rank(code: number): number {
		if (code >= this.distinct) return this.folds;
		return this.foldRanks === null ? code : this.foldRanks[code];
	}

	/** Codes whose fold rank is in `ranks`. Cost O(log distinct). */
	codesOfRanks(ranks: Range): Range {
		if (this.foldRanks === null) return ranks;
		return { from: this.lowestCodeOfRank(ranks.from), to: this.lowestCodeOfRank(ranks.to) };
	}

	/** The codes of the values with the fold of a value's code. Cost O(1) where it is the only one, else O(log distinct). */
	sameFold(code: number): Range {
		const rank = this.rank(code);
		const isAlone = (code === 0 || this.rank(code - 1) !== rank) && this.rank(code + 1) !== rank;
		return isAlone ? { from: code, to: code + 1 } : this.codesOfRanks({ from: rank, to: rank + 1 });
	}

	/**
	 * The code of exactly `value`, or -1. Cost O(length) with a hash index, else O(log distinct).
	 *
	 * With the column's `postings`, the first row of each candidate code is read before its value is compared (software
	 * prefetching): the cache misses of both overlap, and a caller that reads the code's rows next finds them cached.
	 */
	find(value: string, postings: Postings | null = null): number {
		const ascii = value.length <= asciiBytes.length && encodeAscii(value);
		const bytes = ascii ? asciiBytes : asked.encode(value);
		const length = ascii ? value.length : bytes.length;
		if (this.hashIndex !== null) {
			const hash = hashBytes(bytes, 0, length);
			return this.hashIndex.find(hash, (code) => {
				if (postings !== null) ahead.row = postings.rows[postings.offsets[code]];
				return this.compareRaw(code, bytes, length) === 0;
			});
		}
		const folded = ascii ? asciiFolded.subarray(0, length) : askedFold.encode(fold(value));
		let low = 0;
		let high = this.distinct;
		while (low < high) {
			const middle = (low + high) >>> 1;
			const order = this.compareValue(middle, folded, bytes, length);
			if (order === 0) return middle;
			if (order < 0) low = middle + 1;
			else high = middle;
		}
		return -1;
	}

	/** Codes of the values whose fold starts with the fold of `prefix`. Cost O(log distinct), or O(1) if asked twice in a row. */
	prefixRange(prefix: string): Range {
		if (prefix !== this.lastPrefix) {
			this.lastRange = this.searchPrefix(prefix);
			this.lastPrefix = prefix;
		}
		return this.lastRange;
	}

	/** Codes of the values whose fold is that of `text`. Cost O(log distinct), O(1) after {@link prefixRange} of it. */
	foldRange(text: string): Range {
		const { from, to } = this.prefixRange(text);
		if (from === to) return { from, to };
		// The values of a prefix begin with those that are the prefix.
		const start = this.offsets[from];
		const end = this.offsets[from + 1];
		const isSame = isAscii(this.heap, start, end)
			? end - start === text.length
			: fold(this.value(from) as string) === fold(text);
		return isSame ? this.sameFold(from) : { from, to: from };
	}

	private searchPrefix(prefix: string): Range {
		const ascii = prefix.length <= asciiBytes.length && encodeAscii(prefix);
		const folded = ascii ? asciiFolded.subarray(0, prefix.length) : askedFold.encode(fold(prefix));
		if (this.distinct < SPARSE_INDEX_VALUES_MIN) {
			const from = this.firstAtPrefix(folded, 0, this.distinct, 0);
			return { from, to: this.firstAtPrefix(folded, from, this.distinct, 1) };
		}
		this.sparse ??= new SparseIndex(this.offsets, this.heap);
		const { first, end } = this.sparse.search(prefix);
		const from = this.firstAtPrefix(folded, first.from, first.to, 0);
		return { from, to: this.firstAtPrefix(folded, Math.max(from, end.from), end.to, 1) };
	}

	/** How the fold of a value compares to a folded prefix: 0 if it starts with it. */
	comparePrefix(code: number, folded: Uint8Array): number {
		return compareFolded(this.heap, this.offsets[code], this.offsets[code + 1], folded, true);
	}

	/** The first code whose value is at or after `value` in byte order, which is the order of dates. */
	lowerBound(value: string): number {
		const bytes = asked.encode(value);
		return firstWhere(0, this.distinct, (code) => this.compareRaw(code, bytes, bytes.length) >= 0);
	}

	private lowestCodeOfRank(rank: number): number {
		const ranks = this.foldRanks as Uint32Array;
		return firstWhere(0, this.distinct, (code) => ranks[code] >= rank);
	}

	/** The first code in [from, to) whose fold compares to a folded prefix as `least` or more; `to` if none does. */
	private firstAtPrefix(folded: Uint8Array, from: number, to: number, least: number): number {
		let low = from;
		let high = to;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.comparePrefix(middle, folded) >= least) high = middle;
			else low = middle + 1;
		}
		return low;
	}

	/** How the bytes of a value compare to the first `length` of `bytes`. */
	private compareRaw(code: number, bytes: Uint8Array, length: number): number {
		return compareBytes(this.heap, this.offsets[code], this.offsets[code + 1], bytes, 0, length);
	}

	private compareValue(code: number, folded: Uint8Array, bytes: Uint8Array, length: number): number {
		const order = compareFolded(this.heap, this.offsets[code], this.offsets[code + 1], folded, false);
		return order === 0 ? this.compareRaw(code, bytes, length) : order;
	}
}
