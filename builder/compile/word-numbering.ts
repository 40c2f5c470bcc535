/**
 * The words of all full names as formats/names defines them, with the distinct words numbered and sorted.
 *
 * Names are split byte by byte. A token, the bytes between blanks and commas, with other characters than ASCII is
 * folded as text once, since few of them are distinct; what a token becomes does not depend on those beside it. A
 * name with a token that contains a blank or a comma once it is folded is split as text.
 *
 * Invariant: both methods find the same words in the same order; the result depends only on the values.
 */

import {
	countNameWords,
	decodeUtf8,
	looseFoldWithHyphens,
	lowerAsciiByte,
	NAME_PARTICLES,
	type NameWords,
	nameCompounds,
	nameWords,
	UNCOUNTED_SUFFIXES,
	wordsBetween,
} from "../../formats/index.js";
import { blockOfText, byteBlock, SLACK_BYTES } from "../csv/byte-block.js";
import { Interner } from "../csv/interner.js";
import type { SpellingNumbering, SplitName } from "./spelling-numbering.js";
import { type ByteStrings, sortStrings } from "./string-sort.js";

const PARTICLE = 1;
const SUFFIX = 2;
const SPECIAL_BYTES_MAX = Math.max(...[...NAME_PARTICLES, ...UNCOUNTED_SUFFIXES].map((word) => word.length));
/** Particles and suffixes by {@link keyOf} of their letters. */
const SPECIAL_KINDS: ReadonlyMap<number, number> = new Map([
	...[...NAME_PARTICLES].map((word) => [keyOf(Buffer.from(word), 0, word.length), PARTICLE] as const),
	...[...UNCOUNTED_SUFFIXES].map((word) => [keyOf(Buffer.from(word), 0, word.length), SUFFIX] as const),
]);
/** By the low {@link FILTER_BITS} bits of a key, whether a particle or suffix has them: most words need no look-up. */
const FILTER_BITS = 10;
const SPECIAL_FILTER = new Uint8Array(1 << FILTER_BITS);
for (const key of SPECIAL_KINDS.keys()) SPECIAL_FILTER[key & (SPECIAL_FILTER.length - 1)] = 1;

/** Names longer than this are split as text. */
const FAST_BYTES_MAX = 256;
/** Maximum bytes of a name's words up to a folded token, which may be longer than the token; and of all its words. */
const FOLDED_BYTES_MAX = 4 * FAST_BYTES_MAX;
const WORD_BYTES_MAX = FOLDED_BYTES_MAX + FAST_BYTES_MAX;
/** Maximum folded tokens kept, some 10 MB; a month of 2.5 million names has 15,000. */
const FOLDED_TOKENS_MAX = 1 << 16;

/** What an ASCII byte is in a name: the lower case of a letter or digit, or one of these. */
const DROPPED = 1;
const BLANK = 2;
const COMMA = 3;
const BETWEEN = 4;
const FOREIGN = 5;
const BYTE_CLASSES = Uint8Array.from({ length: 256 }, (_, byte) => classOf(byte));

function classOf(byte: number): number {
	if (byte >= 0x80) return FOREIGN;
	const character = String.fromCharCode(byte);
	if (/[a-z0-9]/i.test(character)) return lowerAsciiByte(byte);
	if (character === ",") return COMMA;
	if (/\s/.test(character)) return BLANK;
	return looseFoldWithHyphens(character) === "" ? DROPPED : BETWEEN;
}

/** A folded token: its words' bytes, concatenated, and where each ends. */
interface FoldedToken {
	readonly bytes: Uint8Array;
	readonly ends: readonly number[];
}

/** The words of the values of a dictionary, whose spelling keys are numbered meanwhile, unless these are null. Cost O(bytes). */
export function collectNameWords(
	{ offsets, heap }: ByteStrings,
	spellings: SpellingNumbering | null = null,
): NameWords {
	const collector = new WordCollector(offsets.length - 1, spellings);
	for (let value = 0; value < offsets.length - 1; value++) {
		collector.add(heap, offsets[value], offsets[value + 1]);
	}
	return collector.finish();
}

class WordCollector implements SplitName {
	private readonly interner = new Interner("member_full_name");
	private readonly valueOffsets: Uint32Array;
	private readonly valueCounts: Uint8Array;
	private valueWords = new Uint32Array(1 << 16);
	private values = 0;
	private end = 0;
	/** The concatenated words of one name, and where each starts; {@link words} of them end where the next starts. */
	readonly block = byteBlock(new ArrayBuffer(WORD_BYTES_MAX + SLACK_BYTES));
	readonly starts = new Uint32Array(WORD_BYTES_MAX + 1);
	words = 0;
	/** The first word of each compound of the name. */
	readonly compounds = new Uint32Array(WORD_BYTES_MAX + 1);
	compoundCount = 0;
	/** By token with other characters than ASCII; null for one that only the whole name's text shows how to split. */
	private readonly folded = new Map<string, FoldedToken | null>();

	constructor(
		distinct: number,
		private readonly spellings: SpellingNumbering | null,
	) {
		this.valueOffsets = new Uint32Array(distinct + 1);
		this.valueCounts = new Uint8Array(distinct);
	}

	/** Adds the words of the next value. */
	add(heap: Uint8Array, start: number, end: number): void {
		if (end - start <= FAST_BYTES_MAX && this.split(heap, start, end)) this.addCompounds();
		else this.addText(decodeUtf8(heap, start, end));
		this.values++;
		this.valueOffsets[this.values] = this.end;
	}

	/** Splits a name into words and compounds; false for one that must be split as text. */
	private split(heap: Uint8Array, start: number, end: number): boolean {
		const { bytes } = this.block;
		const { starts } = this;
		let at = 0;
		/** The first word of the compound and of the token, and where the token begins in the name. */
		let compound = 0;
		let token = 0;
		let tokenFrom = start;
		this.words = 0;
		this.compoundCount = 0;
		for (let i = start; i <= end; i++) {
			const kind = i === end ? COMMA : BYTE_CLASSES[heap[i]];
			if (kind > FOREIGN) {
				bytes[at++] = kind;
				continue;
			}
			if (kind === DROPPED) continue;
			if (kind === FOREIGN) {
				i = tokenEnd(heap, i, end) - 1;
				if (!this.addFolded(token, decodeUtf8(heap, tokenFrom, i + 1))) return false;
				at = starts[this.words];
				continue;
			}
			if (at > starts[this.words]) starts[++this.words] = at;
			if (kind === BETWEEN) continue;
			if (this.endsCompound(compound, kind)) compound = this.words;
			token = this.words;
			tokenFrom = i + 1;
		}
		this.compounds[this.compoundCount] = this.words;
		return true;
	}

	/** Replaces the words from `token` on by those of the folded `text`; false if they cannot be added. */
	private addFolded(token: number, text: string): boolean {
		const at = this.starts[token];
		const folded = this.foldedToken(text);
		if (folded === null || at + folded.bytes.length > FOLDED_BYTES_MAX) return false;
		this.block.bytes.set(folded.bytes, at);
		this.words = token;
		for (const end of folded.ends) this.starts[++this.words] = at + end;
		return true;
	}

	/**
	 * Ends the compound whose first word is `compound`, if it has words, at a blank or comma. A blank after a
	 * particle does not end it.
	 */
	private endsCompound(compound: number, kind: number): boolean {
		if (this.words === compound) return false;
		if (kind === BLANK && this.kindOf(this.words - 1) === PARTICLE) return false;
		this.compounds[this.compoundCount++] = compound;
		return true;
	}

	/** Adds the words of the compounds found by {@link split}, and each compound of several joined. */
	private addCompounds(): void {
		const { starts, compounds } = this;
		const { words } = this.block;
		let suffixes = 0;
		for (let compound = 0; compound < this.compoundCount; compound++) {
			const first = compounds[compound];
			const last = compounds[compound + 1];
			for (let word = first; word < last; word++) {
				this.push(this.interner.intern(words, starts[word], starts[word + 1]));
				if (this.kindOf(word) === SUFFIX) suffixes++;
			}
			if (last - first > 1) this.push(this.interner.intern(words, starts[first], starts[last]));
		}
		this.valueCounts[this.values] = Math.min(255, this.words - suffixes);
		this.spellings?.add(this.values, this);
	}

	/** {@link PARTICLE}, {@link SUFFIX} or 0. */
	private kindOf(word: number): number {
		const start = this.starts[word];
		const end = this.starts[word + 1];
		if (end - start > SPECIAL_BYTES_MAX) return 0;
		const key = keyOf(this.block.bytes, start, end);
		return SPECIAL_FILTER[key & (SPECIAL_FILTER.length - 1)] === 0 ? 0 : (SPECIAL_KINDS.get(key) ?? 0);
	}

	private foldedToken(text: string): FoldedToken | null {
		let token = this.folded.get(text);
		if (token === undefined) {
			if (this.folded.size === FOLDED_TOKENS_MAX) this.folded.clear();
			token = foldToken(text);
			this.folded.set(text, token);
		}
		return token;
	}

	private addText(text: string): void {
		const compounds = nameCompounds(text);
		for (const word of nameWords(compounds)) {
			const { block, length } = blockOfText(word);
			this.push(this.interner.intern(block.words, 0, length));
		}
		this.valueCounts[this.values] = Math.min(255, countNameWords(compounds));
		this.spellings?.addText(this.values, text);
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

/** Where the token that heap[at] belongs to ends. */
function tokenEnd(heap: Uint8Array, at: number, end: number): number {
	let to = at;
	while (to < end && BYTE_CLASSES[heap[to]] !== BLANK && BYTE_CLASSES[heap[to]] !== COMMA) to++;
	return to;
}

function foldToken(text: string): FoldedToken | null {
	const folded = looseFoldWithHyphens(text);
	if (/[\s,]/.test(folded)) return null;
	const words = folded.split("-").flatMap(wordsBetween);
	let end = 0;
	const ends = words.map((word) => {
		end += Buffer.byteLength(word);
		return end;
	});
	return { bytes: Buffer.from(words.join("")), ends };
}

/** ASCII letters of a word as digits of base 32; -1 for other characters, which no particle or suffix has. */
function keyOf(bytes: Uint8Array, start: number, end: number): number {
	let key = 0;
	for (let i = start; i < end; i++) {
		if (bytes[i] < 0x61 || bytes[i] > 0x7a) return -1;
		key = key * 32 + bytes[i] - 0x60;
	}
	return key;
}
