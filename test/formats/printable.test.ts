/** Text from untrusted sources, as it is shown to an operator. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { printable } from "../../formats/printable.js";

test("text is shown in one line, without terminal control sequences", () => {
	assert.equal(printable("a \r\n b\u001b[31m\u202ec"), "a b\\u001b[31m\\u202ec");
	assert.equal(printable("Ünïcödé 東"), "Ünïcödé 東");
	for (const code of [0x00, 0x1f, 0x7f, 0x9f, 0x202a, 0x202e, 0x2066, 0x2069])
		assert.equal(printable(String.fromCharCode(code)), `\\u${code.toString(16).padStart(4, "0")}`);
});

test("long text is truncated, including its escapes", () => {
	assert.equal(printable("a".repeat(4_000)), "a".repeat(4_000));
	for (const character of ["a", "\u001b", "\n", "東"]) {
		const shown = printable(character.repeat(100_000));
		assert.ok(shown.length <= 4_001, `${shown.length} characters`);
		assert.ok(shown.endsWith("…"));
	}
});
