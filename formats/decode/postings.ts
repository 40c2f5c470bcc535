/** Reads postings in place. */

export interface Postings {
	/** `distinct + 1` positions: code c occupies [offsets[c], offsets[c + 1]) of `rows`. */
	readonly offsets: Uint32Array;
	/** Rows with a value, by ascending (code, row). */
	readonly rows: Uint32Array;
}
