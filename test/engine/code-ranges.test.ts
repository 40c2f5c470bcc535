/** Sets of codes as ranges: what set operations give, in their one form of ascending, separate, nonempty ranges. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type CodeSet, complementOf, intersectionOf, unionOf } from "../../engine/plan/code-ranges.js";
import { checkProperty } from "../oracle/seeded.js";

const END = 24;

/** The one form of a set of codes below {@link END}. */
function rangesOf(holds: (code: number) => boolean): CodeSet {
	const ranges: { from: number; to: number }[] = [];
	for (let code = 0; code < END; code++) {
		if (!holds(code)) continue;
		const last = ranges.at(-1);
		if (last?.to === code) last.to++;
		else ranges.push({ from: code, to: code + 1 });
	}
	return ranges;
}

const codes = fc.uniqueArray(fc.integer({ min: 0, max: END - 1 })).map((list) => new Set(list));
const ranges = fc.array(fc.tuple(fc.nat(END), fc.nat(END)).map(([from, to]) => ({ from, to })));

test("intersections and complements are those of sets of numbers", (t) => {
	checkProperty(
		t,
		500,
		fc.property(codes, codes, (a, b) => {
			const [setA, setB] = [a, b].map((set) => rangesOf((code) => set.has(code)));
			assert.deepEqual(
				intersectionOf(setA, setB),
				rangesOf((code) => a.has(code) && b.has(code)),
			);
			assert.deepEqual(
				complementOf(setA, END),
				rangesOf((code) => !a.has(code)),
			);
		}),
	);
});

test("the union of ranges in any order, some of them empty, is that of their numbers", (t) => {
	checkProperty(
		t,
		500,
		fc.property(ranges, (list) => {
			const expected = rangesOf((code) => list.some(({ from, to }) => from <= code && code < to));
			assert.deepEqual(unionOf(list), expected);
		}),
	);
});
