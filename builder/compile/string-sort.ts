/**
 * Sorts byte strings, for dictionaries of millions of values: long lists in WebAssembly (kernels/sort-strings.wat),
 * which takes 0.3 to 0.5 of the time, and others, and where a process cannot run that, as follows.
 *
 * An MSD radix sort over several bytes at a time. Bytes are renumbered as symbols of the alphabet in use, so that
 * more of them fit in a key. Each position of a list is packed with the key of its string's next symbols into a double
 * and the doubles are sorted natively; groups of equal keys are sorted by the following symbols. Short lists use
 * insertion sort. Cost about O(total bytes x log strings); memory 16 bytes a string.
 *
 * Lists are ranges of one array, since a view of each would be garbage: a million of them took a fifth of the time.
 *
 * Invariant: strings compare by bytes, and equal strings by the caller's tie order.
 */

import { SortMemory } from "./sort-memory.js";

/** Minimum number of strings that are sorted in WebAssembly, whose memory costs more than it gains on fewer. */
const MODULE_STRINGS_MIN = 1 << 12;
/** Bits of an integer that a double represents exactly. */
const PACKED_BITS = 52;
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
	private readonly packed: Float64Array;
	/** A stack of ranges still to be sorted: first position, end, and the number of bytes that their strings share. */
	private readonly pending: number[] = [];
	private readonly offsets: Uint32Array;
	private readonly heap: Uint8Array;
	/** Symbol of every byte, in byte order; 0 is the end of a string. */
	private readonly symbols = new Uint16Array(256);
	/** Bits of a symbol. */
	private readonly bits: number;

	constructor(
		strings: ByteStrings,
		private readonly tie: TieOrder,
	) {
		const count = strings.offsets.length - 1;
		this.offsets = strings.offsets;
		this.heap = strings.heap;
		this.order = new Uint32Array(count);
		this.spare = new Uint32Array(count);
		this.packed = new Float64Array(count);
		const end = strings.offsets[count];
		for (let i = 0; i < end; i++) this.symbols[strings.heap[i]] = 1;
		let last = 0;
		for (let byte = 0; byte < 256; byte++) if (this.symbols[byte] === 1) this.symbols[byte] = ++last;
		this.bits = Math.max(1, 32 - Math.clz32(last));
	}

	sort(): Uint32Array {
		const { order, pending } = this;
		for (let i = 0; i < order.length; i++) order[i] = i;
		this.sortRange(0, order.length, 0);
		while (pending.length > 0) {
			const depth = pending.pop() as number;
			const to = pending.pop() as number;
			this.sortRange(pending.pop() as number, to, depth);
		}
		return order;
	}

	/** Sorts the strings at positions [from, to), which agree in their first `depth` bytes. */
	private sortRange(from: number, to: number, depth: number): void {
		if (to - from <= INSERTION_MAX) this.insertionSort(from, to, depth);
		else this.sortByKey(from, to, depth);
	}

	/** The next `length` symbols of the string at [at, end) as one number. */
	private digits(at: number, end: number, length: number): number {
		const { heap, symbols, bits } = this;
		let number = 0;
		for (let i = at; i < at + length; i++) number = (number << bits) | (i < end ? symbols[heap[i]] : 0);
		return number;
	}

	/** Sorts a long list by keys of the symbols after `depth`, and groups of equal keys by the following symbols. */
	private sortByKey(from: number, to: number, depth: number): void {
		const { order, spare, offsets, bits } = this;
		const count = to - from;
		const positionBits = 32 - Math.clz32(count - 1);
		const range = 2 ** positionBits;
		const symbols = Math.floor((PACKED_BITS - positionBits) / bits);
		const high = Math.min(Math.ceil(symbols / 2), Math.floor(HALF_BITS / bits));
		const low = Math.min(symbols - high, high);
		const lowRange = 2 ** (bits * low);
		const packed = this.packed.subarray(0, count);
		for (let i = 0; i < count; i++) {
			const index = order[from + i];
			const at = offsets[index] + depth;
			const end = offsets[index + 1];
			const key = this.digits(at, end, high) * lowRange + this.digits(at + high, end, low);
			packed[i] = key * range + i;
		}
		packed.sort();
		for (let i = 0; i < count; i++) {
			const key = Math.floor(packed[i] / range);
			spare[i] = order[from + packed[i] - key * range];
			packed[i] = key;
		}
		order.set(spare.subarray(0, count), from);
		const below = depth + high + low;
		for (let first = 0, end = 1; first < count; first = end++) {
			const key = packed[first];
			while (end < count && packed[end] === key) end++;
			if (end - first < 2) continue;
			// A key that includes the strings' end has it as its last symbol.
			if (key % 2 ** bits === 0) this.sortEqual(from + first, from + end);
			else if (end - first <= INSERTION_MAX) this.insertionSort(from + first, from + end, below);
			else this.pending.push(from + first, from + end, below);
		}
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
