/** Reads sort orders in place. */

export interface Permutation {
	/** Rows by ascending (rank, row); rows without a value last. */
	readonly rows: Uint32Array;
	/** `folds + 1` positions: rank r occupies [offsets[r], offsets[r + 1]). */
	readonly offsets: Uint32Array;
	/** The same order regrouped by state run; null where that is the order of the rows themselves. */
	readonly byState: Uint32Array | null;
}
