/** The rows of a column without a value, as a bitmap, for columns that have no index of them. */

import {
	bitmapWords,
	type Codes,
	type Column,
	type Dictionary,
	type Range,
	type TextColumn,
} from "../../formats/index.js";
import { countWords } from "../kernels/bitmap.js";
import { markCode, markEmpty } from "../kernels/equal-codes.js";

export interface MissingRows {
	readonly words: Uint32Array;
	readonly count: number;
}

/** The sections that say whether a row has a value. */
export interface MissingSections {
	readonly codes: { get(column: Column): Codes };
	readonly dictionary: { get(column: Column): Dictionary };
	readonly text: { get(column: Column): TextColumn };
}

/** Cost O(rows), one to three milliseconds for 2.5 million. */
export function findMissing(column: Column, sections: MissingSections, rows: number): MissingRows {
	const words = new Uint32Array(bitmapWords(rows));
	markMissing(column, sections, { from: 0, to: rows }, words);
	return { words, count: countWords(words, 0, words.length) };
}

/**
 * Sets the bits of the rows of a range, which begins with a word, that have no value; `words` has none of them before. Cost
 * O(rows of the range).
 */
export function markMissing(
	column: Column,
	sections: MissingSections,
	{ from, to }: Range,
	words: Uint32Array,
): void {
	const marked = words.subarray(from >>> 5);
	if (column.kind === "string") {
		const { offsets } = sections.text.get(column);
		markEmpty(offsets.subarray(from, to + 1), to - from, marked);
	} else {
		const codes = sections.codes.get(column).subarray(from, to);
		markCode(codes, sections.dictionary.get(column).distinct, marked);
	}
}
