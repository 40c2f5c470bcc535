/**
 * A fixed set of texts, found by the bytes of a cell: a hash table with open addressing that makes no text of a
 * cell. Cells longer than every text are not hashed.
 */

import { type ByteBlock, blockOfText, equalBytes, keyedHash } from "./byte-block.js";

/** Slots for each text. */
const SLOTS_PER_TEXT = 4;

export class ExactTexts {
	readonly size: number;
	private readonly blocks: readonly ByteBlock[];
	private readonly lengths: Int32Array;
	private readonly lengthMax: number;
	/** Pairs (number of a text + 1, its hash); the first is 0 in an empty slot. */
	private readonly slots: Int32Array;
	private readonly mask: number;

	/** `texts` are distinct. */
	constructor(texts: readonly string[]) {
		const made = texts.map(blockOfText);
		this.size = texts.length;
		this.blocks = made.map(({ block }) => block);
		this.lengths = Int32Array.from(made, ({ length }) => length);
		this.lengthMax = this.lengths.reduce((longest, length) => Math.max(longest, length), 0);
		let slotCount = 1;
		while (slotCount < SLOTS_PER_TEXT * texts.length) slotCount *= 2;
		this.slots = new Int32Array(2 * slotCount);
		this.mask = slotCount - 1;
		for (const [text, { block, length }] of made.entries()) this.add(text, keyedHash(block.words, 0, length));
	}

	/** The number of the text that is words[start, end); -1 for none. Cost O(length). */
	find(words: DataView, start: number, end: number): number {
		const length = end - start;
		if (length > this.lengthMax) return -1;
		const { slots, mask } = this;
		const hash = keyedHash(words, start, end);
		for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
			const text = slots[2 * slot] - 1;
			if (text < 0) return -1;
			if (slots[2 * slot + 1] === hash && this.isText(text, words, start, length)) return text;
		}
	}

	private isText(text: number, words: DataView, start: number, length: number): boolean {
		return this.lengths[text] === length && equalBytes(this.blocks[text].words, 0, words, start, length);
	}

	private add(text: number, hash: number): void {
		let slot = hash & this.mask;
		while (this.slots[2 * slot] !== 0) slot = (slot + 1) & this.mask;
		this.slots[2 * slot] = text + 1;
		this.slots[2 * slot + 1] = hash;
	}
}
