/** Whole numbers for people are written as `toLocaleString` writes them, without the cost of its first call. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { groupDigits } from "../../formats/group-digits.js";

test("digits are grouped as toLocaleString groups them", () => {
	fc.assert(
		fc.property(fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -2_000, max: 2_000 })), (value) => {
			assert.equal(groupDigits(value), value.toLocaleString("en-US"));
		}),
		{ examples: [[0], [999], [1_000], [-1_000]] },
	);
});
