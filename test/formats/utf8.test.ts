/** UTF-8 in a reused buffer: the bytes are those of a new encoder, whatever was encoded before. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Utf8Text } from "../../formats/utf8.js";
import { checkProperty } from "../oracle/seeded.js";

test("texts of any length are encoded as TextEncoder does", (t) => {
	const utf8 = new Utf8Text();
	const units = fc.string({
		unit: fc.constantFrom("a", "Z", "é", "中", "😀", "\ud800", "\udc00"),
		maxLength: 90,
	});
	const text = fc.oneof(
		units,
		units.map((some) => some.repeat(60)),
	);
	checkProperty(
		t,
		2000,
		fc.property(text, (each) => {
			assert.deepEqual([...utf8.encode(each)], [...new TextEncoder().encode(each)]);
		}),
	);
});
