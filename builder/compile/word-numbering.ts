/**
 * The words of all full names as formats/names defines them, with the distinct words numbered and sorted. Names of
 * ASCII letters and spaces, nearly all, are split byte by byte, others as text.
 *
 * Invariant: both methods find the same words; the result depends only on the values.
 */

import {
	countNameWords,
	decodeUtf8,
	lowerAsciiByte,
	type NameWords,
	nameCompounds,
	nameWords,
	SPECIAL_NAME_WORDS,
} from "../../formats/index.js";
import { blockOfText, byteBlock, SLACK_BYTES } from "../csv/byte-block.js";
import { Interner } from "../csv/interner.js";
import { type ByteStrings, sortStrings } from "./string-sort.js";

/** Words that require splitting as text, by {@link keyOf} of their letters. */
const SPECIAL_KEYS: ReadonlySet<number> = new Set(
	SPECIAL_NAME_WORDS.map((word) => keyOf(Buffer.from(word), 0, word.length)),
);
const SPECIAL_BYTES_MAX = Math.max(...SPECIAL_NAME_WORDS.map((word) => word.length));

/** Names longer than this are split as text. */
const FAST_BYTES_MAX = 256;

const APOSTROPHE = 0x27;
const DOT = 0x2e;
const SPACE = 0x20;
const COMMA = 0x2c;

/** The words of the values of a dictionary. Cost O(bytes). */
export function collectNameWords({ offsets, heap }: ByteStrings): NameWords {
	const collector = new WordCollector(offsets.length - 1);
	for (let value = 0; value < offsets.length - 1; value++) {
		collector.add(heap, offsets[value], offsets[value + 1]);
	}
	return collector.finish();
}

class WordCollector {
	private readonly interner = new Interner("member_full_name");
	private readonly valueOffsets: Uint32Array;
	private readonly valueCounts: Uint8Array;
	private valueWords = new Uint32Array(1 << 16);
	private values = 0;
	private end = 0;
	/** The concatenated lower-case words of one name. */
	private readonly block = byteBlock(new ArrayBuffer(FAST_BYTES_MAX + SLACK_BYTES));
	private readonly starts = new Uint32Array(FAST_BYTES_MAX + 1);

	constructor(distinct: number) {
		this.valueOffsets = new Uint32Array(distinct + 1);
		this.valueCounts = new Uint8Array(distinct);
	}

	/** Adds the words of the next value. */
	add(heap: Uint8Array, start: number, end: number): void {
		const words = end - start <= FAST_BYTES_MAX ? this.split(heap, start, end) : -1;
		if (words === -1) this.addText(decodeUtf8(heap, start, end));
		else {
			for (let i = 0; i < words; i++) {
				this.push(this.interner.intern(this.block.words, this.starts[i], this.starts[i + 1]));
			}
			this.valueCounts[this.values] = words;
		}
		this.values++;
		this.valueOffsets[this.values] = this.end;
	}

	/**
	 * Splits a name of ASCII letters, spaces, commas, dots and apostrophes into the block. Returns the number of
	 * words, or -1 for other characters and for words that might be particles or suffixes.
	 */
	private split(heap: Uint8Array, start: number, end: number): number {
		const { bytes } = this.block;
		const { starts } = this;
		let words = 0;
		let at = 0;
		for (let i = start; i <= end; i++) {
			const byte = i === end ? SPACE : lowerAsciiByte(heap[i]);
			if (byte >= 0x61 && byte <= 0x7a) bytes[at++] = byte;
			else if (byte === SPACE || byte === COMMA) {
				if (at === starts[words]) continue;
				if (isSpecial(bytes, starts[words], at)) return -1;
				starts[++words] = at;
			} else if (byte !== DOT && byte !== APOSTROPHE) return -1;
		}
		return words;
	}

	private addText(text: string): void {
		const compounds = nameCompounds(text);
		for (const word of nameWords(compounds)) {
			const { block, length } = blockOfText(word);
			this.push(this.interner.intern(block.words, 0, length));
		}
		this.valueCounts[this.values] = Math.min(255, countNameWords(compounds));
	}

	/** Adds a word to the current value, unless it already has it. */
	private push(word: number): void {
		for (let i = this.valueOffsets[this.values]; i < this.end; i++) if (this.valueWords[i] === word) return;
		if (this.end === this.valueWords.length) {
			const grown = new Uint32Array(2 * this.valueWords.length);
			grown.set(this.valueWords);
			this.valueWords = grown;
		}
		this.valueWords[this.end++] = word;
	}

	/** Renumbers the words in byte order. */
	finish(): NameWords {
		const { offsets, heap } = this.interner.dictionary();
		const count = offsets.length - 1;
		const sorted = sortStrings({ offsets, heap }, () => 0);
		const numbers = new Uint32Array(count);
		const sortedOffsets = new Uint32Array(count + 1);
		const sortedHeap = new Uint8Array(offsets[count]);
		for (let word = 0; word < count; word++) {
			const from = sorted[word];
			numbers[from] = word;
			const at = sortedOffsets[word];
			sortedHeap.set(heap.subarray(offsets[from], offsets[from + 1]), at);
			sortedOffsets[word + 1] = at + offsets[from + 1] - offsets[from];
		}
		const { valueOffsets, valueCounts } = this;
		const valueWords = this.valueWords.slice(0, this.end);
		for (let i = 0; i < valueWords.length; i++) valueWords[i] = numbers[valueWords[i]];
		return { offsets: sortedOffsets, heap: sortedHeap, valueOffsets, valueWords, valueCounts };
	}
}

/** Whether a word of ASCII letters is a particle or a suffix. */
function isSpecial(bytes: Uint8Array, start: number, end: number): boolean {
	return end - start <= SPECIAL_BYTES_MAX && SPECIAL_KEYS.has(keyOf(bytes, start, end));
}

/** Lower-case ASCII letters as digits of base 32. */
function keyOf(bytes: Uint8Array, start: number, end: number): number {
	let key = 0;
	for (let i = start; i < end; i++) key = key * 32 + bytes[i] - 0x60;
	return key;
}
