/**
 * Writes a sorted dictionary: offsets into one heap of UTF-8 values and, unless all folds are distinct, the
 * fold rank of each value.
 */

/** A dictionary whose values are sorted by fold, then by bytes (numerically in an `int` column). */
export interface EncodedDictionary {
	/** `distinct + 1` offsets into `heap`. */
	readonly offsets: Uint32Array;
	readonly heap: Uint8Array;
	/** Dense rank of each code's fold; null if every rank equals its code. */
	readonly foldRanks: Uint32Array | null;
	readonly distinct: number;
	/** Distinct folds. */
	readonly folds: number;
}

/**
 * The dictionary of `values`, already sorted and distinct. `sameFold(i)`: whether values i and i - 1 have the
 * same fold.
 */
export function encodeDictionary(
	offsets: Uint32Array,
	heap: Uint8Array,
	sameFold: (index: number) => boolean,
): EncodedDictionary {
	const distinct = offsets.length - 1;
	// Shared memory, so that a worker thread can return it without a copy.
	const ranks = new Uint32Array(new SharedArrayBuffer(distinct * 4));
	let rank = 0;
	for (let code = 1; code < distinct; code++) {
		if (!sameFold(code)) rank++;
		ranks[code] = rank;
	}
	const folds = distinct === 0 ? 0 : rank + 1;
	return { offsets, heap, foldRanks: folds === distinct ? null : ranks, distinct, folds };
}
