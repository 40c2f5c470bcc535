/** Rows by value, as hints on spellings and words count them. */

export type RowsByValue = ReadonlyMap<string, number>;

/** Rows of all values. */
export function totalRows(rows: RowsByValue): number {
	let total = 0;
	for (const each of rows.values()) total += each;
	return total;
}

/** The values, most rows first. */
export function mostRowsFirst(rows: RowsByValue): string[] {
	return [...rows].sort(([, a], [, b]) => b - a).map(([value]) => value);
}
