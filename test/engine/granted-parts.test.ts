/** Parts of what tells the values within a grant: the words of many states, sets that are evicted, and corrupt offsets. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { countWithin } from "../../engine/columns/runs.js";
import { OBJECT_BYTES, SetCache } from "../../engine/columns/set-cache.js";
import { WordStates } from "../../engine/columns/word-states.js";
import { Draw } from "../oracle/draw.js";
import { SEED, tellSeed } from "../oracle/seeded.js";

test("words are found in the rows of some of many states", (t) => {
	tellSeed(t, 200);
	for (let run = 0; run < 200; run++) {
		const draw = new Draw(SEED, 1000 + run);
		const states = Array.from({ length: draw.pick([1, 31, 32, 33, 70]) }, (_, i) => {
			return { state: `S${i}`, country: "US" as const, first: 10 * i, rows: 10 };
		});
		const all = Array.from({ length: 10 * states.length }, (_, row) => row);
		const words = [2, 30, 30, 300, 300, 300].map((oneIn) => all.filter(() => draw.oneIn(oneIn)));
		const ends = words.map((_, i) => words.slice(0, i + 1).reduce((sum, rows) => sum + rows.length, 0));
		const index = {
			count: words.length,
			postings: Uint32Array.from(words.flat()),
			postingOffsets: Uint32Array.from([0, ...ends]),
		};
		const wordStates = new WordStates(index, states);
		for (let i = 0; i < 5; i++) {
			const oneIn = draw.pick([4, 40]);
			const numbers = states.flatMap((_, number) => (draw.oneIn(oneIn) ? [number] : []));
			const mask = wordStates.maskOf(numbers);
			const isGranted = (row: number) => numbers.includes(Math.floor(row / 10));
			words.forEach((rows, word) => {
				assert.equal(wordStates.isIn(word, mask), rows.some(isGranted), `run ${run} word ${word}`);
			});
		}
	}
});

test("the oldest sets are evicted when all take more than their bound", () => {
	const kept = new SetCache(2 * (40 + OBJECT_BYTES) + 20);
	const holder: (string | undefined)[] = [];
	for (let i = 0; i < 5; i++) assert.equal(kept.keep(holder, i, `set ${i}`, 40), `set ${i}`);
	assert.deepEqual(holder, [undefined, undefined, undefined, "set 3", "set 4"]);
	kept.keep(holder, 5, "larger than the bound", 4000);
	assert.deepEqual(holder.slice(3), [undefined, undefined, "larger than the bound"]);
});

test("rows between corrupt offsets are counted within bounds", () => {
	// A search without bounds never ends for some of these: in the engine that is a thread which answers no more.
	const rows = Uint32Array.from({ length: 100 }, (_, row) => row);
	const reads = new Proxy(rows, {
		get(target, key) {
			const at = Number(key);
			assert.ok(key === "length" || at < target.length, `reads ${String(key)}`);
			return Reflect.get(target, key, target);
		},
	});
	const runs = [
		{ from: 10, to: 20 },
		{ from: 50, to: 60 },
	];
	const offsets = [0, 1, 2, 99, 100, 101, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1];
	for (const from of offsets)
		for (const to of offsets) {
			const [first, end] = [Math.min(from, to, 100), Math.min(to, 100)];
			const expected = rows
				.subarray(first, end)
				.filter((row) => runs.some((run) => row >= run.from && row < run.to));
			assert.equal(countWithin(runs, reads, from, to), expected.length, `${from} to ${to}`);
		}
});
