/**
 * Numbers the spelling keys of values (formats/names/spelling-keys.ts) while their words are found: texts would be folded
 * and split once more, which takes some microseconds each.
 *
 * Invariant: two values have a number in common where their texts have a key in common.
 */

import { type SpellingKeys, spellingKeys } from "../../formats/index.js";
import { type ByteBlock, blockOfText, byteBlock, SLACK_BYTES } from "../csv/byte-block.js";
import { Interner } from "../csv/interner.js";

const BLANK = 0x20;

/** A name that is split: word w is block[starts[w], starts[w + 1]), the words of compound c are [compounds[c], compounds[c + 1]). */
export interface SplitName {
	readonly block: ByteBlock;
	readonly starts: Uint32Array;
	readonly words: number;
	readonly compounds: Uint32Array;
	readonly compoundCount: number;
}

export class SpellingNumbering implements SpellingKeys {
	readonly own: Int32Array;
	readonly joined: Int32Array;
	private readonly interner = new Interner("spellings");
	/** The words of a name with a blank after each but the last. */
	private spaced = byteBlock(new ArrayBuffer(SLACK_BYTES));

	constructor(values: number) {
		this.own = new Int32Array(values).fill(-1);
		this.joined = new Int32Array(values).fill(-1);
	}

	get count(): number {
		return this.interner.count;
	}

	/** Numbers the keys of a value whose words were found by bytes. Cost O(bytes). */
	add(value: number, name: SplitName): void {
		const { block, starts, words, compoundCount } = name;
		if (words === 0 || repeatsPart(name)) return;
		const length = starts[words] + words - 1;
		if (this.spaced.bytes.length < length + SLACK_BYTES)
			this.spaced = byteBlock(new ArrayBuffer(2 * length + SLACK_BYTES));
		const { bytes } = this.spaced;
		let at = 0;
		for (let word = 0; word < words; word++) {
			if (word > 0) bytes[at++] = BLANK;
			for (let i = starts[word]; i < starts[word + 1]; i++) bytes[at++] = block.bytes[i];
		}
		this.own[value] = this.interner.intern(this.spaced.words, 0, length);
		if (compoundCount === 1 && words > 1)
			this.joined[value] = this.interner.intern(block.words, 0, starts[words]);
	}

	/** Numbers the keys of a value that was split as text. */
	addText(value: number, text: string): void {
		const [own, joined] = spellingKeys(text).map((key) => {
			const { block, length } = blockOfText(key);
			return this.interner.intern(block.words, 0, length);
		});
		this.own[value] = own ?? -1;
		this.joined[value] = joined ?? -1;
	}
}

/** Whether a compound has a word twice. */
function repeatsPart({ block, starts, compounds, compoundCount }: SplitName): boolean {
	const textOf = (word: number) =>
		Buffer.from(block.bytes.subarray(starts[word], starts[word + 1])).toString("latin1");
	for (let compound = 0; compound < compoundCount; compound++) {
		const first = compounds[compound];
		const parts = compounds[compound + 1] - first;
		if (parts === 1) continue;
		if (new Set(Array.from({ length: parts }, (_, part) => textOf(first + part))).size < parts) return true;
	}
	return false;
}
