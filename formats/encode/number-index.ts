/** Writes the index of license numbers by key, a hash table of buckets. */

import { numberKeys } from "../license-numbers/number-key.js";

/** Approximate average of numbers per bucket. */
const BUCKET_NUMBERS = 2;
const BLOCK_CODES = 4096;

/** Keys of the current number. */
const keys = new Uint32Array(2);

export interface EncodedNumberIndex {
	/** Codes of bucket b: codes[bucketOffsets[b], bucketOffsets[b + 1]). */
	readonly bucketOffsets: Uint32Array;
	/** Codes by ascending (bucket, code). */
	readonly codes: Uint32Array;
}

/** The index of the numbers heap[offsets[c], offsets[c + 1]). Cost O(bytes). */
export function encodeNumberIndex(offsets: Uint32Array, heap: Uint8Array): EncodedNumberIndex {
	const distinct = offsets.length - 1;
	const buckets = numberBuckets(distinct);
	const bucketOffsets = new Uint32Array(buckets + 1);
	// By code and key, its bucket plus one; 0: no such key. Finding the keys costs more than keeping their buckets.
	const keptBuckets = new Uint32Array(2 * distinct);
	for (let code = 0; code < distinct; code += BLOCK_CODES)
		keepBuckets(offsets, heap, code, Math.min(distinct, code + BLOCK_CODES), buckets, keptBuckets);
	for (let at = 0; at < keptBuckets.length; at++) if (keptBuckets[at] !== 0) bucketOffsets[keptBuckets[at]]++;
	for (let bucket = 0; bucket < buckets; bucket++) bucketOffsets[bucket + 1] += bucketOffsets[bucket];
	const cursor = bucketOffsets.slice();
	const codes = new Uint32Array(bucketOffsets[buckets]);
	for (let at = 0; at < keptBuckets.length; at++) {
		const bucket = keptBuckets[at];
		if (bucket !== 0) codes[cursor[bucket - 1]++] = at >>> 1;
	}
	return { bucketOffsets, codes };
}

/** Keeps the buckets of the keys of codes [from, to). Called for a block at a time, so that it is soon optimised. */
function keepBuckets(
	offsets: Uint32Array,
	heap: Uint8Array,
	from: number,
	to: number,
	buckets: number,
	kept: Uint32Array,
): void {
	// An unsigned divisor: else remainders are computed as those of doubles.
	const divisor = buckets >>> 0;
	for (let code = from; code < to; code++) {
		const count = numberKeys(heap, offsets[code], offsets[code + 1], keys);
		for (let i = 0; i < count; i++) kept[2 * code + i] = (keys[i] % divisor) + 1;
	}
}

/** Number of buckets for `distinct` numbers. */
export function numberBuckets(distinct: number): number {
	return Math.max(1, Math.ceil(distinct / BUCKET_NUMBERS));
}
