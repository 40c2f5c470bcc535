/**
 * Writes bitmaps over all rows: bit r & 31 of word r >>> 5 is row r.
 *
 * A code has a bitmap if more than one row in {@link BITMAP_ROWS_PER_HIT} has it, which makes the bitmap at
 * most twice as large as the posting list. Rarer codes have posting lists only, so a column has fewer than 64
 * bitmaps.
 */

import { BITMAP_ROWS_PER_HIT, bitmapWords, CUMULATIVE_BUCKETS } from "../layout.js";
import { frequentCodes } from "./codes.js";
import type { EncodedPostings } from "./postings.js";

export interface EncodedBitmaps {
	/** Ascending codes that have a bitmap. */
	readonly codes: Uint32Array;
	/** The concatenated bitmaps in the order of `codes`. */
	readonly words: Uint32Array;
}

/** Bitmaps of the frequent codes. `counts[code]` is the number of rows with it. Cost O(rows). */
export function encodeBitmaps(codes: Uint32Array, counts: Uint32Array): EncodedBitmaps {
	const rows = codes.length;
	const wordsEach = bitmapWords(rows);
	const frequent = frequentCodes(counts, rows, BITMAP_ROWS_PER_HIT);
	const baseOfCode = new Int32Array(counts.length + 1).fill(-1);
	for (let i = 0; i < frequent.length; i++) baseOfCode[frequent[i]] = i * wordsEach;
	const words = new Uint32Array(frequent.length * wordsEach);
	for (let row = 0; row < rows; row++) {
		const base = baseOfCode[codes[row]];
		if (base >= 0) words[base + (row >>> 5)] |= 1 << (row & 31);
	}
	return { codes: Uint32Array.from(frequent), words };
}

export interface EncodedCumulativeBitmaps {
	/** Ascending positions; bitmap b holds the rows at positions below bounds[b]. */
	readonly bounds: Uint32Array;
	readonly words: Uint32Array;
}

/**
 * Cumulative bitmaps over rows in the order of their values: bitmap b holds the rows at its first bounds[b] positions.
 * A range of positions is the difference of two bitmaps plus the positions between the range's ends and the nearest
 * bounds; a value with many rows has bounds at both ends, so it is a difference alone. `rows` and `offsets`: of
 * postings, or of a permutation, whose values are folds; `all`: rows of the snapshot. Cost O(all × bounds / 32).
 */
export function encodeCumulativeBitmaps(
	{ rows, offsets }: EncodedPostings,
	all: number,
): EncodedCumulativeBitmaps {
	const wordsEach = bitmapWords(all);
	const bounds = cumulativeBounds(offsets);
	const words = new Uint32Array(bounds.length * wordsEach);
	let from = 0;
	bounds.forEach((to, bucket) => {
		const base = bucket * wordsEach;
		if (bucket > 0) words.copyWithin(base, base - wordsEach, base);
		for (let position = from; position < to; position++) {
			const row = rows[position];
			words[base + (row >>> 5)] |= 1 << (row & 31);
		}
		from = to;
	});
	return { bounds, words };
}

/**
 * Evenly spaced bounds over the positions with a value, each moved to the end of its value; the start of a value
 * with many rows is a bound too. Ascending; the last is the number of rows with a value.
 */
function cumulativeBounds(offsets: Uint32Array): Uint32Array {
	const valued = offsets[offsets.length - 1];
	const bounds = new Set([valued]);
	if (valued === 0) return Uint32Array.from(bounds);
	let rank = 0;
	for (let bucket = 1; bucket < CUMULATIVE_BUCKETS; bucket++) {
		const position = Math.floor((valued * bucket) / CUMULATIVE_BUCKETS);
		while (offsets[rank + 1] < position) rank++;
		const isLarge = (offsets[rank + 1] - offsets[rank]) * 2 * CUMULATIVE_BUCKETS > valued;
		if (isLarge && offsets[rank] > 0) bounds.add(offsets[rank]);
		bounds.add(offsets[rank + 1]);
	}
	return Uint32Array.from(bounds).sort();
}
