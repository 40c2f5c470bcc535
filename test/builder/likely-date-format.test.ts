/** Which date format texts are probably written by, as messages suggest it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { remediedRejects } from "../../builder/gates/reject-remedies.js";
import { likelyDateFormats } from "../../builder/input/likely-date-format.js";

test("a format is suggested that reads every text, or two where both days are possible", () => {
	const guesses: readonly (readonly [texts: readonly string[], formats: readonly string[]])[] = [
		[["1/2/2027", "12/31/2026"], ["M/D/YYYY"]],
		[["31/12/2026"], ["D/M/YYYY"]],
		[["1/2/2027"], ["M/D/YYYY", "D/M/YYYY"]],
		[["01-JAN-27"], ["D-MMM-YY from 1950"]],
		[["20270131"], ["YYYYMMDD"]],
		[["1/31/2027 12:00:00 AM"], ["M/D/YYYY h:mm:ss AM"]],
		[["Jan  2 2027 12:00AM", "DEC 31 2026  1:30PM"], ["MMM D YYYY h:mmAM"]],
		[["3 d\u00e9cembre 2026"], ["D MMMM YYYY"]],
		[["Friday, January 1, 2027"], ["dddd, MMMM D, YYYY"]],
		[["ven. 1 janv. 2027", "Sat 2 Jan 2027"], ["ddd D MMM YYYY"]],
		[["Fri, 01 Jan 2027 00:00:00 GMT"], ["ddd, D MMM YYYY HH:mm:ss ZZZ"]],
		[["Fri Jan 01 00:00:00 EST 2027"], ["ddd MMM D HH:mm:ss ZZZ YYYY"]],
		[["45000", "46022.5"], ["excel"]],
		[["45000", "2958465"], ["excel"]],
		[["00000000", "20270131", "99999999"], ["YYYYMMDD"]],
		[["00/00/0000", "1/31/2027", "0"], ["M/D/YYYY"]],
		[["00000000"], []],
		[["12345"], []],
		[["1/31/2027", "soon"], []],
		[["2027-02-30"], []],
		[[], []],
	];
	for (const [texts, formats] of guesses)
		assert.deepEqual(likelyDateFormats(texts), formats, texts.join(", "));
	assert.deepEqual(likelyDateFormats(["44591"], "excel1904"), ["excel1904"]);
	assert.deepEqual(likelyDateFormats(["12345"], "excel1904"), []);
});

test("numbers of seconds or milliseconds since 1970 are named as such, since no format reads them", () => {
	const remedyOf = (...texts: string[]) => {
		const samples = texts.map((text, i) => ({
			...{ file: "a.csv", line: i + 2, column: "member_license_expires", reason: "unreadable_date" },
			...{ found: JSON.stringify(text), raw: text, dayNumbers: "excel" },
		}));
		const reasons = [{ reason: "unreadable_date", rows: texts.length, samples }] as never;
		return remediedRejects({ rows: texts.length, reasons }).reasons[0].remedy ?? "";
	};
	const isNamed = (...texts: string[]) => /since 1970, which no format reads/.test(remedyOf(...texts));
	assert.ok(isNamed("1798675200000", "2524608000000") && isNamed("1798675200"));
	for (const text of ["202701311200", "20270131120000", "5595550110", "20270131", "3000000000000"])
		assert.ok(!isNamed(text) && !isNamed("1798675200", text), text);
	assert.match(remedyOf("20270131"), /^set "dateFormat" .*"YYYYMMDD"/);
});
