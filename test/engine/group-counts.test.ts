/** Counters are counted and listed as a look at each of them does, with and without stored counts added. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { GroupCounters } from "../../engine/aggregate/group-rows.js";
import { byRows, TopGroups } from "../../engine/aggregate/top-groups.js";
import {
	COUNTERS_MAX,
	counterAt,
	countersAtLeast,
	listCounters,
	readCounters,
} from "../../engine/kernels/group-counts.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";

/** Counters of which few are large, and stored counts of which they take some away. */
function drawCounters(draw: Draw, groups: number): GroupCounters & { rows: number[] } {
	const rows = Array.from({ length: groups }, () =>
		draw.oneIn(3) ? 0 : draw.below(draw.oneIn(20) ? 5000 : 5),
	);
	if (draw.oneIn(2)) return { counts: Uint32Array.from(rows), stored: null, pairs: null, rows };
	const taken = rows.map(() => draw.below(10));
	const stored = new Uint32Array(groups + 1);
	stored[0] = draw.below(100);
	for (let i = 0; i < groups; i++) stored[i + 1] = stored[i] + rows[i] + taken[i];
	return { counts: Uint32Array.from(taken, (n) => -n), stored, pairs: null, rows };
}

test("counters read are counted and listed from any number on", (t) => {
	const runs = fuzzRuns(300);
	tellSeed(t, runs);
	const draw = new Draw(SEED);
	for (let run = 0; run < runs; run++) {
		const groups = draw.oneIn(8) ? COUNTERS_MAX : draw.below(40);
		const { counts, stored, rows } = drawCounters(draw, groups + 20);
		const from = draw.below(20);
		const part = rows.slice(from, from + groups);
		readCounters(counts, stored, from, from + groups);
		assert.deepEqual(
			part.map((_, i) => counterAt(i)),
			part,
		);
		for (const least of [1, 2, 3, 4, 5, 100, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]) {
			const expected = [...part.keys()].filter((i) => part[i] >= least);
			assert.equal(countersAtLeast(least), expected.length, `run ${run}: ${groups} from ${from}, ${least}`);
			assert.deepEqual([...listCounters(least)], expected);
		}
	}
});

test("the largest groups of many, those before a group left out, are those of a sort", (t) => {
	const runs = fuzzRuns(40);
	tellSeed(t, runs);
	const draw = new Draw(SEED);
	for (let run = 0; run < runs; run++) {
		const counters = drawCounters(draw, draw.below(3 * COUNTERS_MAX));
		const least = draw.pick([1, 2, 3, 50]);
		const most = draw.pick([1, 3, 20, 1000]);
		const large = counters.rows
			.map((rows, first) => ({ first, second: 0, rows }))
			.filter(({ rows }) => rows >= least)
			.sort(byRows);
		const after = large.length > 0 && draw.oneIn(2) ? draw.pick(large) : undefined;
		const later = after === undefined ? large : large.slice(large.indexOf(after) + 1);
		const top = new TopGroups(most, byRows, after);
		const context = `run ${run}: ${large.length} groups, ${later.length} of them, ${most} kept`;
		assert.equal(top.offerCounts(counters, least), large.length, context);
		assert.deepEqual(top.inOrder(), later.slice(0, most), context);
		assert.equal(top.hasMore, later.length > most, context);
	}
});

test("groups that come after all that are kept are known to be there, wherever reading of them ends", () => {
	const counts = Uint32Array.from({ length: 600 }, (_, i) => 1000 - i);
	for (let most = 1; most <= 700; most++) {
		const top = new TopGroups(most, byRows);
		assert.equal(top.offerCounts({ counts, stored: null, pairs: null }, 1), 600);
		assert.equal(top.hasMore, most < 600, `${most} kept`);
	}
});
