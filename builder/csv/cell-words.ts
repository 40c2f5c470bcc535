/**
 * The words of the cell that is split: their ranges, and in names their NAME_WORD bits. Blanks separate words, in
 * names commas do, too. Elsewhere the halves of a Canadian postal code are one word, and so are a ZIP code and its
 * last four digits where a postal code ends the segment. Nothing is allocated for a cell, unless it has more words than
 * any before.
 */

import { areDigits, isDigit, isLetter } from "../../formats/ascii.js";
import { nameWordKinds } from "./name-affixes.js";
import { spaceAt, trimmedStart } from "./trim.js";

const COMMA = 0x2c;
const HYPHEN = 0x2d;
/** Initial capacity for words of a cell. */
const WORDS_MIN = 64;
/** Digits of a ZIP code, and those that ZIP+4 adds. */
const ZIP_DIGITS = 5;
const PLUS_DIGITS = 4;

/** A bit of `kinds` beside those of NAME_WORD: the word follows a comma of its segment. */
export const AFTER_COMMA = 0x8000;

export class CellWords {
	from = new Int32Array(WORDS_MIN);
	to = new Int32Array(WORDS_MIN);
	kinds = new Uint16Array(WORDS_MIN);
	count = 0;
	/** Bits of all words since the last `clear`, also of those that were removed. */
	allKinds = 0;

	constructor(private readonly isName: boolean) {}

	clear(): void {
		this.count = 0;
		this.allKinds = 0;
	}

	/** Adds the words of a segment, bytes[start, end). `endsWithZip`: its last part is a postal code. */
	add(bytes: Uint8Array, start: number, end: number, endsWithZip: boolean): void {
		const { isName, count: first } = this;
		if (this.count + (end - start) / 2 + 1 > this.from.length) this.grow(end - start);
		let comma = 0;
		for (let at = start; at < end; ) {
			// Parts end where words do, so every character that is trimmed off values separates words.
			at = trimmedStart(bytes, at, end);
			const from = at;
			at = endOfWord(bytes, at, end, isName);
			// In names, commas separate words, as in `SMITH,JOHN,JR`.
			if (isName && at === from) {
				if (this.count > first) comma = AFTER_COMMA;
				at++;
				continue;
			}
			// A comma alone or at the end of a word is no separator within a segment.
			let to = at;
			while (to > from && bytes[to - 1] === COMMA) to--;
			if (to === from || (!isName && this.joins(bytes, first, from, to, endsWithZip))) continue;
			this.from[this.count] = from;
			this.to[this.count] = to;
			if (isName) this.addKind(nameWordKinds(bytes, from, to) | comma);
			comma = 0;
			this.count++;
		}
	}

	private addKind(kind: number): void {
		this.kinds[this.count] = kind;
		this.allKinds |= kind;
	}

	/** Adds bytes[from, to) to the last word of the segment, whose words begin at `first`, if both are one postal code. */
	private joins(bytes: Uint8Array, first: number, from: number, to: number, endsWithZip: boolean): boolean {
		if (this.count === first) return false;
		const last = this.completesCanadianCode(bytes, from, to)
			? this.count - 1
			: endsWithZip
				? this.zipBefore(bytes, first, from, to)
				: -1;
		if (last < 0) return false;
		this.to[last] = to;
		this.count = last + 1;
		return true;
	}

	/** Whether the last word and bytes[from, to) are the halves of a Canadian postal code: `A1B 2C3`. */
	private completesCanadianCode(bytes: Uint8Array, from: number, to: number): boolean {
		const last = this.count - 1;
		const begin = this.from[last];
		if (this.to[last] - begin !== 3 || to - from !== 3 || !this.isAdjacent(bytes, last, from)) return false;
		return isHalfOfPostalCode(bytes, begin, false) && isHalfOfPostalCode(bytes, from, true);
	}

	/**
	 * The word that is a ZIP code of which bytes[from, to) are the last four digits, with a hyphen between them or
	 * without: `78701 1234`, `78701 - 1234`, `78701- 1234`; -1 if there is none.
	 */
	private zipBefore(bytes: Uint8Array, first: number, from: number, to: number): number {
		const last = this.count - 1;
		let hyphens = bytes[from] === HYPHEN ? 1 : 0;
		if (to - from - hyphens !== PLUS_DIGITS || !areDigits(bytes, to - PLUS_DIGITS, to)) return -1;
		if (!this.isAdjacent(bytes, last, from)) return -1;
		let zip = last;
		if (this.to[last] - this.from[last] === 1 && bytes[this.from[last]] === HYPHEN) {
			hyphens++;
			zip--;
			if (zip < first || !this.isAdjacent(bytes, zip, this.from[last])) return -1;
		}
		let end = this.to[zip];
		if (bytes[end - 1] === HYPHEN) {
			hyphens++;
			end--;
		}
		const begin = this.from[zip];
		return hyphens <= 1 && end - begin === ZIP_DIGITS && areDigits(bytes, begin, end) ? zip : -1;
	}

	/** Whether nothing but blanks is between `word` and `from`. */
	private isAdjacent(bytes: Uint8Array, word: number, from: number): boolean {
		return trimmedStart(bytes, this.to[word], from) === from;
	}

	/** Makes room for the words of `length` bytes. */
	private grow(length: number): void {
		const capacity = 2 * (this.count + length);
		const [from, to, kinds] = [this.from, this.to, this.kinds];
		this.from = new Int32Array(capacity);
		this.to = new Int32Array(capacity);
		this.kinds = new Uint16Array(capacity);
		this.from.set(from.subarray(0, this.count));
		this.to.set(to.subarray(0, this.count));
		this.kinds.set(kinds.subarray(0, this.count));
	}
}

/** Where the word that begins at `from` ends, in names also at a comma. */
function endOfWord(bytes: Uint8Array, from: number, end: number, isName: boolean): number {
	let at = from;
	while (at < end && spaceAt(bytes, at, end) === 0 && !(isName && bytes[at] === COMMA)) at++;
	return at;
}

/** Whether the three bytes at `at` are a letter, a digit and a letter, or, for the `second` half, the reverse. */
function isHalfOfPostalCode(bytes: Uint8Array, at: number, second: boolean): boolean {
	const [outer, inner] = second ? [isDigit, isLetter] : [isLetter, isDigit];
	return outer(bytes[at]) && inner(bytes[at + 1]) && outer(bytes[at + 2]);
}
