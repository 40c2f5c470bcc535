/** The rows of one code, and those of empty texts, are those that a look at each row finds, at every border of words and chunks. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { markCode, markEmpty } from "../../engine/kernels/equal-codes.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";

/** Around a word, and around the 8,192 rows that are compared at a time. */
const SIZES = [0, 1, 31, 32, 33, 100, 8191, 8192, 8193, 8224, 20_000];
const KINDS = [Uint8Array, Uint16Array, Uint32Array] as const;

/** Rows that are set, in a bitmap of one word more than `rows` need. */
function marked(rows: number, mark: (words: Uint32Array) => void): number[] {
	const words = new Uint32Array((rows >>> 5) + 2);
	mark(words);
	return Array.from({ length: words.length * 32 }, (_, row) => row).filter(
		(row) => (words[row >>> 5] >>> (row & 31)) & 1,
	);
}

test("the rows of a code are marked, of codes of every size", (t) => {
	const runs = fuzzRuns(40);
	tellSeed(t, runs);
	const draw = new Draw(SEED);
	for (let run = 0; run < runs; run++) {
		const rows = draw.oneIn(3) ? draw.pick(SIZES) : draw.below(3000);
		const Kind = draw.pick(KINDS);
		const distinct = draw.pick([1, 2, 100, 255, 256, 65_535, 65_536, 2 ** 31 + 5]);
		// Not at the beginning of its memory, as a mapped section is.
		const codes = new Kind(rows + 3).subarray(3).map(() => draw.below(Math.min(distinct, 2 ** 31)));
		const code = draw.oneIn(2) ? distinct : (codes[draw.below(Math.max(1, rows))] ?? 0);
		if (draw.oneIn(2)) for (let n = 0; n < rows / 3; n++) codes[draw.below(rows)] = code;
		const expected = Array.from(codes, (_, row) => row).filter((row) => codes[row] === code);
		assert.deepEqual(
			marked(rows, (words) => markCode(codes, code, words)),
			expected,
			`run ${run}: ${rows} rows of ${Kind.name}, code ${code}`,
		);
	}
});

test("the rows of empty texts are marked", (t) => {
	const runs = fuzzRuns(40);
	tellSeed(t, runs);
	const draw = new Draw(SEED);
	for (let run = 0; run < runs; run++) {
		const rows = draw.oneIn(3) ? draw.pick(SIZES) : draw.below(3000);
		const oneIn = draw.pick([1, 2, 50]);
		const offsets = new Uint32Array(rows + 3).subarray(2);
		for (let row = 0; row < rows; row++)
			offsets[row + 1] = offsets[row] + (draw.oneIn(oneIn) ? 0 : 1 + draw.below(9));
		const expected = Array.from({ length: rows }, (_, row) => row).filter(
			(row) => offsets[row] === offsets[row + 1],
		);
		assert.deepEqual(
			marked(rows, (words) => markEmpty(offsets, rows, words)),
			expected,
			`run ${run}: ${rows} rows`,
		);
	}
});
