/** Codes are counted and taken as by a map and a sort, also after a count that was not taken. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ValueCounts } from "../../engine/aggregate/value-counts.js";
import { checkProperty } from "../oracle/seeded.js";

function naiveCounts(codes: readonly number[], most: number): number[] {
	const counts = new Map<number, number>();
	for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
	return [...counts]
		.sort(([codeA, countA], [codeB, countB]) => countB - countA || codeA - codeB)
		.slice(0, most)
		.map(([code]) => code);
}

test("the most frequent codes of each count are taken, whether or not the one before it was", (t) => {
	const count = fc.record({
		codes: fc.array(fc.nat(9), { maxLength: 40 }),
		distinct: fc.integer({ min: 10, max: 30 }),
		most: fc.integer({ min: 1, max: 12 }),
		isTaken: fc.boolean(),
	});
	checkProperty(
		t,
		500,
		fc.property(fc.array(count, { maxLength: 4 }), (counts) => {
			const counted = new ValueCounts();
			for (const { codes, distinct, most, isTaken } of counts) {
				counted.begin(distinct);
				for (const code of codes) counted.add(code);
				if (isTaken) assert.deepEqual(counted.take(most), naiveCounts(codes, most));
			}
		}),
	);
});
