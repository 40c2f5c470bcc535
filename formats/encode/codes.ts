/** Writes a column's codes in the narrowest width, and counts them. The code `distinct` is null. */

/** Codes of a column, by row. The code `distinct` is null. */
export type Codes = Uint8Array | Uint16Array | Uint32Array;

/** Bytes per code of a column with `distinct` values and null. */
export function codeWidth(distinct: number): 1 | 2 | 4 {
	if (distinct < 0x100) return 1;
	return distinct < 0x10000 ? 2 : 4;
}

/** `codes` narrowed to the width that `distinct` values need. Cost O(rows). */
export function encodeCodes(codes: Uint32Array, distinct: number): Codes {
	switch (codeWidth(distinct)) {
		case 1:
			return Uint8Array.from(codes);
		case 2:
			return Uint16Array.from(codes);
		case 4:
			return codes;
	}
}

/** Rows by code, null included at `distinct`. Cost O(rows). */
export function countCodes(codes: Codes, distinct: number): Uint32Array {
	const counts = new Uint32Array(distinct + 1);
	for (let row = 0; row < codes.length; row++) counts[codes[row]]++;
	return counts;
}

/** Codes of more than one row in `share` of all, ascending, so that there are fewer than `share`. */
export function frequentCodes(counts: Uint32Array, rows: number, share: number): number[] {
	const frequent: number[] = [];
	for (let code = 0; code < counts.length; code++) if (counts[code] * share > rows) frequent.push(code);
	return frequent;
}
