/**
 * Order of rows by how well their names match: what the match costs, then how many words the name has
 * besides those asked for, then id. A page is taken out of a histogram of these keys; nothing is sorted,
 * since the rows come ascending. Cost O(rows).
 */

import type { Order } from "../query.js";

/** Names with more words besides than this rank alike. */
const EXTRA_WORDS_MAX = 15;
const KEYS = 256 * (EXTRA_WORDS_MAX + 1);
const starts = new Uint32Array(KEYS + 1);

export interface MatchedRows {
	/** Ascending rows list[0, count). */
	readonly list: Uint32Array;
	readonly count: number;
	/** By row: what its match costs. */
	readonly costs: Uint8Array;
	/** By row: the words of its name. */
	readonly wordCounts: Uint8Array;
	/** Words asked for. */
	readonly words: number;
}

/** Writes rows [offset, offset + limit) in order of match to `out`; returns how many there are. */
export function bestMatches(
	{ list, count, costs, wordCounts, words }: MatchedRows,
	order: Order,
	offset: number,
	limit: number,
	out: Uint32Array,
): number {
	const taken = Math.max(0, Math.min(limit, count - offset));
	if (taken === 0) return 0;
	const keyOf = (row: number) =>
		costs[row] * (EXTRA_WORDS_MAX + 1) + Math.min(Math.max(wordCounts[row] - words, 0), EXTRA_WORDS_MAX);
	starts.fill(0);
	for (let i = 0; i < count; i++) starts[keyOf(list[i]) + 1]++;
	for (let key = 0; key < KEYS; key++) starts[key + 1] += starts[key];
	// Places of the page counted from the best match on, whichever end it is read from.
	const from = order === "asc" ? offset : count - offset - taken;
	for (let i = 0; i < count; i++) {
		const row = list[i];
		const place = starts[keyOf(row)]++ - from;
		if (place >= 0 && place < taken) out[order === "asc" ? place : taken - 1 - place] = row;
	}
	return taken;
}
