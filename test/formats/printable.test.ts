/** Text from untrusted sources, as it is shown to an operator. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { printable } from "../../formats/printable.js";

test("text is shown in one line, without terminal control sequences", () => {
	assert.equal(printable("a \r\n b\u001b[31m\u202ec"), "a b\\u001b[31m\\u202ec");
	assert.equal(printable("Ünïcödé 東"), "Ünïcödé 東");
});

test("long text is truncated, including its escapes", () => {
	assert.equal(printable("a".repeat(4_000)), "a".repeat(4_000));
	for (const character of ["a", "\u001b", "\n", "東"]) {
		const shown = printable(character.repeat(100_000));
		assert.ok(shown.length <= 4_001, `${shown.length} characters`);
		assert.ok(shown.endsWith("…"));
	}
});
