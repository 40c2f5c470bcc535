/** Writes a column's codes in the narrowest width. The code `distinct` is null. */

import type { SectionData } from "./section-file.js";

/** Bytes per code of a column with `distinct` values and null. */
export function codeWidth(distinct: number): 1 | 2 | 4 {
	if (distinct < 0x100) return 1;
	return distinct < 0x10000 ? 2 : 4;
}

/** `codes` narrowed to the width that `distinct` values need. Cost O(rows). */
export function encodeCodes(codes: Uint32Array, distinct: number): SectionData {
	switch (codeWidth(distinct)) {
		case 1:
			return Uint8Array.from(codes);
		case 2:
			return Uint16Array.from(codes);
		case 4:
			return codes;
	}
}
