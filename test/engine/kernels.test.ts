/** Kernels over words and rows do what a loop over single rows does, at every border of words and blocks. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as bitmap from "../../engine/kernels/bitmap.js";
import * as probe from "../../engine/kernels/bitmap-probe.js";
import {
	ASIDE,
	BYTE_VALUES,
	countBuckets,
	KEPT,
	keepMarked,
	splitMarked,
} from "../../engine/kernels/buckets.js";
import * as byCode from "../../engine/kernels/codes.js";
import * as combine from "../../engine/kernels/combine-bitmaps.js";
import { listRows, listRun, sampleRows } from "../../engine/kernels/list-rows.js";
import { BitmapMemory } from "../../engine/kernels/simd.js";
import { SIMD_WORDS_MIN } from "../../engine/tuning.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";

/** Rows of a bitmap; more than three blocks of probing, and no multiple of a word. */
const ROWS = 3_000;
const WORDS = Math.ceil(ROWS / 32);

/** Rows in sets, dense, sparse, in runs or none at all. */
function someRows(draw: Draw): Set<number> {
	const oneIn = draw.pick([1, 2, 40, 1000]);
	const [from, to] = someRange(draw, ROWS);
	const rows = Array.from({ length: ROWS }, (_, row) => row);
	return new Set(rows.filter((row) => (draw.oneIn(3) ? row >= from && row < to : draw.oneIn(oneIn))));
}

function someRange(draw: Draw, end: number): [number, number] {
	const one = draw.below(end + 1);
	const other = draw.oneIn(3) ? Math.min(end, one + draw.below(70)) : draw.below(end + 1);
	return one < other ? [one, other] : [other, one];
}

function wordsOf(rows: Iterable<number>, words: Uint32Array = new Uint32Array(WORDS)): Uint32Array {
	for (const row of rows) words[row >>> 5] += 2 ** (row & 31);
	return words;
}

function rowsOf(words: Uint32Array): number[] {
	const rows: number[] = [];
	for (let row = 0; row < words.length * 32; row++)
		if (Math.floor(words[row >>> 5] / 2 ** (row & 31)) % 2 === 1) rows.push(row);
	return rows;
}

/** Runs `check` with draws of their own. */
function often(name: string, runs: number, check: (draw: Draw) => void): void {
	test(name, (t) => {
		const count = fuzzRuns(runs);
		tellSeed(t, count);
		for (let run = 0; run < count; run++) check(new Draw(SEED, run));
	});
}

often("runs of rows are set, cleared and counted, and no row beside them", 200, (draw) => {
	const rows = someRows(draw);
	const [from, to] = someRange(draw, ROWS);
	const inside = (row: number) => row >= from && row < to;
	const filled = wordsOf(rows);
	bitmap.fillRun(filled, from, to);
	const all = Array.from({ length: ROWS }, (_, row) => row);
	assert.deepEqual(
		rowsOf(filled),
		all.filter((row) => rows.has(row) || inside(row)),
	);
	const cleared = wordsOf(rows);
	bitmap.clearRun(cleared, from, to);
	assert.deepEqual(
		rowsOf(cleared),
		all.filter((row) => rows.has(row) && !inside(row)),
	);
	assert.equal(bitmap.countRun(wordsOf(rows), from, to), [...rows].filter(inside).length);
});

test("an empty run has no rows, wherever it is", () => {
	for (const at of [0, 1, 31, 32, 33, 64]) {
		const full = new Uint32Array(3).fill(0xffffffff);
		assert.equal(bitmap.countRun(full, at, at), 0);
		bitmap.clearRun(full, at, at);
		assert.equal(bitmap.countRun(full, 0, 96), 96);
		const empty = new Uint32Array(3);
		bitmap.fillRun(empty, at, at);
		assert.equal(bitmap.countRun(empty, 0, 96), 0);
	}
});

test("long bitmaps are counted by WebAssembly, to the last word, and those of other memory without it", () => {
	const words = SIMD_WORDS_MIN + 77;
	const memory = BitmapMemory.allocate(words, 3);
	if (memory === null) return;
	const [copied, one, other] = [memory.take(), memory.take(), memory.take()];
	assert.ok(copied !== null && one !== null && other !== null);
	const draw = new Draw(SEED, 0);
	const elsewhere = new Uint32Array(words);
	for (let i = 0; i < words; i++) {
		one[i] = draw.next();
		other[i] = draw.next();
		elsewhere[i] = draw.next();
	}
	for (const [from, to] of [
		[0, words],
		[1, words],
		[3, words - 2],
		[0, SIMD_WORDS_MIN],
		[70, 70 + SIMD_WORDS_MIN],
	])
		for (const second of [other, elsewhere, one]) {
			let expected = 0;
			for (let i = from; i < to; i++) expected += bitmap.popcount(one[i] & second[i]);
			assert.equal(bitmap.countCommon(one, second, from, to), expected, `${from} to ${to}`);
		}
});

often("bitmaps are combined word by word, within the range alone", 100, (draw) => {
	const [a, b, c] = [someRows(draw), someRows(draw), someRows(draw)];
	const five = [a, b, someRows(draw), someRows(draw), someRows(draw)];
	const [from, to] = someRange(draw, WORDS);
	type Has = (row: number) => boolean;
	const cases: [(words: Uint32Array) => void, Has][] = [
		[(w) => bitmap.copyWords(w, wordsOf(a), from, to), (row) => a.has(row)],
		[(w) => combine.storeAnd(w, wordsOf(a), wordsOf(b), from, to), (row) => a.has(row) && b.has(row)],
		[(w) => combine.storeDifference(w, wordsOf(a), wordsOf(b), from, to), (row) => a.has(row) && !b.has(row)],
		[
			(w) => combine.storeAndNot(w, wordsOf(a), wordsOf(b), wordsOf(c), from, to),
			(row) => a.has(row) && b.has(row) && !c.has(row),
		],
		[(w) => combine.orAll(w, [wordsOf(a)], from, to), (row) => c.has(row) || a.has(row)],
		[
			(w) =>
				combine.orAll(
					w,
					five.map((set) => wordsOf(set)),
					from,
					to,
				),
			(row) => c.has(row) || five.some((set) => set.has(row)),
		],
		[
			(w) => combine.storeAndOr(w, wordsOf(a), wordsOf(b), from, to),
			(row) => c.has(row) || (a.has(row) && b.has(row)),
		],
		[
			(w) => combine.storeDifferenceOr(w, wordsOf(a), wordsOf(b), from, to),
			(row) => c.has(row) || (a.has(row) && !b.has(row)),
		],
	];
	for (const [store, has] of cases) {
		const words = wordsOf(c);
		store(words);
		const expected = Array.from({ length: ROWS }, (_, row) => row).filter((row) =>
			row >>> 5 >= from && row >>> 5 < to ? has(row) : c.has(row),
		);
		assert.deepEqual(rowsOf(words), expected, String(store));
	}
});

often("common rows are counted in WebAssembly memory as in any other", 100, (draw) => {
	const [a, b] = [someRows(draw), someRows(draw)];
	const [from, to] = someRange(draw, WORDS);
	const expected = [...a].filter((row) => b.has(row) && row >>> 5 >= from && row >>> 5 < to).length;
	assert.equal(bitmap.countCommon(wordsOf(a), wordsOf(b), from, to), expected);
	const memory = BitmapMemory.allocate(WORDS, 2);
	if (memory !== null) {
		const [one, other] = [wordsOf(a, memory.take() ?? undefined), wordsOf(b, memory.take() ?? undefined)];
		assert.equal(bitmap.countCommon(one, other, from, to), expected);
	}
	assert.equal(
		bitmap.countWords(wordsOf(a), from, to),
		[...a].filter((row) => row >>> 5 >= from && row >>> 5 < to).length,
	);
	const occupied = new Set([...a].map((row) => row >>> 5).filter((word) => word >= from && word < to));
	assert.equal(bitmap.estimateOccupied(wordsOf(a), from, to, 1), occupied.size);
});

often("rows are set and cleared one by one", 50, (draw) => {
	const [rows, source] = [someRows(draw), someRows(draw)];
	const list = Uint32Array.from(someRows(draw));
	const [from, to] = someRange(draw, list.length);
	const listed = new Set(list.subarray(from, to));
	const all = Array.from({ length: ROWS }, (_, row) => row);
	const cases: [(words: Uint32Array) => void, (row: number) => boolean][] = [
		[(w) => bitmap.setRows(w, list, from, to), (row) => rows.has(row) || listed.has(row)],
		[(w) => bitmap.clearRows(w, list, from, to), (row) => rows.has(row) && !listed.has(row)],
		[
			(w) => bitmap.setCommonRows(w, wordsOf(source), list, from, to),
			(row) => rows.has(row) || (listed.has(row) && source.has(row)),
		],
	];
	for (const [change, has] of cases) {
		const words = wordsOf(rows);
		change(words);
		assert.deepEqual(rowsOf(words), all.filter(has), String(change));
		for (const row of [0, 31, 32, ROWS - 1]) assert.equal(bitmap.hasRow(words, row), has(row));
	}
});

test("a range that ends before it begins, as corrupt offsets may say, sets no rows", () => {
	const words = new Uint32Array(WORDS);
	bitmap.setRows(words, Uint32Array.of(5, 6, 7, 8, 9), 4, 1);
	assert.deepEqual(rowsOf(words), []);
});

/** An order of the rows, or null for that of the rows themselves. */
function someOrder(draw: Draw): Uint32Array | null {
	if (draw.oneIn(3)) return null;
	const left = Array.from({ length: ROWS }, (_, row) => row);
	for (let i = left.length - 1; i > 0; i--) {
		const other = draw.below(i + 1);
		[left[i], left[other]] = [left[other], left[i]];
	}
	return Uint32Array.from(left);
}

often("matches along an order are found, skipped, counted, listed and taken, up and down", 150, (draw) => {
	const rows = someRows(draw);
	const words = wordsOf(rows);
	const order = someOrder(draw);
	const [from, to] = someRange(draw, ROWS);
	const rowAt = (position: number) => (order === null ? position : order[position]);
	const positions = Array.from({ length: to - from }, (_, i) => from + i);
	const matches = positions.filter((position) => rows.has(rowAt(position)));
	assert.equal(probe.countMatches(order, words, from, to), matches.length);
	const out = new Uint32Array(ROWS + 1);
	const end = probe.listMatches(order, words, from, to, out, 0);
	assert.deepEqual([...out.subarray(0, end)], matches.map(rowAt));
	// Often past the last match: rows of the last word outside of the range must not count as skipped.
	const skip = draw.oneIn(3) ? matches.length + draw.below(40) : draw.below(matches.length + 3);
	const limit = 1 + draw.below(50);
	for (const isDown of [false, true]) {
		const along = isDown ? matches.toReversed() : matches;
		const cursor = { skip };
		const found = (isDown ? probe.seekDown : probe.seekUp)(order, words, from, to, cursor);
		assert.equal(found, along[skip] ?? (isDown ? from - 1 : to));
		assert.equal(cursor.skip, Math.max(0, skip - along.length));
		const page = { skip, taken: 2, end: 2 + limit, out };
		const taken = along.slice(skip, skip + limit).map(rowAt);
		if (order === null) (isDown ? bitmap.takeRowsDown : bitmap.takeRowsUp)(words, from, to, page);
		else probe.takeMatches(order, words, { from, to }, isDown, page);
		assert.equal(page.taken, 2 + taken.length);
		assert.deepEqual([...out.subarray(2, page.taken)], taken);
	}
});

often("a bitmap's rows are listed, kept and sampled", 100, (draw) => {
	const rows = someRows(draw);
	const words = wordsOf(rows);
	const [from, to] = someRange(draw, WORDS);
	const within = [...rows].filter((row) => row >>> 5 >= from && row >>> 5 < to);
	const out = new Uint32Array(ROWS + 8);
	const end = listRows(words, from, to, within.length, out, 3);
	assert.deepEqual([...out.subarray(3, end)], within);
	const [first, last] = someRange(draw, ROWS);
	const listed = listRun(words, first, last, out, 3);
	const ofRun = [...rows].filter((row) => row >= first && row < last);
	assert.deepEqual([...out.subarray(3, listed)], ofRun);
	const step = 1 + draw.below(9);
	const sampled = sampleRows(words, from, to, step, out);
	assert.deepEqual(
		[...out.subarray(0, sampled)],
		within.filter((row) => ((row >>> 5) - from) % step === 0),
	);
	for (const bit of [0, 1] as const) {
		const list = Uint32Array.from(someRows(draw));
		const expected = [...list].filter((row) => rows.has(row) === (bit === 1));
		const kept = probe.keepBits(list, list.length, words, bit);
		assert.deepEqual([...list.subarray(0, kept)], expected);
	}
});

often("rows are kept by their codes, and found by binary search", 100, (draw) => {
	const distinct = 1 + draw.below(60);
	const codes = Uint16Array.from({ length: ROWS }, () => draw.below(distinct + 1));
	const [from, to] = someRange(draw, distinct);
	const bounds = [...new Set(Array.from({ length: 6 }, () => draw.below(distinct)))].sort((a, b) => a - b);
	const ranges = bounds.flatMap((bound, i) => (i % 2 === 1 ? [{ from: bounds[i - 1], to: bound }] : []));
	const set = new Uint32Array(2);
	for (const { from: first, to: end } of ranges) bitmap.fillRun(set, first, end);
	const isInSet = (code: number) => ranges.some((range) => code >= range.from && code < range.to);
	const rows = [...someRows(draw)];
	const cases: [(list: Uint32Array) => number, (code: number) => boolean][] = [
		[(list) => byCode.keepCodes(list, list.length, codes, { from, to }), (code) => code >= from && code < to],
		[(list) => byCode.keepCodeSet(list, list.length, codes, set), isInSet],
	];
	for (const [keep, holds] of cases) {
		const list = Uint32Array.from(rows);
		const kept = keep(list);
		assert.deepEqual(
			[...list.subarray(0, kept)],
			rows.filter((row) => holds(codes[row])),
			String(keep),
		);
	}
	const run = { from: draw.below(100), to: 100 + draw.below(ROWS - 100) };
	const out = new Uint32Array(ROWS + 1);
	const end = byCode.scanCodes(codes, run, { from, to }, out, 1);
	const scanned = Array.from({ length: run.to - run.from }, (_, i) => run.from + i);
	assert.deepEqual(
		[...out.subarray(1, end)],
		scanned.filter((row) => codes[row] >= from && codes[row] < to),
	);
	const inSet = byCode.scanCodeSet(codes, run, set, out, 1);
	assert.deepEqual(
		[...out.subarray(1, inSet)],
		scanned.filter((row) => isInSet(codes[row])),
	);
	const ascending = codes.toSorted();
	const code = draw.below(distinct + 2);
	const expected = scanned.find((at) => ascending[at] >= code) ?? run.to;
	assert.equal(byCode.firstRowAtLeast(ascending, run.from, run.to, code), expected);
	const guess = draw.below(ROWS + 20) - 10;
	assert.equal(byCode.firstRowAtLeastNear(ascending, run.from, run.to, code, guess), expected);
	assert.equal(byCode.firstRowAtLeastNear(ascending, run.from, run.from, code, guess), run.from);
	assert.equal(byCode.firstIndexAtLeast(Uint32Array.from(ascending), run.from, run.to, code), expected);
	const down = Uint32Array.from({ length: ROWS }, (_, i) => ROWS - 1 - i);
	assert.equal(byCode.firstPositionAtLeast(down, ascending.toReversed(), run.from, run.to, code), expected);
});

often("rows are counted and partitioned by their buckets", 100, (draw) => {
	const buckets = Uint8Array.from({ length: ROWS }, () => draw.below(BYTE_VALUES));
	const list = Uint32Array.from(someRows(draw)).subarray(draw.below(5));
	const counts = new Uint32Array(BYTE_VALUES);
	countBuckets(list, buckets, counts);
	const expected = Array.from({ length: BYTE_VALUES }, () => 0);
	for (const row of list) expected[buckets[row]]++;
	assert.deepEqual([...counts], expected);
	const marks = Uint8Array.from({ length: BYTE_VALUES }, () => draw.pick([0, KEPT, ASIDE]));
	const marked = (mark: number) => [...list].filter((row) => marks[buckets[row]] === mark);
	const [out, aside] = [new Uint32Array(ROWS + 1), new Uint32Array(ROWS + 1)];
	const split = splitMarked(list, buckets, marks, out, aside);
	assert.deepEqual([...out.subarray(0, split.kept)], marked(KEPT));
	assert.deepEqual([...aside.subarray(0, split.aside)], marked(ASIDE));
	const only = marks.map((mark) => mark & KEPT);
	const kept = keepMarked(list, buckets, only, out);
	assert.deepEqual([...out.subarray(0, kept)], marked(KEPT));
});
