/** Reads bitmaps in place: bit r & 31 of word r >>> 5 is row r. */

import { bitmapWords, SECTION } from "../layout.js";
import type { SectionTable } from "./section-table.js";

/** Bitmaps of a column's frequent codes. */
export class Bitmaps {
	private readonly wordsEach: number;

	constructor(
		/** Ascending codes that have a bitmap. */
		readonly codes: Uint32Array,
		private readonly words: Uint32Array,
		rows: number,
	) {
		this.wordsEach = bitmapWords(rows);
	}

	/** Those of the column with this code; null if `sections` have none. Throws FormatError. */
	static open(sections: SectionTable, column: number, rows: number): Bitmaps | null {
		if (!sections.has(SECTION.bitmapCodes, column)) return null;
		const codes = sections.u32(SECTION.bitmapCodes, column);
		return new Bitmaps(codes, sections.u32(SECTION.bitmaps, column), rows);
	}

	/** The bitmap of `code`, or null if it has none. Cost O(log codes). */
	find(code: number): Uint32Array | null {
		let low = 0;
		let high = this.codes.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.codes[middle] < code) low = middle + 1;
			else high = middle;
		}
		if (low === this.codes.length || this.codes[low] !== code) return null;
		return this.words.subarray(low * this.wordsEach, (low + 1) * this.wordsEach);
	}
}

/** Cumulative bitmaps over rows in the order of their values: a permutation, or postings. */
export class CumulativeBitmaps {
	private readonly wordsEach: number;

	constructor(
		/** Ascending positions; bitmap b holds the rows at positions below bounds[b]. */
		readonly bounds: Uint32Array,
		private readonly words: Uint32Array,
		rows: number,
	) {
		this.wordsEach = bitmapWords(rows);
	}

	/** Those of the column with this code; null if `sections` have none. Throws FormatError. */
	static open(sections: SectionTable, column: number, rows: number): CumulativeBitmaps | null {
		if (!sections.has(SECTION.cumulativeBounds, column)) return null;
		const bounds = sections.u32(SECTION.cumulativeBounds, column);
		return new CumulativeBitmaps(bounds, sections.u32(SECTION.cumulativeBitmaps, column), rows);
	}

	/** The bitmap of the rows at positions below bounds[bucket]. */
	bitmap(bucket: number): Uint32Array {
		return this.words.subarray(bucket * this.wordsEach, (bucket + 1) * this.wordsEach);
	}

	/** The bucket whose bound is nearest to `position`, or -1 for the empty bitmap at position 0. */
	nearest(position: number): number {
		let low = 0;
		let high = this.bounds.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.bounds[middle] < position) low = middle + 1;
			else high = middle;
		}
		if (low === this.bounds.length) return low - 1;
		const below = low === 0 ? 0 : this.bounds[low - 1];
		return position - below <= this.bounds[low] - position ? low - 1 : low;
	}
}
