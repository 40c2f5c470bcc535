/**
 * Bitmaps of many words, in WebAssembly memory and elsewhere: their rows are listed, and those far before a page are
 * skipped by counting blocks of words, as in a list of the rows.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { takeRowsDown, takeRowsUp } from "../../engine/kernels/bitmap.js";
import { listRows } from "../../engine/kernels/list-rows.js";
import { BitmapMemory } from "../../engine/kernels/simd.js";
import { SKIPPED_WORDS_MIN } from "../../engine/tuning.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";

const PAGE_ROWS = 30;
/** Rows of the first block that is counted. */
const BLOCK = 32 * SKIPPED_WORDS_MIN;

function bitmapOf(rows: readonly number[], words: number, draw: Draw): Uint32Array {
	const inWebAssembly = draw.oneIn(2) ? BitmapMemory.allocate(words, 1)?.take() : undefined;
	const bits = inWebAssembly ?? new Uint32Array(words);
	for (const row of rows) bits[row >>> 5] |= 1 << (row & 31);
	return bits;
}

/** Rows [from, to) of `size` rows; often one end is a little before or after the end of a block that is counted from the other. */
function someRange(draw: Draw, size: number): readonly [number, number] {
	const from = draw.oneIn(2) ? 0 : draw.below(size);
	const blocks = draw.pick([1, 3, 7]) * BLOCK + draw.below(200) - 100;
	const to = Math.min(size, draw.oneIn(2) ? from + blocks : from + draw.below(size - from + 1));
	return draw.oneIn(2) ? [from, to] : [size - to, size - from];
}

test("rows far before a page are skipped, up and down", (t) => {
	const runs = fuzzRuns(300);
	tellSeed(t, runs);
	for (let run = 0; run < runs; run++) {
		const draw = new Draw(SEED, run);
		const size = draw.pick([1, 7, 40]) * BLOCK + draw.below(200);
		const [from, to] = someRange(draw, size);
		const oneIn = draw.pick([1, 3, 100, 5000]);
		const rows = Array.from({ length: size }, (_, row) => row).filter(() => draw.oneIn(oneIn));
		const words = bitmapOf(rows, Math.ceil(size / 32), draw);
		const within = rows.filter((row) => row >= from && row < to);
		const out = new Uint32Array(PAGE_ROWS + 1);
		for (const isDown of [false, true])
			for (const skip of [0, 1, draw.below(within.length + 2), within.length, within.length + 100, size]) {
				const page = { skip, taken: 1, end: 1 + PAGE_ROWS, out };
				const along = isDown ? within.toReversed() : within;
				const expected = along.slice(skip, skip + PAGE_ROWS);
				(isDown ? takeRowsDown : takeRowsUp)(words, from, to, page);
				const context = `run ${run}: ${skip} of ${within.length} in [${from}, ${to}), down ${isDown}`;
				assert.deepEqual([...out.subarray(1, page.taken)], expected, context);
				assert.equal(page.skip, Math.max(0, skip - within.length), context);
			}
	}
});

test("rows of many words are listed", (t) => {
	const runs = fuzzRuns(200);
	tellSeed(t, runs);
	for (let run = 0; run < runs; run++) {
		const draw = new Draw(SEED, 10_000 + run);
		const length = draw.pick([40, 257, 3000]) + draw.below(70);
		const oneIn = draw.pick([1, 2, 30, 2000]);
		const rows = Array.from({ length: 32 * length }, (_, row) => row).filter(() => draw.oneIn(oneIn));
		const words = bitmapOf(rows, length, draw);
		const from = draw.below(20);
		const to = length - draw.below(20);
		const within = rows.filter((row) => row >>> 5 >= from && row >>> 5 < to);
		const out = new Uint32Array(within.length + 10).fill(7);
		const end = listRows(words, from, to, within.length, out, 3);
		assert.deepEqual([...out.subarray(0, end)], [7, 7, 7, ...within], `run ${run}`);
	}
});

test("rows for which there is no room are not listed", () => {
	const words = BitmapMemory.allocate(3000, 1)?.take();
	assert.ok(words);
	words.fill(-1);
	const out = new Uint32Array(1000);
	assert.equal(listRows(words, 0, 3000, 96_000, out, 990), 96_990);
	assert.deepEqual([...out.subarray(988)], [0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});
