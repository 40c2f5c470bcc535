/** Reads the index of license numbers by key. */

import { numberKeys } from "../license-numbers/number-key.js";

const encoder = new TextEncoder();
const keys = new Uint32Array(2);

export class NumberIndex {
	constructor(
		/** Codes of bucket b: codes[bucketOffsets[b], bucketOffsets[b + 1]). */
		readonly bucketOffsets: Uint32Array,
		readonly codes: Uint32Array,
	) {}

	/**
	 * Up to `limit` codes from the buckets of the keys of `number`. May include numbers that only share a bucket.
	 * Cost O(limit).
	 */
	candidates(number: string, limit: number): number[] {
		const bytes = encoder.encode(number);
		const count = numberKeys(bytes, 0, bytes.length, keys);
		const buckets = this.bucketOffsets.length - 1;
		const found = new Set<number>();
		for (let i = 0; i < count; i++) {
			const bucket = keys[i] % buckets;
			const end = this.bucketOffsets[bucket + 1];
			for (let at = this.bucketOffsets[bucket]; at < end && found.size < limit; at++)
				found.add(this.codes[at]);
		}
		return [...found];
	}
}
