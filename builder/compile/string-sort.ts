/**
 * Sorts byte strings, for dictionaries of millions of values.
 *
 * An MSD radix sort over several bytes at a time. Bytes are renumbered as symbols of the alphabet in use, so that
 * more of them fit in a key. A long list is distributed over buckets of its next symbols. In a shorter one, each
 * index is packed with its next symbols into a double and the doubles are sorted natively; groups of equal keys are
 * sorted by the following symbols. Short lists use insertion sort. Cost about O(total bytes), and memory for one
 * more list of indexes.
 *
 * Invariant: strings compare by bytes, and equal strings by the caller's tie order.
 */

/** Bits of an integer that a double represents exactly. */
const PACKED_BITS = 52;
/** Minimum length of lists that are distributed over buckets. */
const SPREAD_MIN = 1 << 14;
/** Maximum bits of a bucket's number. */
const SPREAD_BITS = 14;
const INSERTION_MAX = 16;

/** Byte strings in one heap: string i occupies [offsets[i], offsets[i + 1]). */
export interface ByteStrings {
	readonly offsets: Uint32Array;
	readonly heap: Uint8Array;
}

/** Indexes of all strings, sorted; `tie` orders the indexes of equal strings. */
export function sortStrings(strings: ByteStrings, tie: (a: number, b: number) => number): Uint32Array {
	const count = strings.offsets.length - 1;
	const indexes = new Uint32Array(count);
	for (let i = 0; i < count; i++) indexes[i] = i;
	new StringSorter(strings, tie).sort(indexes, 0);
	return indexes;
}

class StringSorter {
	private readonly packed: Float64Array;
	private readonly offsets: Uint32Array;
	private readonly heap: Uint8Array;
	/** Symbol of every byte, in byte order; 0 is the end of a string. */
	private readonly symbols = new Uint16Array(256);
	/** Bits per symbol. */
	private readonly bits: number;

	constructor(
		strings: ByteStrings,
		private readonly tie: (a: number, b: number) => number,
	) {
		this.packed = new Float64Array(Math.min(SPREAD_MIN, strings.offsets.length));
		this.offsets = strings.offsets;
		this.heap = strings.heap;
		const end = strings.offsets[strings.offsets.length - 1];
		for (let i = 0; i < end; i++) this.symbols[strings.heap[i]] = 1;
		let last = 0;
		for (let byte = 0; byte < 256; byte++) if (this.symbols[byte] === 1) this.symbols[byte] = ++last;
		this.bits = Math.max(1, 32 - Math.clz32(last));
	}

	/** Sorts the strings at `indexes`, which agree in their first `depth` bytes. */
	sort(indexes: Uint32Array, depth: number): void {
		let from = depth;
		while (indexes.length > INSERTION_MAX) {
			const skip = indexes.length >= SPREAD_MIN ? this.spread(indexes, from) : this.sortByKey(indexes, from);
			if (skip === 0) return;
			// All strings share these symbols. A loop instead of recursion, since long strings may share many.
			from += skip;
		}
		this.insertionSort(indexes, from);
	}

	/** The next `length` symbols of string `index` from `depth` on as one number. */
	private key(index: number, depth: number, length: number): number {
		const { heap, symbols } = this;
		const radix = 1 << this.bits;
		const end = this.offsets[index + 1];
		let at = this.offsets[index] + depth;
		let key = 0;
		for (let i = 0; i < length; i++) key = key * radix + (at < end ? symbols[heap[at++]] : 0);
		return key;
	}

	/**
	 * Sorts by packed keys, and groups of equal keys by the following symbols. If all keys are equal, leaves the
	 * list unchanged and returns the number of symbols; otherwise returns 0.
	 */
	private sortByKey(indexes: Uint32Array, depth: number): number {
		const count = indexes.length;
		const indexBits = 32 - Math.clz32(count - 1);
		const range = 2 ** indexBits;
		const length = Math.floor((PACKED_BITS - indexBits) / this.bits);
		const packed = this.packed.subarray(0, count);
		const first = this.key(indexes[0], depth, length);
		let same = true;
		for (let i = 0; i < count; i++) {
			const key = this.key(indexes[i], depth, length);
			if (key !== first) same = false;
			packed[i] = key * range + i;
		}
		if (same) return this.sortAgreeing(indexes, first, length);
		packed.sort();
		const sorted = new Uint32Array(count);
		const keys: number[] = [];
		const runs: number[] = [];
		for (let i = 0; i < count; i++) {
			const key = Math.floor(packed[i] / range);
			sorted[i] = indexes[packed[i] - key * range];
			if (i > 0 && key === keys[keys.length - 1]) continue;
			keys.push(key);
			runs.push(i);
		}
		runs.push(count);
		indexes.set(sorted);
		for (let run = 0; run < keys.length; run++) {
			this.sortRun(indexes.subarray(runs[run], runs[run + 1]), keys[run], depth + length);
		}
		return 0;
	}

	/** Distributes a long list over buckets of its next symbols and sorts each. Returns the same as {@link sortByKey}. */
	private spread(indexes: Uint32Array, depth: number): number {
		const length = Math.max(1, Math.floor(SPREAD_BITS / this.bits));
		const buckets = 2 ** (this.bits * length);
		const starts = new Uint32Array(buckets + 1);
		const bucketOf = new Uint16Array(indexes.length);
		for (let i = 0; i < indexes.length; i++) {
			const bucket = this.key(indexes[i], depth, length);
			bucketOf[i] = bucket;
			starts[bucket + 1]++;
		}
		if (starts[bucketOf[0] + 1] === indexes.length) return this.sortAgreeing(indexes, bucketOf[0], length);
		for (let bucket = 0; bucket < buckets; bucket++) starts[bucket + 1] += starts[bucket];
		const cursor = starts.slice(0, buckets);
		const spread = new Uint32Array(indexes.length);
		for (let i = 0; i < indexes.length; i++) spread[cursor[bucketOf[i]]++] = indexes[i];
		indexes.set(spread);
		for (let bucket = 0; bucket < buckets; bucket++) {
			if (starts[bucket + 1] - starts[bucket] < 2) continue;
			this.sortRun(indexes.subarray(starts[bucket], starts[bucket + 1]), bucket, depth + length);
		}
		return 0;
	}

	/** Sorts strings with one key: equal strings if the key includes their end, otherwise by the following symbols. */
	private sortAgreeing(indexes: Uint32Array, key: number, length: number): number {
		if (!this.hasEnded(key)) return length;
		this.sortEqual(indexes);
		return 0;
	}

	private sortRun(indexes: Uint32Array, key: number, depth: number): void {
		if (indexes.length < 2) return;
		if (this.hasEnded(key)) this.sortEqual(indexes);
		else this.sort(indexes, depth);
	}

	/** Whether a key includes the strings' end, which is then its last symbol. */
	private hasEnded(key: number): boolean {
		return key % (1 << this.bits) === 0;
	}

	private sortEqual(indexes: Uint32Array): void {
		indexes.set(Array.from(indexes).sort(this.tie));
	}

	private insertionSort(indexes: Uint32Array, depth: number): void {
		for (let i = 1; i < indexes.length; i++) {
			const index = indexes[i];
			let at = i;
			while (at > 0 && this.compare(indexes[at - 1], index, depth) > 0) {
				indexes[at] = indexes[at - 1];
				at--;
			}
			indexes[at] = index;
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
