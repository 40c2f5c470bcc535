/** Numbers of workbooks as spreadsheets display them: dates, and digits with zeros and signs between them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { numberStyle, readNumber } from "../../builder/input/workbook/number-style.js";

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

function reading(stored: string, format: string) {
	return readNumber(stored, numberStyle(164, format), false);
}

test("a format with conditions displays a number by the section whose condition it meets", () => {
	for (const [format, stored, text] of TEXTS)
		assert.deepEqual(reading(stored, format), { text, isBare: false }, `${stored} by ${format}`);
});

test("a format of very many sections is read as its first four", () => {
	const style = numberStyle(164, `[<1]00;[<2]000;[<3]0000;${"[<1]00000;".repeat(10_000)}`);
	assert.equal(readNumber("2", style, false).text, "0002");
	assert.equal(readNumber("7", style, false).text, "00007");
});

/** As spreadsheets display them. */
const SHOWN: readonly (readonly [format: string, stored: string, text: string])[] = [
	['"RE"000000', "1234", "RE001234"],
	['000000"-A"', "1234", "001234-A"],
	["_(00000_)", "1234", "01234"],
	["00000_ ", "1234", "01234"],
	["* 00000", "1234", "01234"],
	['_("RE"* 00000_);_(@_)', "1234", "RE01234"],
	["\\R\\E\\.00000", "1234", "RE.01234"],
	["[$RE-409]00000", "1234", "RE01234"],
	["000000\\.000", "1234", "000001.234"],
	['"L"#', "1234", "L1234"],
	['"L"#', "0", "L"],
	['"L"0', "0", "L0"],
	['"L"#00', "7", "L07"],
	['"L"##-0', "123", "L12-3"],
	['"No. "General', "12", "No. 12"],
	['"a;b"00', "7", "a;b07"],
	["000000;-000000;;@", "1234", "001234"],
	["000000;-000000;;@", "0", "0"],
	["00;-00;000", "0", "000"],
	['"100"00', "7", "10007"],
	// Read unformatted: the sheet shows the same digits.
	["0", "1234", "1234"],
	["(###) ###-####", "5551234567", "5551234567"],
	['"$"#,##0.00', "1234.5", "1234.5"],
	["0.00E+00", "1234", "1234"],
	["0.000%", "1234", "1234"],
	["@", "1234", "1234"],
	["General;[Red]-General", "1234", "1234"],
	["dd.mm.yyyy", "45000", "2023-03-15"],
	["m/d/yyyy h:mm:ss.000", "45000", "2023-03-15"],
	[";;;", "1234", "1234"],
];

/** What the sheet shows differently, by zeros, text or a time, and what is read. */
const BARE: readonly (readonly [format: string, stored: string, text: string])[] = [
	["00000.00", "1234", "1234"],
	["0,000", "12", "12"],
	["00000", "-5", "-5"],
	["00000", "12.5", "12.5"],
	['"RE"#,##0', "1234", "1234"],
	['"RE"@', "1234", "1234"],
	['"none"', "1234", "1234"],
	["h:mm", "0.5", "0.5"],
	["[h]:mm", "0.5", "0.5"],
	["mmmm", "45000", "45000"],
	["yyyy-mm-dd", "-1", "-1"],
	["0".repeat(31), "1", "1"],
];

test("zeros and literal text of a format are part of the number, without its padding", () => {
	for (const [format, stored, text] of SHOWN)
		assert.deepEqual(reading(stored, format), { text, isBare: false }, `${stored} by ${format}`);
});

test("numbers whose format shows what is not reproduced are read bare, which is told", () => {
	for (const [format, stored, text] of BARE)
		assert.deepEqual(reading(stored, format), { text, isBare: true }, `${stored} by ${format}`);
});

test("a number of more than 15 digits is written with zeros for those that a spreadsheet does not keep", () => {
	for (const [stored, text] of [
		["1.234567890123457e+19", "12345678901234600000"],
		["-1.234567890123457E+19", "-12345678901234600000"],
		["123456789012345.6", "123456789012346"],
		["9.99999999999999999E+17", "1000000000000000000"],
		["1E+20", "100000000000000000000"],
		["1E+21", "1e+21"],
		["12345.000000000002", "12345"],
		["12.5", "12.5"],
		["1E-7", "1e-7"],
	])
		assert.equal(reading(stored, "General").text, text, stored);
});

test("formats that every workbook has by number are dates where they show a day", () => {
	const dates = Array.from({ length: 70 }, (_, format) => format).filter(
		(format) => readNumber("45000", numberStyle(format, null), false).text === "2023-03-15",
	);
	assert.deepEqual(dates, [
		...[14, 15, 16, 17, 22],
		...[27, 28, 29, 30, 31, 32, 33, 34, 35, 36],
		...[50, 51, 52, 53, 54, 55, 56, 57, 58],
	]);
});

test("a time of a format that every workbook has is not reproduced, as one of a format of its own", () => {
	for (const format of [18, 19, 20, 21, 45, 46, 47])
		assert.deepEqual(readNumber("0.5", numberStyle(format, null), false), { text: "0.5", isBare: true });
	for (const format of [0, 1, 2, 49])
		assert.equal(readNumber("0.5", numberStyle(format, null), false).isBare, false, `${format}`);
	assert.equal(readNumber("0.5", numberStyle(164, "h:mm"), false).isBare, true);
});
