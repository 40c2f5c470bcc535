/**
 * Cuts of a sort order: positions between two folds that a stored bitmap tells the rows before (cumulative
 * bitmaps, formats/SNAPSHOT.md). Rows of a selection are counted up to a cut, and taken out between two,
 * without a look at the order itself.
 */

import type { Column, CumulativeBitmaps } from "../../formats/index.js";
import type { SnapshotColumns } from "./snapshot-columns.js";

export class OrderCuts {
	private constructor(
		private readonly cumulative: CumulativeBitmaps,
		/** Ascending; the first is 0, the last the number of rows. */
		readonly positions: readonly number[],
		/** By cut, the cumulative bitmap of the rows before it; null before the first and behind the last. */
		private readonly buckets: readonly (number | null)[],
		/** The cut that the rows without a value begin at: the last where all have one. */
		readonly valued: number,
	) {}

	/** The cuts of a column's order; null where it has no cumulative bitmaps. Cost O(bounds). */
	static of(column: Column, columns: SnapshotColumns): OrderCuts | null {
		const cumulative = columns.cumulativeBitmaps.get(column);
		if (cumulative === null) return null;
		const { rows, offsets } = columns.permutation.get(column);
		const codes = columns.codes.get(column);
		const dictionary = columns.dictionary.get(column);
		const valuesEnd = Math.min(offsets[offsets.length - 1], rows.length);
		const positions = [0];
		const buckets: (number | null)[] = [null];
		cumulative.bounds.forEach((bound, bucket) => {
			// Bounds of months built before they were moved to the ends of folds may lie within one.
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
		// Without a bitmap at their end, the values cannot be told from the rows without one.
		return positions[valued] === valuesEnd ? new OrderCuts(cumulative, positions, buckets, valued) : null;
	}

	/** The cut at a position; null where none is. Cost O(cuts). */
	find(position: number): number | null {
		const cut = this.positions.indexOf(position);
		return cut === -1 ? null : cut;
	}

	/** The rows before a cut; null before the first, where none are, and the last, where all are. */
	bitmapAt(cut: number): Uint32Array | null {
		const bucket = this.buckets[cut];
		return bucket === null ? null : this.cumulative.bitmap(bucket);
	}
}
