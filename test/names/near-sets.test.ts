/** The search for near letter sets finds those that counting letters one by one finds, by the module and by the loop. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { nearInLoop, nearSets } from "../../engine/kernels/near-sets.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";

const BITS = 32;
/** More than the module takes at a time. */
const SETS = 20_000;

/** `set` with some of its bits changed, most often few. */
function changed(set: number, draw: Draw): number {
	let other = set;
	for (let changes = draw.below(draw.oneIn(4) ? BITS : 5); changes > 0; changes--)
		other ^= 1 << draw.below(BITS);
	return other >>> 0;
}

/** Bits of `a` that `b` lacks. */
function lacking(a: number, b: number): number {
	let count = 0;
	for (let bit = 0; bit < BITS; bit++) if (((a >>> bit) & 1) === 1 && ((b >>> bit) & 1) === 0) count++;
	return count;
}

test("near letter sets are found wherever they are", (t) => {
	assert.notEqual(nearSets, nearInLoop, "the module runs here");
	const count = fuzzRuns(40);
	tellSeed(t, count);
	for (let run = 0; run < count; run++) {
		const draw = new Draw(SEED, run);
		const set = changed(0, draw);
		const length = draw.oneIn(3) ? draw.below(12) : draw.below(SETS);
		const sets = Uint32Array.from({ length }, () => changed(set, draw));
		const most = 1 + draw.below(2);
		const from = draw.below(Math.min(length, 9) + 1);
		const to = Math.max(from, length - draw.below(9));
		const expected: number[] = [];
		for (let i = from; i < to; i++)
			if (lacking(set, sets[i]) <= most && lacking(sets[i], set) <= most) expected.push(i);
		for (const find of [nearSets, nearInLoop]) {
			const out = new Uint32Array(to - from);
			assert.deepEqual([...out.subarray(0, find(set, most, sets, { from, to }, out))], expected);
		}
	}
});
