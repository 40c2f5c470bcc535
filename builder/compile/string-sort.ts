/**
 * Sorting of byte strings, for dictionaries of millions of values.
 *
 * Most significant first, four bytes at a time: each string's next four bytes are packed with its
 * index into one double, the platform sorts the doubles, and runs of equal keys are sorted by the
 * four bytes after. Short runs are sorted by insertion. Cost about O(total bytes / 4) sorts.
 *
 * Invariant: strings compare by bytes, and equal strings by the tie order that the caller gives.
 */

/** Packed keys leave this many values for the index. */
const INDEX_RANGE = 2 ** 20;
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

	constructor(
		strings: ByteStrings,
		private readonly tie: (a: number, b: number) => number,
	) {
		this.packed = new Float64Array(Math.min(INDEX_RANGE, strings.offsets.length));
		this.offsets = strings.offsets;
		this.heap = strings.heap;
	}

	/** Sorts `indexes`, whose strings agree in their first `depth` bytes. */
	sort(indexes: Uint32Array, depth: number): void {
		if (indexes.length <= INSERTION_MAX) this.insertionSort(indexes, depth);
		else if (indexes.length >= INDEX_RANGE) this.splitByFirstBytes(indexes, depth);
		else this.sortByKey(indexes, depth);
	}

	/** The four bytes of string `index` from `depth` on, zero where it has ended. */
	private key(index: number, depth: number): number {
		const end = this.offsets[index + 1];
		let at = this.offsets[index] + depth;
		let key = 0;
		for (let i = 0; i < 4; i++) key = key * 256 + (at < end ? this.heap[at++] : 0);
		return key;
	}

	private sortByKey(indexes: Uint32Array, depth: number): void {
		const count = indexes.length;
		const packed = this.packed.subarray(0, count);
		for (let i = 0; i < count; i++) packed[i] = this.key(indexes[i], depth) * INDEX_RANGE + i;
		packed.sort();
		const sorted = new Uint32Array(count);
		const runs: number[] = [0];
		let previous = -1;
		for (let i = 0; i < count; i++) {
			const key = Math.floor(packed[i] / INDEX_RANGE);
			sorted[i] = indexes[packed[i] - key * INDEX_RANGE];
			if (i > 0 && key !== previous) runs.push(i);
			previous = key;
		}
		runs.push(count);
		indexes.set(sorted);
		for (let run = 0; run + 1 < runs.length; run++) {
			if (runs[run + 1] - runs[run] > 1) this.sortRun(indexes.subarray(runs[run], runs[run + 1]), depth + 4);
		}
	}

	/** Sorts strings that agree in their first `depth` bytes or have ended before. */
	private sortRun(indexes: Uint32Array, depth: number): void {
		for (let i = 0; i < indexes.length; i++) {
			if (this.offsets[indexes[i] + 1] - this.offsets[indexes[i]] > depth) {
				this.sort(indexes, depth);
				return;
			}
		}
		// All have ended: equal but for trailing NULs, which only the full comparison tells apart.
		const sorted = Array.from(indexes).sort((a, b) => this.compare(a, b, 0));
		indexes.set(sorted);
	}

	/** Spreads a list too long for packing over buckets of the next two bytes. */
	private splitByFirstBytes(indexes: Uint32Array, depth: number): void {
		const starts = new Uint32Array(65_537);
		const buckets = new Uint16Array(indexes.length);
		for (let i = 0; i < indexes.length; i++) {
			const bucket = Math.floor(this.key(indexes[i], depth) / 65_536);
			buckets[i] = bucket;
			starts[bucket + 1]++;
		}
		for (let bucket = 0; bucket < 65_536; bucket++) starts[bucket + 1] += starts[bucket];
		const cursor = starts.slice(0, 65_536);
		const spread = new Uint32Array(indexes.length);
		for (let i = 0; i < indexes.length; i++) spread[cursor[buckets[i]]++] = indexes[i];
		indexes.set(spread);
		for (let bucket = 0; bucket < 65_536; bucket++) {
			const run = indexes.subarray(starts[bucket], starts[bucket + 1]);
			// A bucket that is the whole list again is told apart by its next bytes.
			if (run.length > 1) this.sortRun(run, run.length === indexes.length ? depth + 2 : depth);
		}
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
		let aAt = Math.min(offsets[a] + depth, aEnd);
		let bAt = Math.min(offsets[b] + depth, bEnd);
		while (aAt < aEnd && bAt < bEnd) {
			const difference = heap[aAt++] - heap[bAt++];
			if (difference !== 0) return difference;
		}
		const rest = aEnd - aAt - (bEnd - bAt);
		return rest === 0 ? this.tie(a, b) : rest;
	}
}
