/**
 * Writes the bucket numbers of an equi-depth histogram over a sort order, one byte per row. Values with the same
 * fold share a bucket, and a fold with many rows has a bucket to itself.
 */

import { ORDER_BUCKETS_MAX } from "../layout.js";
import type { Codes } from "./codes.js";

export interface EncodedOrderBuckets {
	/** The bucket of each row; the number of buckets for a row without a value. */
	readonly buckets: Uint8Array;
	/** The first rank of each bucket, then the number of folds. */
	readonly firstRanks: Uint32Array;
}

/**
 * Buckets of rows by their `codes`. The rows of rank r are at [offsets[r], offsets[r + 1]) of the order, null
 * after the last. `foldRanks` is null if every rank equals its code. Cost O(rows + distinct).
 */
export function encodeOrderBuckets(
	codes: Codes,
	foldRanks: Uint32Array | null,
	offsets: Uint32Array,
): EncodedOrderBuckets {
	const folds = offsets.length - 1;
	const firstRanks = firstRanksOf(offsets);
	const distinct = foldRanks === null ? folds : foldRanks.length;
	const bucketOfCode = new Uint8Array(distinct + 1);
	let bucket = 0;
	for (let code = 0; code < distinct; code++) {
		const rank = foldRanks === null ? code : foldRanks[code];
		if (rank >= firstRanks[bucket + 1]) bucket++;
		bucketOfCode[code] = bucket;
	}
	bucketOfCode[distinct] = firstRanks.length - 1;
	const buckets = new Uint8Array(codes.length);
	for (let row = 0; row < codes.length; row++) buckets[row] = bucketOfCode[codes[row]];
	return { buckets, firstRanks };
}

/**
 * Buckets are filled rank by rank up to a depth; a rank that would exceed it starts the next bucket. Two
 * adjacent buckets therefore hold more rows than the depth, which limits the buckets to
 * {@link ORDER_BUCKETS_MAX}.
 */
function firstRanksOf(offsets: Uint32Array): Uint32Array {
	const folds = offsets.length - 1;
	const depth = Math.ceil((2 * offsets[folds]) / ORDER_BUCKETS_MAX);
	const firstRanks: number[] = [];
	let from = 0;
	for (let rank = 0; rank < folds; rank++) {
		if (rank > 0 && offsets[rank + 1] - from <= depth) continue;
		firstRanks.push(rank);
		from = offsets[rank];
	}
	return Uint32Array.from([...firstRanks, folds]);
}
