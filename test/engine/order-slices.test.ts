/** What is taken of an order contains each position whose row is in the words asked for, and little else. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { takeWithin } from "../../engine/select/order-slices.js";
import { SEARCHED_RANK_ROWS_MIN } from "../../engine/tuning.js";
import type { Permutation, Range } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";

test("positions whose rows are in some words are taken, each once and in order", (t) => {
	const runs = fuzzRuns(300);
	tellSeed(t, runs);
	for (let run = 0; run < runs; run++) check(new Draw(SEED, run));
});

function check(draw: Draw): void {
	const rows = 1 + draw.below(draw.pick([3, 4_000]));
	const order = randomOrder(rows, 1 + draw.below(draw.pick([2, 5, 500])), draw);
	const parts = randomParts(((rows - 1) >>> 5) + 1, draw);
	const from = draw.below(rows + 1);
	const to = from + draw.below(rows - from + 1);
	const taken: number[] = [];
	takeWithin(order, from, to, parts, (first, end) => {
		for (let at = first; at < end; at++) taken.push(at);
	});
	const all = Array.from({ length: to - from }, (_, i) => from + i);
	const isIn = (row: number) => parts.some((part) => row >>> 5 >= part.from && row >>> 5 < part.to);
	const ranks = new Set(all.map((at) => order.offsets.findLastIndex((offset) => offset <= at))).size;
	const isSearched = all.length >= ranks * parts.length * SEARCHED_RANK_ROWS_MIN;
	assert.deepEqual(taken, isSearched ? all.filter((at) => isIn(order.rows[at])) : all);
}

/** Rows of some ranks, of which some have no row; those of the last have no value. */
function randomOrder(rows: number, ranks: number, draw: Draw): Permutation {
	const ofRank = Array.from({ length: ranks + 1 }, (): number[] => []);
	for (let row = 0; row < rows; row++) ofRank[draw.below(ranks + 1)].push(row);
	const offsets = new Uint32Array(ranks + 1);
	for (let rank = 0; rank < ranks; rank++) offsets[rank + 1] = offsets[rank] + ofRank[rank].length;
	return { rows: Uint32Array.from(ofRank.flat()), offsets, byState: null };
}

function randomParts(words: number, draw: Draw): Range[] {
	const parts: Range[] = [];
	for (let from = draw.below(words); from < words; ) {
		const to = from + 1 + draw.below(words - from);
		parts.push({ from, to });
		from = to + draw.below(draw.pick([1, words]));
	}
	return parts;
}
