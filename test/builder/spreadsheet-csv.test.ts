/** Cells that people open in spreadsheets are quoted where they must be, and are never formulas. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { spreadsheetCell } from "../../builder/spreadsheet-csv.js";

test("a cell is quoted for a comma, a quote, and either line end, and guarded where it begins like a formula", () => {
	for (const [text, cell] of [
		["plain", "plain"],
		["", ""],
		["a,b", '"a,b"'],
		['say "so"', '"say ""so"""'],
		["a\rb", '"a\rb"'],
		["a\nb", '"a\nb"'],
		["=1+2", "'=1+2"],
		["+1", "'+1"],
		["-1", "'-1"],
		["@x", "'@x"],
		["1=2", "1=2"],
		["=a,b", '"\'=a,b"'],
	])
		assert.equal(spreadsheetCell(text), cell);
});
