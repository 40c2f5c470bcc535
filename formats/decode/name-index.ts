/**
 * Reads an index of words in place: words by bytes, by prefix and by length, the rows of a word, and the words
 * of a value. The index of full names lists rows; that of another column lists the codes of its values, to which
 * "row" then refers.
 */

import { compareBytes, decodeUtf8 } from "../fold.js";
import { SECTION } from "../layout.js";
import type { Range } from "../range.js";
import { Utf8Text } from "../utf8.js";
import type { SectionTable } from "./section-table.js";

/** A word that is looked up. */
const asked = new Utf8Text();

export class NameIndex {
	/** Distinct words. */
	readonly count: number;
	/** `count + 1` offsets into `heap`. */
	readonly offsets: Uint32Array;
	/** The words' UTF-8, sorted by bytes. */
	readonly heap: Uint8Array;
	/** Words by ascending (letters, word). */
	readonly byLength: Uint32Array;
	/** Words of n letters are byLength[lengthStarts[n], lengthStarts[n + 1]). */
	readonly lengthStarts: Uint32Array;
	/** Letter sets in the order of `byLength`. */
	readonly letterSets: Uint32Array;
	/** Rows of word w: postings[postingOffsets[w], postingOffsets[w + 1]), ascending. */
	readonly postingOffsets: Uint32Array;
	readonly postings: Uint32Array;
	/** Words of the full name with code v: valueWords[valueOffsets[v], valueOffsets[v + 1]). */
	readonly valueOffsets: Uint32Array;
	readonly valueWords: Uint32Array;
	/** Number of words in each row's name without suffixes, at most 255. */
	readonly wordCounts: Uint8Array;

	private constructor(sections: SectionTable, code: number, distinct: number, listed: number) {
		this.offsets = sections.u32(SECTION.nameWordOffsets, code);
		this.count = this.offsets.length - 1;
		this.heap = sections.bytes(SECTION.nameWordHeap, code);
		this.byLength = sections.u32(SECTION.nameWordsByLength, code, this.count);
		this.lengthStarts = sections.u32(SECTION.nameLengthStarts, code);
		this.letterSets = sections.u32(SECTION.nameLetterSets, code, this.count);
		this.postingOffsets = sections.u32(SECTION.namePostingOffsets, code, this.count + 1);
		this.postings = sections.u32(SECTION.namePostings, code);
		this.valueOffsets = sections.u32(SECTION.nameValueOffsets, code, distinct + 1);
		this.valueWords = sections.u32(SECTION.nameValueWords, code);
		const counts = sections.need(SECTION.nameWordCounts, code);
		this.wordCounts = sections.sized(sections.bytesOf(counts) as Uint8Array, listed, counts);
	}

	/**
	 * The index of the column with this code, which has `distinct` values and whose words list `listed` rows or codes; null
	 * if `sections` have none. Throws FormatError.
	 */
	static open(sections: SectionTable, code: number, distinct: number, listed: number): NameIndex | null {
		if (!sections.has(SECTION.nameWordOffsets, code)) return null;
		return new NameIndex(sections, code, distinct, listed);
	}

	/** The text of a word. */
	text(word: number): string {
		return decodeUtf8(this.heap, this.offsets[word], this.offsets[word + 1]);
	}

	/** The word equal to `text`, or -1. Cost O(log words). */
	find(text: string): number {
		const bytes = asked.encode(text);
		const word = this.firstAtLeast(bytes, false);
		return word < this.count && this.compare(word, bytes) === 0 ? word : -1;
	}

	/** The words that start with `prefix`. Cost O(log words). */
	prefixRange(prefix: string): Range {
		const bytes = asked.encode(prefix);
		return { from: this.firstAtLeast(bytes, false), to: this.firstAtLeast(bytes, true) };
	}

	/** Positions in `byLength` of the words of `from` to `to` letters. Cost O(1). */
	lengthRange(from: number, to: number): Range {
		const longest = this.lengthStarts.length - 2;
		const start = (letters: number) => this.lengthStarts[Math.min(Math.max(letters, 0), longest + 1)];
		return { from: start(from), to: start(to + 1) };
	}

	/** The first word at or after `bytes`; with `past`, the first after all words that start with `bytes`. */
	private firstAtLeast(bytes: Uint8Array, past: boolean): number {
		let low = 0;
		let high = this.count;
		while (low < high) {
			const middle = (low + high) >>> 1;
			const start = this.offsets[middle];
			const end = past ? Math.min(this.offsets[middle + 1], start + bytes.length) : this.offsets[middle + 1];
			const order = compareBytes(this.heap, start, end, bytes, 0, bytes.length);
			if (order < 0 || (past && order === 0)) low = middle + 1;
			else high = middle;
		}
		return low;
	}

	private compare(word: number, bytes: Uint8Array): number {
		return compareBytes(this.heap, this.offsets[word], this.offsets[word + 1], bytes, 0, bytes.length);
	}
}
