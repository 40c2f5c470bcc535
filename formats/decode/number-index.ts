/** Reads the index of license numbers by key. */

import { numberBuckets } from "../encode/number-index.js";
import { SECTION } from "../layout.js";
import { numberKeys } from "../license-numbers/number-key.js";
import type { SectionTable } from "./section-table.js";

/** Codes of a bucket that are read at most: a hostile month may have millions of numbers in one. */
const READ_MAX = 65_536;

/** A byte that separates, as each byte of a character outside of ASCII does. */
const SEPARATOR = 0x80;

/** Holds the bytes of a given number of usual length. */
const shortBytes = new Uint8Array(64);
const keys = new Uint32Array(2);

export class NumberIndex {
	constructor(
		/** Codes of bucket b: codes[bucketOffsets[b], bucketOffsets[b + 1]). */
		readonly bucketOffsets: Uint32Array,
		readonly codes: Uint32Array,
	) {}

	/** That of the column with this code, which has `distinct` values; null if `sections` have none. Throws FormatError. */
	static open(sections: SectionTable, column: number, distinct: number): NumberIndex | null {
		if (!sections.has(SECTION.numberBuckets, column)) return null;
		const offsets = sections.u32(SECTION.numberBuckets, column, numberBuckets(distinct) + 1);
		return new NumberIndex(offsets, sections.u32(SECTION.numberCodes, column));
	}

	/**
	 * Up to `limit` codes that `accepts` takes, from the buckets of the keys of `number`. May include numbers that
	 * only share a bucket. Cost O({@link READ_MAX}) calls of `accepts`.
	 */
	candidates(number: string, limit: number, accepts: (code: number) => boolean): number[] {
		const { length } = number;
		const bytes = length <= shortBytes.length ? shortBytes : new Uint8Array(length);
		for (let i = 0; i < length; i++) bytes[i] = Math.min(number.charCodeAt(i), SEPARATOR);
		const count = numberKeys(bytes, 0, length, keys);
		const buckets = this.bucketOffsets.length - 1;
		const found: number[] = [];
		for (let i = 0; i < count; i++) {
			const bucket = keys[i] % buckets;
			const start = this.bucketOffsets[bucket];
			const end = Math.min(this.bucketOffsets[bucket + 1], start + READ_MAX);
			for (let at = start; at < end && found.length < limit; at++) {
				const code = this.codes[at];
				// Both keys of a number may share a bucket.
				if (accepts(code) && !found.includes(code)) found.push(code);
			}
		}
		return found;
	}
}
