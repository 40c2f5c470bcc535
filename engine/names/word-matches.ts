/**
 * Which distinct words of a snapshot's names match a word that is asked for, found in the index of words:
 * the same and prefixes by binary search, nicknames by look-up, edit distance by letter sets over the words
 * of about the same length. Cost O(words of about the length), never of rows.
 */

import type { NameIndex } from "../../formats/index.js";
import { isAscii, letterSet } from "../../formats/index.js";
import type { GrantedCodes } from "../columns/granted-codes.js";
import { popcount } from "../kernels/bitmap.js";
import { type AskedWord, MATCH_COST } from "./asked-name.js";
import { editDistance } from "./edit-distance.js";

/** The words that match one that is asked for. */
export class WordMatches {
	/** What a word costs, plus one; 0 where it does not match. */
	private readonly costs: Uint8Array;
	/** The matching words, each once. */
	private readonly found: number[] = [];
	/** The words that may be found; null: all. */
	private granted: GrantedCodes | null = null;
	/** Rows with any of them, counted once for each they have. */
	rows = 0;

	constructor(private readonly index: NameIndex) {
		this.costs = new Uint8Array(index.count);
	}

	/** The matching words, in no order. */
	get words(): readonly number[] {
		return this.found;
	}

	/** What it costs that `word` stands for the one asked for; -1 where it does not match. */
	costOf(word: number): number {
		return this.costs[word] - 1;
	}

	/** Finds the matches of `asked` among the words of `granted`, in place of those found before. */
	find(asked: AskedWord, granted: GrantedCodes | null): void {
		this.granted = granted;
		for (const word of this.found) this.costs[word] = 0;
		this.found.length = 0;
		this.rows = 0;
		const { index } = this;
		const same = index.find(asked.text);
		if (same !== -1) this.add(same, MATCH_COST.exact);
		if (asked.isPrefix) this.addPrefix(asked.text, MATCH_COST.prefix);
		for (const nickname of asked.nicknames) {
			const word = index.find(nickname);
			if (word !== -1) this.add(word, MATCH_COST.nickname);
		}
		if (asked.points.length === 1) this.addPrefix(asked.text, MATCH_COST.initial);
		if (asked.edits > 0) this.addNear(asked);
	}

	private add(word: number, cost: number): void {
		if (this.costs[word] !== 0 || this.granted?.has(word) === false) return;
		this.costs[word] = cost + 1;
		this.found.push(word);
		const { postingOffsets } = this.index;
		this.rows += postingOffsets[word + 1] - postingOffsets[word];
	}

	private addPrefix(prefix: string, cost: number): void {
		const { from, to } = this.index.prefixRange(prefix);
		for (let word = from; word < to; word++) this.add(word, cost);
	}

	/** Adds the words within the edit distance, the nearest first. */
	private addNear({ points, edits }: AskedWord): void {
		const { byLength, letterSets, offsets, heap } = this.index;
		const set = letterSet(points);
		const near = this.index.lengthRange(points.length - edits, points.length + edits);
		const far: number[] = [];
		for (let i = near.from; i < near.to; i++) {
			const difference = set ^ letterSets[i];
			// The sets of near words differ in few letters both ways. Most differ in too many taken together.
			if (popcount(difference) > 2 * edits) continue;
			if (popcount(difference & set) > edits || popcount(difference & ~set) > edits) continue;
			const word = byLength[i];
			// Before its letters are compared, which would take time.
			if (this.granted?.has(word) === false) continue;
			const start = offsets[word];
			const end = offsets[word + 1];
			const distance = isAscii(heap, start, end)
				? editDistance(points, heap, start, end, edits)
				: this.textDistance(points, word, edits);
			if (distance <= 1) this.add(word, MATCH_COST.edit[distance]);
			else if (distance <= edits) far.push(word);
		}
		for (const word of far) this.add(word, MATCH_COST.edit[2]);
	}

	private textDistance(points: readonly number[], word: number, edits: number): number {
		const others = Array.from(this.index.text(word), (character) => character.codePointAt(0) as number);
		return editDistance(points, others, 0, others.length, edits);
	}
}
