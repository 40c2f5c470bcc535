/**
 * Numbers byte strings in order of first occurrence: a worker's dictionary of one column during parsing. A hash table
 * with open addressing over one byte heap; a value costs its bytes, 4 to 8 bytes of offset and 13 to 26 bytes of slots.
 *
 * A dictionary whose values are nearly all distinct, such as one of license numbers, may replace its table by a small
 * direct-mapped cache of recent values, so that a value can have several codes: looking up values that are not there in
 * a table larger than the processor's caches takes longer than removing the duplicates when dictionaries are merged.
 *
 * Invariant: code c's bytes are heap[offsets[c], offsets[c + 1]); a slot is a pair (code + 1, hash), empty if the
 * first is 0. Heap and offsets are shared memory, so that they are passed to other threads without a copy.
 */

import {
	type ByteBlock,
	byteBlock,
	copyBytes,
	enlargedBytes,
	equalBytes,
	keyedHash,
	movedTo,
	SLACK_BYTES,
	sharedWords,
} from "./byte-block.js";
import { BLOCK_RECORDS } from "./chunk-memory.js";
import type { WorkerDictionary } from "./parsed-month.js";
import type { RecordBlock } from "./record-block.js";

const SLOTS_MIN = 1 << 10;
/** Number of slots up to which the table grows fourfold, then twofold. */
const SLOTS_SMALL = 1 << 18;
/** Maximum load factor, in eighths. */
const LOAD_EIGHTHS = 5;
const HEAP_BYTES_MIN = 1 << 13;

/**
 * Minimum number of values, and minimum share of distinct ones among those looked up, for a table to be replaced by a
 * cache: of 2.5 million rows, those of names (0.9) and license numbers (1), not of postal codes (0.4). Parsing them takes
 * 0.7 s of processor time less.
 */
const CACHE_VALUES_MIN = 1 << 16;
const CACHE_DISTINCT_SHARE_MIN = 0.75;
/** Slots of the cache of recent values, which fits the first-level cache. */
const CACHE_SLOTS = 1 << 11;

/** Hashes of the current field. */
const hashes = new Int32Array(BLOCK_RECORDS);
/** Sink for the reads of {@link Interner.touch}, so that they are not optimised away. */
const touched = new Uint32Array(BLOCK_RECORDS);
/** Number of values from which a dictionary exceeds the first-level cache. */
const TOUCH_VALUES_MIN = 2048;

export class Interner {
	/** Number of distinct values; the next new value's code. */
	count = 0;
	private heap: ByteBlock = byteBlock(new SharedArrayBuffer(HEAP_BYTES_MIN));
	private heapEnd = 0;
	/** Number of values that `offsets` has room for. */
	private room = capacityOf(SLOTS_MIN);
	private offsets = sharedWords(this.room + 1);
	private slots = new Int32Array(2 * SLOTS_MIN);
	private mask = SLOTS_MIN - 1;
	private lookups = 0;
	/** Whether the slots are a direct-mapped cache. */
	private isCache = false;

	/**
	 * `column` is named in the error for a dictionary over 4 GiB. `allowDuplicates`: whether a value may have several
	 * codes, if nearly all values looked up are distinct.
	 */
	constructor(
		private readonly column: string,
		private readonly allowDuplicates = false,
	) {}

	/** The code of words[start, end), assigned if the value is new. Cost O(length). */
	intern(words: DataView, start: number, end: number): number {
		return this.find(words, start, end, keyedHash(words, start, end));
	}

	/**
	 * Writes the codes of a field of the block's selected records to `codes` from `base` on; -1 for an empty cell.
	 * Hashes all cells, then prefetches the memory for the look-ups, then performs them, so that cache misses, most of
	 * the cost of a large dictionary, overlap.
	 */
	internField(
		{ data, table, selection, accepted }: RecordBlock,
		field: number,
		codes: Int32Array,
		base: number,
	): void {
		const { words } = data;
		const { starts, ends } = table;
		const first = field * table.records;
		for (let k = 0; k < accepted; k++) {
			const cell = first + selection[k];
			hashes[k] = keyedHash(words, starts[cell], ends[cell]);
		}
		if (this.count >= TOUCH_VALUES_MIN && !this.isCache) this.touch(accepted);
		for (let k = 0; k < accepted; k++) {
			const cell = first + selection[k];
			const start = starts[cell];
			const end = ends[cell];
			codes[base + k] = start === end ? -1 : this.find(words, start, end, hashes[k]);
		}
	}

	/** Prefetches slot, offset and first word for the look-ups of the first `count` hashes. */
	private touch(count: number): void {
		const { slots, mask, offsets } = this;
		const { words } = this.heap;
		for (let k = 0; k < count; k++) touched[k] = slots[2 * (hashes[k] & mask)];
		for (let k = 0; k < count; k++) touched[k] = touched[k] === 0 ? 0 : offsets[touched[k] - 1];
		for (let k = 0; k < count; k++) touched[k] = words.getInt32(touched[k], true);
	}

	private find(words: DataView, start: number, end: number, hash: number): number {
		if (this.isCache) return this.findCached(words, start, end, hash);
		const { slots, mask } = this;
		this.lookups++;
		let slot = hash & mask;
		for (;;) {
			const entry = slots[2 * slot];
			if (entry === 0) break;
			if (slots[2 * slot + 1] === hash && this.equals(entry - 1, words, start, end)) return entry - 1;
			slot = (slot + 1) & mask;
		}
		slots[2 * slot] = this.count + 1;
		slots[2 * slot + 1] = hash;
		return this.append(words, start, end - start);
	}

	private findCached(words: DataView, start: number, end: number, hash: number): number {
		const { slots } = this;
		const slot = 2 * (hash & this.mask);
		const entry = slots[slot];
		if (entry !== 0 && slots[slot + 1] === hash && this.equals(entry - 1, words, start, end))
			return entry - 1;
		slots[slot] = this.count + 1;
		slots[slot + 1] = hash;
		return this.append(words, start, end - start);
	}

	/** The value of `code`, as a view valid until the next new value. */
	value(code: number): Uint8Array {
		return this.heap.bytes.subarray(this.offsets[code], this.offsets[code + 1]);
	}

	/** The dictionary, sharing the interner's memory. REQUIRES: nothing is added afterwards. */
	dictionary(): WorkerDictionary {
		return {
			count: this.count,
			offsets: this.offsets.subarray(0, this.count + 1),
			heap: this.heap.bytes.subarray(0, this.heapEnd),
		};
	}

	private equals(code: number, words: DataView, start: number, end: number): boolean {
		const at = this.offsets[code];
		const length = end - start;
		return this.offsets[code + 1] - at === length && equalBytes(this.heap.words, at, words, start, length);
	}

	private append(words: DataView, start: number, length: number): number {
		if (this.heapEnd + length + SLACK_BYTES > this.heap.bytes.length) this.growHeap(length + SLACK_BYTES);
		copyBytes(words, start, this.heap.words, this.heapEnd, length);
		this.heapEnd += length;
		const code = this.count++;
		this.offsets[code + 1] = this.heapEnd;
		if (this.count === this.room) this.grow();
		return code;
	}

	private growHeap(length: number): void {
		const needed = this.heapEnd + length;
		const bytes = enlargedBytes(this.heap.bytes.length, needed, this.column);
		this.heap = movedTo(new SharedArrayBuffer(bytes), this.heap);
	}

	/** Makes room for more values, in the table too unless it is or becomes a cache. */
	private grow(): void {
		const isDistinct =
			this.count >= CACHE_VALUES_MIN && this.count >= this.lookups * CACHE_DISTINCT_SHARE_MIN;
		if (this.isCache || (this.allowDuplicates && isDistinct)) {
			if (!this.isCache) this.replaceByCache();
			this.growOffsets(2 * this.room);
			return;
		}
		const slotCount = (this.mask + 1) * (this.mask < SLOTS_SMALL ? 4 : 2);
		this.growSlots(slotCount);
		this.growOffsets(capacityOf(slotCount));
	}

	private replaceByCache(): void {
		this.isCache = true;
		this.slots = new Int32Array(2 * CACHE_SLOTS);
		this.mask = CACHE_SLOTS - 1;
	}

	private growSlots(slotCount: number): void {
		const old = this.slots;
		const slots = new Int32Array(2 * slotCount);
		const mask = slotCount - 1;
		for (let i = 0; i < old.length; i += 2) {
			if (old[i] === 0) continue;
			let slot = old[i + 1] & mask;
			while (slots[2 * slot] !== 0) slot = (slot + 1) & mask;
			slots[2 * slot] = old[i];
			slots[2 * slot + 1] = old[i + 1];
		}
		this.slots = slots;
		this.mask = mask;
	}

	private growOffsets(room: number): void {
		this.offsets = sharedWords(room + 1, this.offsets);
		this.room = room;
	}
}

/** Maximum number of values in a table of `slots` slots. */
function capacityOf(slots: number): number {
	return (slots * LOAD_EIGHTHS) / 8;
}
