/**
 * Codes of dates by their text in the CSV, so that each distinct text is parsed once. A month has about ten thousand
 * distinct dates, so nearly every cell costs one look-up.
 */

import { type DateFormat, readDate } from "../input/date-format.js";
import { blockOfText } from "./byte-block.js";
import { Interner } from "./interner.js";
import type { RecordBlock } from "./record-block.js";

/** Codes of invalid dates; null is -1. */
export const UNREADABLE_DATE = -2;
const IMPOSSIBLE_DATE = -3;

const decoder = new TextDecoder("utf-8");

export class DateCodes {
	private readonly texts = new Interner("date texts");
	/** Code in `dates` by code in `texts`. */
	private codes = new Int32Array(1024);

	/** `dates` is the column's dictionary; `formats` are accepted besides ISO. */
	constructor(
		private readonly dates: Interner,
		private readonly formats: readonly DateFormat[],
	) {}

	/** Writes the codes in `dates` of a field of the block's selected records to `codes`, from 0 on. */
	codesOf(block: RecordBlock, field: number, codes: Int32Array): void {
		const known = this.texts.count;
		this.texts.internField(block, field, codes, 0);
		for (let text = known; text < this.texts.count; text++) this.learn(text);
		for (let k = 0; k < block.accepted; k++) {
			if (codes[k] >= 0) codes[k] = this.codes[codes[k]];
		}
	}

	private learn(text: number): void {
		if (text === this.codes.length) {
			const codes = new Int32Array(2 * this.codes.length);
			codes.set(this.codes);
			this.codes = codes;
		}
		const reading = readDate(decoder.decode(this.texts.value(text).slice()), this.formats);
		if ("fault" in reading) {
			this.codes[text] = reading.fault === "unreadable_date" ? UNREADABLE_DATE : IMPOSSIBLE_DATE;
			return;
		}
		const { block, length } = blockOfText(reading.iso);
		this.codes[text] = this.dates.intern(block.words, 0, length);
	}
}
