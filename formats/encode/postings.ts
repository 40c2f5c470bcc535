/** Writes postings: for each code the rows that have it, ascending. */

export interface EncodedPostings {
	/** `distinct + 1` positions: code c occupies [offsets[c], offsets[c + 1]) of `rows`. */
	readonly offsets: Uint32Array;
	/** Rows with a value, by ascending (code, row). */
	readonly rows: Uint32Array;
}

/** Counting sort of the rows with a value by code. Cost O(rows + distinct). */
export function encodePostings(codes: Uint32Array, distinct: number): EncodedPostings {
	const cursor = new Uint32Array(distinct + 2);
	for (let row = 0; row < codes.length; row++) cursor[codes[row] + 1]++;
	for (let code = 0; code <= distinct; code++) cursor[code + 1] += cursor[code];
	const offsets = cursor.slice(0, distinct + 1);
	const rows = new Uint32Array(offsets[distinct]);
	for (let row = 0; row < codes.length; row++) {
		if (codes[row] < distinct) rows[cursor[codes[row]]++] = row;
	}
	return { offsets, rows };
}
