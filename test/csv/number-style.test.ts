/** Numbers of workbooks as spreadsheets display them: dates, and digits with zeros and signs between them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { numberStyle, numberText } from "../../builder/input/workbook/number-style.js";

/** Format, stored number, text. */
const TEXTS: readonly (readonly [format: string, stored: string, text: string])[] = [
	["00000", "2115", "02115"],
	["00000\\-0000", "21152952", "02115-2952"],
	["[<=99999]00000;00000\\-0000", "2115", "02115"],
	["[<=99999]00000;00000\\-0000", "21152952", "02115-2952"],
	["[<100000]00000;00000-0000", "99999", "99999"],
	["[<100000]00000;00000-0000", "100000", "00010-0000"],
	["[>99999]00000-0000;00000", "99999", "99999"],
	["[>=99999]00000-0000;00000", "99999", "00009-9999"],
	["[=0]00;[<10]000;0000", "0", "00"],
	["[=0]00;[<10]000;0000", "9", "009"],
	["[=0]00;[<10]000;0000", "10", "0010"],
	["[<>7]000;0000", "7", "0007"],
	["[<>7]000;0000", "8", "008"],
	["[<=99999]00000", "123456", "123456"],
	["[Red]00000;[Blue]0000000", "123", "00123"],
	["[$-409]mm/dd/yyyy;@", "45000", "2023-03-15"],
	["#,##0", "1234", "1234"],
];

test("a format with conditions displays a number by the section whose condition it meets", () => {
	for (const [format, stored, text] of TEXTS)
		assert.equal(numberText(stored, numberStyle(164, format), false), text, `${stored} by ${format}`);
});

test("a format of very many sections is read as its first four", () => {
	const style = numberStyle(164, `[<1]00;[<2]000;[<3]0000;${"[<1]00000;".repeat(10_000)}`);
	assert.equal(numberText("2", style, false), "0002");
	assert.equal(numberText("7", style, false), "00007");
});
