/** Windows end on UTC minutes, days and months, leap years included, and are numbered without gaps. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
	DAY,
	dayOf,
	endOfWindow,
	MINUTE,
	MONTH,
	Moment,
	monthOf,
	secondsOfDayLeft,
	secondsOfMinuteLeft,
	startOfMonth,
	WINDOW_NAMES,
} from "../../server/limits/windows.js";

function endsAt(kind: number, nowMs: number): string {
	const moment = new Moment();
	moment.set(nowMs);
	return new Date(endOfWindow(kind, moment.index(kind))).toISOString();
}

test("each window ends with the minute, day and month of the moment", () => {
	const table: [now: string, minute: string, day: string, month: string][] = [
		["2026-11-21T10:20:30.400Z", "2026-11-21T10:21", "2026-11-22", "2026-12-01"],
		["2026-12-31T23:59:59.999Z", "2027-01-01T00:00", "2027-01-01", "2027-01-01"],
		["2027-01-01T00:00:00.000Z", "2027-01-01T00:01", "2027-01-02", "2027-02-01"],
		["2028-02-28T23:59:59.999Z", "2028-02-29T00:00", "2028-02-29", "2028-03-01"],
		["2028-02-29T12:00:00.000Z", "2028-02-29T12:01", "2028-03-01", "2028-03-01"],
		["2026-04-30T23:59:00.000Z", "2026-05-01T00:00", "2026-05-01", "2026-05-01"],
	];
	for (const [now, minute, day, month] of table) {
		const nowMs = Date.parse(now);
		assert.deepEqual(
			[endsAt(MINUTE, nowMs), endsAt(DAY, nowMs), endsAt(MONTH, nowMs)],
			[`${minute}:00.000Z`, `${day}T00:00:00.000Z`, `${month}T00:00:00.000Z`],
			now,
		);
	}
});

test("a moment is within its windows, independent of earlier calls", () => {
	const moment = new Moment();
	const instant = fc.integer({ min: 0, max: Date.UTC(2100, 0) });
	fc.assert(
		fc.property(instant, (nowMs) => {
			moment.set(nowMs);
			for (const kind of WINDOW_NAMES.keys()) {
				assert.ok(endOfWindow(kind, moment.index(kind)) > nowMs);
				assert.ok(endOfWindow(kind, moment.index(kind) - 1) <= nowMs);
			}
			assert.equal(moment.day, dayOf(nowMs));
			assert.equal(moment.month, monthOf(nowMs));
			assert.ok(startOfMonth(moment.month) <= nowMs);
		}),
	);
});

test("what is left of a minute and of a day is rounded up to whole seconds, so that a client that waits is not too early", () => {
	const table: [now: string, ofMinute: number, ofDay: number][] = [
		["2026-11-21T00:00:00.000Z", 60, 86_400],
		["2026-11-21T23:59:58.001Z", 2, 2],
		["2026-11-21T23:59:59.000Z", 1, 1],
		["2026-11-21T23:59:59.999Z", 1, 1],
	];
	for (const [now, ofMinute, ofDay] of table) {
		const nowMs = Date.parse(now);
		assert.deepEqual([secondsOfMinuteLeft(nowMs), secondsOfDayLeft(nowMs)], [ofMinute, ofDay], now);
	}
});
