/** Row ids identify one month and one row, over the whole range of months and rows. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
	isCalendarMonth,
	isIsoDate,
	isMonth,
	lastDayOfMonth,
	MAX_ROWS,
	monthNumber,
	monthOfNumber,
	rowId,
	splitRowId,
} from "../../formats/index.js";
import { checkProperty } from "../oracle/seeded.js";

const LAST_MONTH = monthNumber("9999-12");
const anyMonth = fc.integer({ min: 0, max: LAST_MONTH });

test("known ids and months", () => {
	assert.equal(monthNumber("2000-01"), 0);
	assert.equal(monthNumber("2026-11"), 322);
	assert.equal(monthOfNumber(322), "2026-11");
	assert.equal(rowId(322, 0), 32_200_000_001);
	assert.deepEqual(splitRowId(32_200_000_001), { monthNumber: 322, row: 0 });
	assert.equal(splitRowId(32_200_000_000).row, -1);
	assert.ok(Number.isSafeInteger(rowId(LAST_MONTH, MAX_ROWS - 1)));
});

test("an id splits into its month and row", (t) => {
	checkProperty(
		t,
		2000,
		fc.property(anyMonth, fc.integer({ min: 0, max: MAX_ROWS - 1 }), (month, row) => {
			assert.deepEqual(splitRowId(rowId(month, row)), { monthNumber: month, row });
		}),
	);
});

test("ids grow with month, then row", (t) => {
	checkProperty(
		t,
		2000,
		fc.property(anyMonth, anyMonth, fc.nat(MAX_ROWS - 1), fc.nat(MAX_ROWS - 1), (m, n, r, s) => {
			const expected = m === n ? Math.sign(r - s) : Math.sign(m - n);
			assert.equal(Math.sign(rowId(m, r) - rowId(n, s)), expected);
		}),
	);
});

test("months and their numbers are one-to-one", (t) => {
	checkProperty(
		t,
		2000,
		fc.property(anyMonth, (number) => {
			const month = monthOfNumber(number);
			assert.ok(isMonth(month));
			assert.equal(monthNumber(month), number);
			assert.ok(isIsoDate(lastDayOfMonth(month)));
		}),
	);
});

test("the last day of a month is the day before the next month's first", () => {
	assert.equal(lastDayOfMonth("2026-11"), "2026-11-30");
	assert.equal(lastDayOfMonth("2024-02"), "2024-02-29");
	assert.equal(lastDayOfMonth("2100-02"), "2100-02-28");
	assert.equal(lastDayOfMonth("2026-12"), "2026-12-31");
});

test("a month before 2000-01 is one of the calendar, and its number says how long before", () => {
	for (const [month, number] of [
		["1999-12", -1],
		["1999-01", -12],
		["0000-01", -24_000],
	] as const) {
		assert.equal(isCalendarMonth(month), true);
		assert.equal(isMonth(month), false);
		assert.equal(monthNumber(month), number);
	}
	for (const text of ["2026-13", "1999-00", "1999-1", " 1999-12", "latest"])
		assert.equal(isCalendarMonth(text), false, text);
});

test("anything but a month from 2000-01 on is refused", () => {
	for (const refused of [
		"1999-12",
		"2026-00",
		"2026-13",
		"2026-1",
		"26-01",
		"2026-11-01",
		"",
		"10000-01",
		" 2026-11",
	]) {
		assert.equal(isMonth(refused), false, refused);
	}
});
