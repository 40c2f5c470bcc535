/** Calendar dates as text and as day numbers agree with ECMAScript's Date. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { daysOfIsoDate, isCalendarDate, isIsoDate, isoDateOfDays } from "../../formats/index.js";
import { checkProperty } from "../oracle/seeded.js";

const DAYS_MIN = daysOfIsoDate("0001-01-01");
const DAYS_MAX = daysOfIsoDate("9999-12-31");

test("days and ISO dates of years 1 to 9999 are one-to-one and in the same order", (t) => {
	checkProperty(
		t,
		3000,
		fc.property(fc.integer({ min: DAYS_MIN, max: DAYS_MAX - 1 }), (days) => {
			const date = isoDateOfDays(days);
			assert.ok(isIsoDate(date));
			assert.equal(daysOfIsoDate(date), days);
			assert.ok(isoDateOfDays(days + 1) > date);
		}),
	);
});

test("a date is accepted where the calendar has that day", (t) => {
	const field = (max: number) => fc.integer({ min: -1, max });
	checkProperty(
		t,
		3000,
		fc.property(field(10_001), field(14), field(33), (year, month, day) => {
			const date = new Date(0);
			date.setUTCFullYear(year, month - 1, day);
			const exists =
				year >= 1 &&
				year <= 9999 &&
				date.getUTCFullYear() === year &&
				date.getUTCMonth() === month - 1 &&
				date.getUTCDate() === day;
			assert.equal(isCalendarDate(year, month, day), exists);
		}),
	);
});

test("known dates", () => {
	assert.equal(daysOfIsoDate("1970-01-01"), 0);
	assert.equal(daysOfIsoDate("2000-03-01") - daysOfIsoDate("2000-02-28"), 2);
	assert.equal(daysOfIsoDate("1900-03-01") - daysOfIsoDate("1900-02-28"), 1);
	assert.equal(isoDateOfDays(-1), "1969-12-31");
	for (const accepted of ["2024-02-29", "0001-01-01", "9999-12-31"]) assert.ok(isIsoDate(accepted), accepted);
	for (const refused of [
		"2023-02-29",
		"1900-02-29",
		"0000-01-01",
		"2024-13-01",
		"2024-00-10",
		"2024-1-1",
		"24-01-01",
		"2024-01-01 ",
		"2024-01-01T00:00:00Z",
		"2024/01/01",
		"+2024-01-01",
		"\u0662\u0660\u0662\u0664-01-01",
		"",
	]) {
		assert.equal(isIsoDate(refused), false, refused);
	}
});

test("of the years of centuries only every fourth is a leap year", () => {
	for (const [year, isLeap] of [
		[1600, true],
		[1700, false],
		[1800, false],
		[1900, false],
		[2000, true],
		[2100, false],
		[2200, false],
		[2024, true],
		[2026, false],
	] as const)
		assert.equal(isCalendarDate(year, 2, 29), isLeap, String(year));
});
