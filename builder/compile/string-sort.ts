/**
 * Sorts byte strings, for dictionaries of millions of values: long lists in WebAssembly (kernels/sort-strings.wat),
 * which takes 0.3 to 0.5 of the time, and others, and where a process cannot run that, as follows.
 *
 * An MSD radix sort over several bytes at a time. Bytes are renumbered as symbols of the alphabet in use, so that
 * more of them fit in a key. A long list is distributed over buckets of its next symbols, together with the key of
 * those after them, which costs no second read of the string. In a shorter list, each position is packed with its
 * key into a double and the doubles are sorted natively; groups of equal keys are sorted by the following symbols.
 * Short lists use insertion sort. Cost about O(total bytes); memory 18 bytes a string.
 *
 * Lists are ranges of one array, since a view of each would be garbage: a million of them took a fifth of the time.
 *
 * Invariant: strings compare by bytes, and equal strings by the caller's tie order.
 */

import { SortMemory } from "./sort-memory.js";

/** Minimum number of strings that are sorted in WebAssembly, whose memory costs more than it gains on fewer. */
const MODULE_STRINGS_MIN = 1 << 12;
/** Minimum length of lists that are distributed over buckets. */
const SPREAD_BITS_OF_LENGTH = 14;
const SPREAD_MIN = 1 << SPREAD_BITS_OF_LENGTH;
/** Maximum bits of a bucket's number. */
const SPREAD_BITS = 14;
/** Maximum bits of a key, which a double holds together with a position in a list that is not distributed. */
const KEY_BITS = 52 - SPREAD_BITS_OF_LENGTH;
/** Maximum bits of each of a key's halves: small integers on every machine. */
const HALF_BITS = 30;
const INSERTION_MAX = 16;

/** Byte strings in one heap: string i occupies [offsets[i], offsets[i + 1]). */
export interface ByteStrings {
	readonly offsets: Uint32Array;
	readonly heap: Uint8Array;
}

/** The order of two equal strings, by their indexes: negative, 0 or positive. */
type TieOrder = (a: number, b: number) => number;

/** Indexes of all strings, sorted; `tie` orders the indexes of equal strings. */
export function sortStrings(strings: ByteStrings, tie: TieOrder): Uint32Array {
	const isLong = strings.offsets.length > MODULE_STRINGS_MIN;
	return (isLong ? sortInModule(strings, tie) : null) ?? sortInLoop(strings, tie);
}

/** {@link sortStrings} by loops in JavaScript. */
export function sortInLoop(strings: ByteStrings, tie: TieOrder): Uint32Array {
	return new StringSorter(strings, tie).sort();
}

/** {@link sortStrings} of at least one string in WebAssembly; null where this process cannot. */
export function sortInModule({ offsets, heap }: ByteStrings, tie: TieOrder): Uint32Array | null {
	const count = offsets.length - 1;
	const memory = SortMemory.of(count, offsets[count]);
	if (memory === null) return null;
	memory.offsets.set(offsets);
	memory.heap.set(heap.subarray(0, offsets[count]));
	memory.sort();
	const { same } = memory;
	const order = memory.order.slice();
	for (let at = 1; at < count; at++) {
		if (same[at] === 0) continue;
		const first = at - 1;
		while (at < count && same[at] === 1) at++;
		if (at - first > 2) order.set(Array.from(order.subarray(first, at)).sort(tie), first);
		else if (tie(order[first], order[first + 1]) > 0) order.subarray(first, at).reverse();
	}
	return order;
}

class StringSorter {
	/** The strings' indexes. */
	private readonly order: Uint32Array;
	private readonly spare: Uint32Array;
	/** By position in a list that is about to be sorted by keys: the key. */
	private readonly keys: Float64Array;
	private readonly packed: Float64Array;
	/** Lists of equal keys that wait: first and last position, and the number of bytes that their strings share. */
	private readonly waiting: number[] = [];
	private readonly offsets: Uint32Array;
	private readonly heap: Uint8Array;
	/** Symbol of every byte, in byte order; 0 is the end of a string. */
	private readonly symbols = new Uint16Array(256);
	/** Symbols are digits to this base, a power of two. */
	private readonly radix: number;
	/** Symbols of a bucket's number, and of the first and second half of a key. */
	private readonly bucketSymbols: number;
	private readonly highSymbols: number;
	private readonly lowSymbols: number;
	private readonly lowRange: number;

	constructor(
		strings: ByteStrings,
		private readonly tie: TieOrder,
	) {
		const count = strings.offsets.length - 1;
		this.offsets = strings.offsets;
		this.heap = strings.heap;
		this.order = new Uint32Array(count);
		this.spare = new Uint32Array(count);
		this.keys = new Float64Array(count);
		this.packed = new Float64Array(Math.min(SPREAD_MIN, count));
		const end = strings.offsets[count];
		for (let i = 0; i < end; i++) this.symbols[strings.heap[i]] = 1;
		let last = 0;
		for (let byte = 0; byte < 256; byte++) if (this.symbols[byte] === 1) this.symbols[byte] = ++last;
		const bits = Math.max(1, 32 - Math.clz32(last));
		this.radix = 1 << bits;
		this.bucketSymbols = Math.max(1, Math.floor(SPREAD_BITS / bits));
		const symbols = Math.floor(KEY_BITS / bits);
		this.highSymbols = Math.min(Math.ceil(symbols / 2), Math.floor(HALF_BITS / bits));
		this.lowSymbols = Math.min(symbols - this.highSymbols, this.highSymbols);
		this.lowRange = this.radix ** this.lowSymbols;
	}

	sort(): Uint32Array {
		const { order, waiting } = this;
		for (let i = 0; i < order.length; i++) order[i] = i;
		this.sortRange(0, order.length, 0);
		while (waiting.length > 0) {
			const depth = waiting.pop() as number;
			const to = waiting.pop() as number;
			this.sortRange(waiting.pop() as number, to, depth);
		}
		return order;
	}

	/** Sorts the strings at positions [from, to), which agree in their first `depth` bytes. */
	private sortRange(from: number, to: number, depth: number): void {
		if (to - from <= INSERTION_MAX) this.insertionSort(from, to, depth);
		else if (to - from >= SPREAD_MIN) this.spread(from, to, depth);
		else {
			const { order, keys } = this;
			for (let at = from; at < to; at++) keys[at] = this.key(order[at], depth);
			this.sortByKey(from, to, depth);
		}
	}

	/** The next `length` symbols of the string at [at, end) as one number. */
	private digits(at: number, end: number, length: number): number {
		const { heap, symbols, radix } = this;
		let number = 0;
		for (let i = at; i < at + length; i++) number = number * radix + (i < end ? symbols[heap[i]] : 0);
		return number;
	}

	/** The symbols of string `index` from `depth` on, as many as a key has. */
	private key(index: number, depth: number): number {
		const at = this.offsets[index] + depth;
		const end = this.offsets[index + 1];
		const high = this.digits(at, end, this.highSymbols);
		return high * this.lowRange + this.digits(at + this.highSymbols, end, this.lowSymbols);
	}

	/** Distributes a long list over buckets of its next symbols and sorts each. */
	private spread(from: number, to: number, depth: number): void {
		const { order, spare, keys, offsets, bucketSymbols } = this;
		const buckets = this.radix ** bucketSymbols;
		const ends = new Uint32Array(buckets + 1);
		const bucketOf = new Uint16Array(to - from);
		for (let i = 0; i < bucketOf.length; i++) {
			const index = order[from + i];
			const bucket = this.digits(offsets[index] + depth, offsets[index + 1], bucketSymbols);
			bucketOf[i] = bucket;
			ends[bucket + 1]++;
		}
		ends[0] = from;
		for (let bucket = 0; bucket < buckets; bucket++) ends[bucket + 1] += ends[bucket];
		const below = depth + bucketSymbols;
		for (let i = 0; i < bucketOf.length; i++) {
			const index = order[from + i];
			const place = ends[bucketOf[i]]++;
			spare[place] = index;
			keys[place] = this.key(index, below);
		}
		order.set(spare.subarray(from, to), from);
		// Each bucket ends where the next began.
		for (let bucket = 0, first = from; bucket < buckets; first = ends[bucket++]) {
			const end = ends[bucket];
			if (end - first < 2) continue;
			if (this.hasEnded(bucket)) this.sortEqual(first, end);
			else if (end - first < SPREAD_MIN) this.sortByKey(first, end, below);
			else this.waiting.push(first, end, below);
		}
	}

	/** Sorts a list by its keys of the symbols after `depth`, and groups of equal keys by the following symbols. */
	private sortByKey(from: number, to: number, depth: number): void {
		const { order, spare, keys } = this;
		const count = to - from;
		const range = 2 ** (32 - Math.clz32(count - 1));
		const packed = this.packed.subarray(0, count);
		for (let i = 0; i < count; i++) packed[i] = keys[from + i] * range + i;
		packed.sort();
		for (let i = 0; i < count; i++) {
			const key = Math.floor(packed[i] / range);
			spare[from + i] = order[from + packed[i] - key * range];
			packed[i] = key;
		}
		for (let at = from; at < to; at++) order[at] = spare[at];
		const below = depth + this.highSymbols + this.lowSymbols;
		for (let first = 0, end = 1; first < count; first = end++) {
			const key = packed[first];
			while (end < count && packed[end] === key) end++;
			if (end - first < 2) continue;
			if (this.hasEnded(key)) this.sortEqual(from + first, from + end);
			else if (end - first <= INSERTION_MAX) this.insertionSort(from + first, from + end, below);
			else this.waiting.push(from + first, from + end, below);
		}
	}

	/** Whether a key includes the strings' end, which is then its last symbol. */
	private hasEnded(key: number): boolean {
		return key % this.radix === 0;
	}

	private sortEqual(from: number, to: number): void {
		const { order, offsets } = this;
		const length = offsets[order[from] + 1] - offsets[order[from]];
		if (to - from <= INSERTION_MAX) this.insertionSort(from, to, length);
		else order.set(Array.from(order.subarray(from, to)).sort(this.tie), from);
	}

	/** Sorts the strings at positions [from, to), which agree in their first `depth` bytes or, if shorter, are equal. */
	private insertionSort(from: number, to: number, depth: number): void {
		const { order } = this;
		for (let i = from + 1; i < to; i++) {
			const index = order[i];
			let at = i;
			while (at > from && this.compare(order[at - 1], index, depth) > 0) {
				order[at] = order[at - 1];
				at--;
			}
			order[at] = index;
		}
	}

	private compare(a: number, b: number, depth: number): number {
		const { heap, offsets } = this;
		const aEnd = offsets[a + 1];
		const bEnd = offsets[b + 1];
		let aAt = offsets[a] + depth;
		let bAt = offsets[b] + depth;
		while (aAt < aEnd && bAt < bEnd) {
			const difference = heap[aAt++] - heap[bAt++];
			if (difference !== 0) return difference;
		}
		const rest = aEnd - aAt - (bEnd - bAt);
		return rest === 0 ? this.tie(a, b) : rest;
	}
}
