/**
 * The rows of an index that a bitmap has, in WebAssembly memory and elsewhere, are counted, listed, skipped, taken and
 * set as a loop over the index does it, also where the index is corrupt and has rows past the end of the bitmap.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setRows } from "../../engine/kernels/bitmap.js";
import * as probe from "../../engine/kernels/bitmap-probe.js";
import { BitmapMemory } from "../../engine/kernels/simd.js";
import { PROBED_ROWS } from "../../engine/tuning.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";

interface Probed {
	readonly bits: Uint32Array;
	readonly index: Uint32Array;
	/** Positions of the index that are read. */
	readonly from: number;
	readonly to: number;
	/** Those of them whose row the bitmap has. */
	readonly matches: readonly number[];
}

/** A bitmap, an order of its rows, some of which are corrupt in one of four, and a range of positions. */
function someProbed(draw: Draw): Probed {
	const words = draw.pick([2, 9, 40, 700]) + draw.below(9);
	const size = 32 * words;
	// A second bitmap after it, all set, is no part of it.
	const memory = draw.oneIn(4) ? null : BitmapMemory.allocate(words, 2);
	const bits = memory?.take() ?? new Uint32Array(words);
	memory?.take()?.fill(-1);
	const oneIn = draw.pick([1, 2, 40, 1000]);
	for (let row = 0; row < size; row++) if (draw.oneIn(oneIn)) bits[row >>> 5] |= 1 << (row & 31);
	const index = Uint32Array.from({ length: size }, (_, row) => row);
	for (let i = size - 1; i > 0; i--) {
		const other = draw.below(i + 1);
		[index[i], index[other]] = [index[other], index[i]];
	}
	if (draw.oneIn(4))
		for (let i = 0; i < 3; i++)
			index[draw.below(size)] = draw.pick([size, size + 1, 2 * size - 1, 2 ** 31, 2 ** 32 - 1]);
	const from = draw.oneIn(2) ? 0 : draw.below(size);
	const to = draw.oneIn(2) ? size : Math.min(size, from + draw.pick([10, 255, 256, 257, PROBED_ROWS + 1]));
	const positions = Array.from({ length: to - from }, (_, i) => from + i);
	const has = (row: number) => row < size && ((bits[row >>> 5] >>> (row & 31)) & 1) === 1;
	return { bits, index, from, to, matches: positions.filter((position) => has(index[position])) };
}

/** Runs `check` with draws of their own. */
function often(name: string, runs: number, check: (probed: Probed, draw: Draw, context: string) => void) {
	test(name, (t) => {
		const count = fuzzRuns(runs);
		tellSeed(t, count);
		for (let run = 0; run < count; run++) {
			const draw = new Draw(SEED, run);
			check(someProbed(draw), draw, `run ${run}`);
		}
	});
}

often("matches are counted and listed", 300, ({ bits, index, from, to, matches }, _draw, context) => {
	assert.equal(probe.countMatches(index, bits, from, to), matches.length, context);
	const out = new Uint32Array(matches.length + 8).fill(7);
	const end = probe.listMatches(index, bits, from, to, out, 3);
	const rows = matches.map((position) => index[position]);
	assert.deepEqual([...out.subarray(0, end)], [7, 7, 7, ...rows], context);
});

often("matches before a page are skipped, and it is taken, up and down", 300, (probed, draw, context) => {
	const { bits, index, from, to, matches } = probed;
	const limit = draw.pick([1, 30, 300, 5000]);
	for (const isDown of [false, true])
		for (const skip of [0, 1, draw.below(matches.length + 1), matches.length, matches.length + 9]) {
			const along = isDown ? matches.toReversed() : matches;
			const where = `${context}: ${skip} of ${matches.length} in [${from}, ${to}), down ${isDown}`;
			const cursor = { skip };
			const found = (isDown ? probe.seekDown : probe.seekUp)(index, bits, from, to, cursor);
			assert.equal(found, along[skip] ?? (isDown ? from - 1 : to), where);
			assert.equal(cursor.skip, Math.max(0, skip - along.length), where);
			const out = new Uint32Array(limit + 2);
			const page = { skip, taken: 2, end: 2 + limit, out };
			probe.takeMatches(index, bits, { from, to }, isDown, page);
			const expected = along.slice(skip, skip + limit).map((position) => index[position]);
			assert.deepEqual([...out.subarray(2, page.taken)], expected, where);
		}
});

often("rows are set, and none beside the bitmap", 300, ({ bits, index, from, to }, _draw, context) => {
	const size = 32 * bits.length;
	const expected = bits.slice();
	for (const row of index.subarray(from, to)) if (row < size) expected[row >>> 5] |= 1 << (row & 31);
	const beside = bits.buffer.byteLength === bits.byteLength ? null : new Uint32Array(bits.buffer).slice();
	setRows(bits, index, from, to);
	assert.deepEqual(bits, expected, context);
	if (beside === null) return;
	const [first, end] = [bits.byteOffset / 4, bits.byteOffset / 4 + bits.length];
	// The room for what is copied in comes before the bitmaps.
	const after = new Uint32Array(bits.buffer);
	for (let word = end; word < after.length; word++)
		assert.equal(after[word], beside[word], `${context} ${word}`);
	assert.ok(first > 0);
});

test("matches for which there is no room are not listed", () => {
	const bits = BitmapMemory.allocate(300, 1)?.take();
	assert.ok(bits);
	bits.fill(-1);
	const index = Uint32Array.from({ length: 9600 }, (_, row) => row);
	const out = new Uint32Array(1000);
	assert.equal(probe.listMatches(index, bits, 0, 9600, out, 990), 10_590);
	assert.deepEqual([...out.subarray(988)], [0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});
