/**
 * Writes the row store: every row pre-rendered as a JSON object of all columns, unmasked, each
 * followed by a comma, so that a run of rows is one copy. One file holds ROWS_PER_SEGMENT rows.
 */

/** Name of the row store's file for `segment`. */
export function rowSegmentFile(segment: number): string {
	return `${String(segment).padStart(3, "0")}.row`;
}
