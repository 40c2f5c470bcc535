/** Kernels over sort keys do what JavaScript's own sorting and filtering do. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ascends, countBelow, pickWithin } from "../../engine/kernels/keys.js";
import { sortedIndexes, sortKeys } from "../../engine/kernels/sort.js";
import { SORTED_KEYS_MAX } from "../../engine/tuning.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";

/** Two of the keys' values, the lower first. */
function someRange(draw: Draw, end: number): [number, number] {
	const [one, other] = [draw.below(end + 1), draw.below(end + 1)];
	return one < other ? [one, other] : [other, one];
}

test("keys are sorted, compared and picked", (t) => {
	const runs = fuzzRuns(200);
	tellSeed(t, runs);
	for (let run = 0; run < runs; run++) check(new Draw(SEED, run));
});

function check(draw: Draw): void {
	const length = draw.pick([0, 1, 2, 300, SORTED_KEYS_MAX]);
	const base = draw.pick([0, 1000, 0xffff0000]);
	const width = draw.pick([1, 200, 300, 0xffff]);
	const keys = Uint32Array.from({ length }, () => base + draw.below(width));
	const list = Uint32Array.from({ length }, (_, i) => 7 * i);
	const sorted = keys.slice();
	sortKeys(sorted);
	assert.deepEqual(
		[...sorted],
		[...keys].sort((a, b) => a - b),
	);
	if (length > 0) {
		const indexes = sortedIndexes(keys, Math.min(...keys), Math.max(...keys)).slice(0, length);
		const stable = [...keys.keys()].sort((a, b) => keys[a] - keys[b] || a - b);
		assert.deepEqual([...indexes], stable);
	}
	assert.equal(ascends(sorted), true);
	assert.equal(
		ascends(keys),
		keys.every((key, i) => i === 0 || key >= keys[i - 1]),
	);
	const [low, high] = someRange(draw, width).map((each) => base + each);
	assert.equal(countBelow(keys, low), [...keys].filter((key) => key < low).length);
	const out = new Uint32Array(length + 1);
	const picked = pickWithin(list, keys, low, high, out);
	assert.deepEqual(
		[...out.subarray(0, picked)],
		[...list].filter((_, i) => keys[i] >= low && keys[i] < high),
	);
}
