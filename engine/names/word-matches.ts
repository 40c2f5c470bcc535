/**
 * The distinct words of a snapshot's names that match a word of the query, found in the index of words: equal
 * words and prefixes by binary search, nicknames by lookup, edit distance by letter sets over the words of
 * similar length. Cost O(words of similar length), independent of the rows.
 */

import type { NameIndex } from "../../formats/index.js";
import { editDistance, isAscii, letterSet } from "../../formats/index.js";
import type { GrantedWords } from "../columns/grant-index.js";
import { nearSets } from "../kernels/near-sets.js";
import { type AskedWord, MATCH_COST } from "./asked-name.js";

/** Positions of words whose letter sets are near, grown as needed. */
let candidates = new Uint32Array(1 << 14);

/** The words that match one word of the query. */
export class WordMatches {
	/** Cost of each word plus one; 0 if it does not match. */
	private readonly costs: Uint8Array;
	/** The matching words at [0, foundCount), without duplicates; grown as needed and kept from search to search. */
	private found = new Uint32Array(64);
	private foundCount = 0;
	/** Words that may be found; null: all. */
	private granted: GrantedWords | null = null;
	/** Rows of the matching words, counted once for each word. */
	rows = 0;

	constructor(private readonly index: NameIndex) {
		this.costs = new Uint8Array(index.count);
	}

	/** The matching words, unordered. */
	get words(): Uint32Array {
		return this.found.subarray(0, this.foundCount);
	}

	/** Cost of `word` as a match; -1 if it does not match. */
	costOf(word: number): number {
		return this.costs[word] - 1;
	}

	/** Finds the matches of `asked` among the words of `granted`, replacing those found before. */
	find(asked: AskedWord, granted: GrantedWords | null): void {
		this.granted = granted;
		for (let i = 0; i < this.foundCount; i++) this.costs[this.found[i]] = 0;
		this.foundCount = 0;
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
		if (this.foundCount === this.found.length) {
			const grown = new Uint32Array(2 * this.foundCount);
			grown.set(this.found);
			this.found = grown;
		}
		this.found[this.foundCount++] = word;
		const { postingOffsets } = this.index;
		this.rows += postingOffsets[word + 1] - postingOffsets[word];
	}

	private addPrefix(prefix: string, cost: number): void {
		const { from, to } = this.index.prefixRange(prefix);
		for (let word = from; word < to; word++) this.add(word, cost);
	}

	/** Adds the words within the edit distance, nearest first. */
	private addNear({ points, edits }: AskedWord): void {
		const { byLength, letterSets, offsets, heap } = this.index;
		const range = this.index.lengthRange(points.length - edits, points.length + edits);
		const words = range.to - range.from;
		if (candidates.length < words) candidates = new Uint32Array(words);
		const count = nearSets(letterSet(points), edits, letterSets, range, candidates);
		const far: number[] = [];
		for (let i = 0; i < count; i++) {
			const word = byLength[candidates[i]];
			// Tested before its letters are compared, so that words outside of the grant take no time for these.
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
