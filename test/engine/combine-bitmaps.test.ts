/** Kernels that combine bitmaps do in WebAssembly memory what a loop over single words does. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as combine from "../../engine/kernels/combine-bitmaps.js";
import { BitmapMemory } from "../../engine/kernels/simd.js";
import { SIMD_WORDS_MIN, STAGED_WORDS } from "../../engine/tuning.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";

/** Half of them a few words long, at any place. */
function someRange(draw: Draw, end: number): [number, number] {
	const from = draw.below(end + 1);
	return [from, from + draw.below((draw.oneIn(2) ? Math.min(70, end - from) : end - from) + 1)];
}

/** Runs `check` with draws of their own. */
function often(name: string, runs: number, check: (draw: Draw) => void): void {
	test(name, (t) => {
		const count = fuzzRuns(runs);
		tellSeed(t, count);
		for (let run = 0; run < count; run++) check(new Draw(SEED, run));
	});
}

often("long bitmaps are combined by WebAssembly as by a loop, wherever they are", 40, (draw) => {
	const words = draw.pick([SIMD_WORDS_MIN, 2 * STAGED_WORDS + 3 * SIMD_WORDS_MIN]) + draw.below(4);
	const memory = BitmapMemory.allocate(words, 4);
	if (memory === null) return;
	const filled = (inMemory: boolean) => {
		const bits = (inMemory ? memory.take() : null) ?? new Uint32Array(words);
		for (let i = 0; i < words; i++) bits[i] = draw.next();
		return bits;
	};
	const [target, a, b, c] = [
		filled(true),
		filled(draw.oneIn(2)),
		filled(draw.oneIn(2)),
		filled(draw.oneIn(2)),
	];
	const before = target.slice();
	const [from, to] = someRange(draw, words);
	const cases: [() => void, (i: number) => number][] = [
		[() => combine.storeAnd(target, a, b, from, to), (i) => a[i] & b[i]],
		[() => combine.storeAnd(target, target, b, from, to), (i) => before[i] & b[i]],
		[() => combine.storeDifference(target, a, b, from, to), (i) => a[i] & ~b[i]],
		[() => combine.storeDifference(target, a, target, from, to), (i) => a[i] & ~before[i]],
		[() => combine.storeAndNot(target, a, b, c, from, to), (i) => a[i] & b[i] & ~c[i]],
		[() => combine.storeAndNot(target, target, b, c, from, to), (i) => before[i] & b[i] & ~c[i]],
		[() => combine.storeAndOr(target, a, b, from, to), (i) => before[i] | (a[i] & b[i])],
		[() => combine.storeDifferenceOr(target, a, b, from, to), (i) => before[i] | (a[i] & ~b[i])],
		[() => combine.orAll(target, [a, b, c], from, to), (i) => before[i] | a[i] | b[i] | c[i]],
	];
	for (const [store, expected] of cases) {
		target.set(before);
		store();
		const loop = before.map((word, i) => (i >= from && i < to ? expected(i) : word));
		assert.ok(
			Buffer.compare(Buffer.from(target.slice().buffer), Buffer.from(loop.buffer)) === 0,
			String(store),
		);
	}
});

often(
	"a range of words is trimmed to those with a set bit, in WebAssembly memory as in any other",
	100,
	(draw) => {
		const words = 3 * SIMD_WORDS_MIN;
		const elsewhere = new Uint32Array(words);
		for (let i = draw.below(4); i > 0; i--) elsewhere[draw.below(words)] = 1 + draw.below(1000);
		const here = BitmapMemory.allocate(words, 1)?.take() ?? new Uint32Array(words);
		here.set(elsewhere);
		const [from, to] = someRange(draw, words);
		const set = Array.from({ length: to - from }, (_, i) => from + i).filter((i) => elsewhere[i] !== 0);
		for (const bits of [elsewhere, here]) {
			const trimmed = combine.trimmedRange(bits, from, to);
			if (set.length === 0) assert.equal(trimmed.from, trimmed.to);
			else assert.deepEqual(trimmed, { from: set[0], to: set[set.length - 1] + 1 });
		}
	},
);
