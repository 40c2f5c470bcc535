/**
 * Orders rows by how well their names match: the cost of the match, then the number of words of the name that
 * the query does not have, then id. A page is selected by a histogram of these keys without sorting, since the
 * rows are in ascending order. Cost O(rows).
 */

import type { Order } from "../query.js";

/** Names with more additional words rank equally. */
const EXTRA_WORDS_MAX = 15;
const KEYS = 256 * (EXTRA_WORDS_MAX + 1);
const starts = new Uint32Array(KEYS + 1);

export interface MatchedRows {
	/** Rows list[0, count), ascending. */
	readonly list: Uint32Array;
	readonly count: number;
	/** By row: the cost of its match. */
	readonly costs: Uint8Array;
	/** By row: the number of words of its name. */
	readonly wordCounts: Uint8Array;
	/** Number of words in the query. */
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
	// Positions of the page counted from the best match, in either direction.
	const from = order === "asc" ? offset : count - offset - taken;
	for (let i = 0; i < count; i++) {
		const row = list[i];
		const place = starts[keyOf(row)]++ - from;
		if (place >= 0 && place < taken) out[order === "asc" ? place : taken - 1 - place] = row;
	}
	return taken;
}
