/** Reads sort orders in place. */

export interface Permutation {
	/** Rows by ascending (rank, row); rows without a value last. */
	readonly rows: Uint32Array;
	/** `folds + 1` positions: the rows of rank r are at [offsets[r], offsets[r + 1]). */
	readonly offsets: Uint32Array;
	/** The same order within each state run; null if that is the row order itself. */
	readonly byState: Uint32Array | null;
}
