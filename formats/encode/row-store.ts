/**
 * Writes the row store: the values of every row beside each other, so that a page is read from few places. One file
 * holds ROWS_PER_SEGMENT rows.
 */

/** Name of the row store's file for `segment`. */
export function rowSegmentFile(segment: number): string {
	return `${String(segment).padStart(3, "0")}.row`;
}
