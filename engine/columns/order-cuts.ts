/**
 * Cuts of a sort order: positions between two folds for which a bitmap of all rows before them is stored
 * (cumulative bitmaps, formats/SNAPSHOT.md). A selection's rows before a cut are counted, and its rows between
 * two cuts taken out, by combining bitmaps, without reading the order itself.
 */

import type { Codes, CumulativeBitmaps, Dictionary, Permutation } from "../../formats/index.js";

/** The sections of a column that its cuts follow from. */
export interface CutSections {
	readonly cumulative: CumulativeBitmaps;
	readonly permutation: Permutation;
	readonly codes: Codes;
	readonly dictionary: Dictionary;
}

export class OrderCuts {
	private constructor(
		private readonly cumulative: CumulativeBitmaps,
		/** Ascending; the first is 0, the last the number of rows. */
		readonly positions: readonly number[],
		/** By cut, the number of the cumulative bitmap of the rows before it; null for the first and the last. */
		private readonly buckets: readonly (number | null)[],
		/** The cut at which the rows without a value begin; the last if all rows have one. */
		readonly valued: number,
	) {}

	/** The cuts of a column's order; null where its values do not end at one. Cost O(bounds). */
	static of({ cumulative, permutation, codes, dictionary }: CutSections): OrderCuts | null {
		const { rows, offsets } = permutation;
		const valuesEnd = Math.min(offsets[offsets.length - 1], rows.length);
		const positions = [0];
		const buckets: (number | null)[] = [null];
		cumulative.bounds.forEach((bound, bucket) => {
			// In months of format version 1 a bound may be inside a fold.
			const isCut = bound > positions[positions.length - 1] && bound < valuesEnd;
			if (!isCut || dictionary.rank(codes[rows[bound - 1]]) === dictionary.rank(codes[rows[bound]])) return;
			positions.push(bound);
			buckets.push(bucket);
		});
		const last = cumulative.bounds.length - 1;
		const hasNulls = valuesEnd < rows.length;
		if (hasNulls && valuesEnd > 0 && cumulative.bounds[last] === valuesEnd) {
			positions.push(valuesEnd);
			buckets.push(last);
		}
		const valued = hasNulls ? positions.length - 1 : positions.length;
		positions.push(rows.length);
		buckets.push(null);
		// Without a bitmap where the values end, rows with and without a value cannot be separated.
		return positions[valued] === valuesEnd ? new OrderCuts(cumulative, positions, buckets, valued) : null;
	}

	/** The cut at a position, or null. Cost O(cuts). */
	find(position: number): number | null {
		const cut = this.positions.indexOf(position);
		return cut === -1 ? null : cut;
	}

	/** The rows before a cut; null for the first, which has none before it, and the last, which has all. */
	bitmapAt(cut: number): Uint32Array | null {
		const bucket = this.buckets[cut];
		return bucket === null ? null : this.cumulative.bitmap(bucket);
	}
}
