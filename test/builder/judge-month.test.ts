/** What each gate lets pass and what it stops, worst first, on figures of months made by hand. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_LIMITS, GATES, LIMIT_FLAGS, parseAccepted } from "../../builder/gates/gate.js";
import { judgeMonth, rewordedStates } from "../../builder/gates/judge-month.js";
import type { MonthProfile } from "../../builder/profile/month-profile.js";

const STATUSES = new Map([
	["Active", 6000],
	["Inactive", 4000],
]);

/** A month of CA with 10,000 rows and ON with 2,000. */
function profile(changes: Partial<MonthProfile> = {}): MonthProfile {
	return {
		month: "2026-10",
		rows: 12_000,
		states: [
			{ state: "ON", country: "CA", rows: 2000, matched_email: 0 },
			{ state: "CA", country: "US", rows: 10_000, matched_email: 7600 },
		],
		nulls: [
			{ column: "member_city", rows: 1200 },
			{ column: "matched_email", rows: 4400 },
		],
		nulls_by_state: new Map(),
		license_status: new Map([
			["CA", STATUSES],
			["ON", new Map([["Registered", 2000]])],
		]),
		member_type: new Map(),
		expiration: [],
		dates: [
			{ column: "member_license_issued", rows: 10_000, odd: 0, judged: 0, odd_samples: [], months: [] },
		],
		duplicates: 100,
		...changes,
	};
}

function ca(rows: number, matched = (7600 * rows) / 10_000): MonthProfile["states"] {
	return [profile().states[0], { state: "CA", country: "US", rows, matched_email: matched }];
}

function failedGates(changes: Partial<MonthProfile>, previous: MonthProfile | null = profile()): string[] {
	return judgeMonth(profile({ month: "2026-11", ...changes }), previous, DEFAULT_LIMITS).map(
		({ gate }) => gate,
	);
}

test("a month similar to the one before passes every gate, and so does a first month", () => {
	assert.deepEqual(failedGates({}), []);
	assert.deepEqual(failedGates({ rows: 50_000 }, null), []);
});

test("each gate passes its limit and fails beyond it", () => {
	const cases: [string, Partial<MonthProfile>, Partial<MonthProfile>][] = [
		["states", { states: ca(8000) }, { states: ca(7999) }],
		["states", { states: ca(12_000) }, { states: ca(12_001) }],
		["total", { rows: 11_400 }, { rows: 11_399 }],
		["total", { rows: 12_600 }, { rows: 12_601 }],
		[
			"nulls",
			{ nulls: [{ column: "member_city", rows: 2400 }] },
			{ nulls: [{ column: "member_city", rows: 2401 }] },
		],
		[
			"vocabulary",
			{ license_status: caStatus("Expired", 100) },
			{ license_status: caStatus("Expired", 101) },
		],
		["vocabulary", { member_type: caTypes(100) }, { member_type: caTypes(101) }],
		["matches", { states: ca(10_000, 7100) }, { states: ca(10_000, 7099) }],
		["duplicates", { duplicates: 2400 }, { duplicates: 2401 }],
		["dates", { dates: oddDates(100) }, { dates: oddDates(101) }],
	];
	for (const [gate, passes, fails] of cases) {
		assert.deepEqual(failedGates(passes), [], gate);
		assert.deepEqual(failedGates(fails), [gate]);
	}
});

test("rows of Canada, which have no matched e-mails, do not count for those of the US", () => {
	const states = [{ ...profile().states[0], rows: 20_000 }, profile().states[1]];
	const failed = judgeMonth(profile({ month: "2026-11", states }), profile(), DEFAULT_LIMITS);
	assert.deepEqual(
		failed.map(({ gate }) => gate),
		["states"],
	);
});

function caStatus(value: string, rows: number): MonthProfile["license_status"] {
	return new Map([...profile().license_status, ["CA", new Map([...STATUSES, [value, rows]])]]);
}

function caTypes(rows: number): MonthProfile["member_type"] {
	return new Map([["CA", new Map([["Broker", rows]])]]);
}

/** Dates of which `judged` count, besides others that are only told. */
function oddDates(judged: number): MonthProfile["dates"] {
	return [{ ...profile().dates[0], odd: judged + 5_000, judged, odd_samples: ["1800-12-27", "2922-08-22"] }];
}

test("a state that vanished and a status that is gone are reported with their rows", () => {
	const vanished = judgeMonth(
		profile({ month: "2026-11", states: [profile().states[1]] }),
		profile(),
		DEFAULT_LIMITS,
	);
	assert.deepEqual(vanished, [{ gate: "states", finding: "against 2026-10: ON vanished (2000 rows)" }]);
	const renamed = new Map([...profile().license_status, ["CA", new Map([["Active", 10_000]])]]);
	const [{ finding }] = judgeMonth(
		profile({ month: "2026-11", license_status: renamed }),
		profile(),
		DEFAULT_LIMITS,
	);
	assert.match(finding, /status "Inactive" of CA is gone \(40\.0 % of its rows, at most 1 %\)/);
});

test("states whose statuses or types are worded otherwise are told apart, whatever their rows", () => {
	const rows = (of: Readonly<Record<string, number>>) => new Map([["CA", new Map(Object.entries(of))]]);
	const states = [{ ...profile().states[1], rows: 100 }];
	const before = profile({
		states,
		license_status: rows({ Active: 60, Expired: 40 }),
		member_type: rows({ Broker: 100 }),
	});
	const reworded = (status: Readonly<Record<string, number>>) => {
		const month = profile({ ...before, month: "2026-11", license_status: rows(status) });
		return [...rewordedStates(month, before, DEFAULT_LIMITS)].map(([column, found]) => [column, ...found]);
	};
	assert.deepEqual(reworded({ Active: 40, Expired: 60 }), [["member_license_status"], ["member_type"]]);
	assert.deepEqual(reworded({ Active: 60, Lapsed: 40 }), [["member_license_status", "CA"], ["member_type"]]);
});

test("groups with too few rows are not judged by shares", () => {
	const small = (rows: number, extra: Partial<MonthProfile> = {}) =>
		profile({
			rows,
			states: [{ state: "CA", country: "US", rows, matched_email: rows }],
			nulls: [{ column: "member_city", rows: 0 }],
			license_status: new Map([["CA", new Map([["Active", rows]])]]),
			...extra,
		});
	const changed = {
		...small(40),
		nulls: [{ column: "member_city", rows: 40 }],
		license_status: new Map([["CA", new Map([["Other", 40]])]]),
		duplicates: 39,
		states: [{ state: "CA", country: "US", rows: 40, matched_email: 0 }],
	};
	assert.deepEqual(failedGates(changed, small(999)), []);
	assert.deepEqual(failedGates({ ...changed, states: [] }, small(99)), []);
	assert.deepEqual(failedGates({ ...changed, states: [] }, small(100)), ["states"]);
});

test("every gate has a limit with a flag, and every limit a description", () => {
	const gates = new Set(LIMIT_FLAGS.map(({ gate }) => gate));
	for (const gate of GATES) assert.ok(gates.has(gate) || gate === "month", gate);
	assert.equal(Object.keys(DEFAULT_LIMITS).length, LIMIT_FLAGS.length);
});

/** What is found between two months, without the month compared with. */
function findings(now: Partial<MonthProfile>, before: Partial<MonthProfile>): string[] {
	const judged = judgeMonth(profile({ month: "2026-11", ...now }), profile(before), DEFAULT_LIMITS);
	return judged.map(({ gate, finding }) => `${gate}: ${finding.replace("against 2026-10: ", "")}`);
}

test("states are listed worst first, those that vanished before the others, five of them", () => {
	const states = (...rows: number[]) =>
		rows.map((count, i) => ({ state: `S${i}`, country: "CA" as const, rows: count, matched_email: 0 }));
	const before = states(2000, 1000, 150, 3000, 1000, 100, 99);
	const now = states(1000, 1500, 0, 1000, 3000, 0, 0).filter(({ rows }) => rows > 0);
	const moved = findings(
		{ states: now, license_status: new Map() },
		{ states: before, license_status: new Map() },
	);
	assert.deepEqual(moved, [
		"states: S2 vanished (150 rows), S5 vanished (100 rows), " +
			"S4 moved +200.0 % (1000 to 3000 rows, at most 20 %), S3 moved -66.7 % (3000 to 1000 rows, at most 20 %), " +
			"S0 moved -50.0 % (2000 to 1000 rows, at most 20 %), and 1 more",
	]);
});

test("shares are judged from the least number of rows on, and the worst is named first", () => {
	const { judgedRowsMin } = DEFAULT_LIMITS;
	const months = (rows: number) => {
		const states = [{ state: "CA", country: "US" as const, rows, matched_email: rows }];
		return { rows, states, nulls: [], license_status: new Map([["CA", new Map([["Active", rows]])]]) };
	};
	const statuses = new Map([
		["Active", judgedRowsMin - 300],
		["Rare", 100],
		["Other", 200],
	]);
	const changed = (rows: number) => ({ ...months(rows), license_status: new Map([["CA", statuses]]) });
	assert.deepEqual(findings(changed(judgedRowsMin - 1), months(judgedRowsMin)), []);
	assert.deepEqual(findings(changed(judgedRowsMin), months(judgedRowsMin - 1)), []);
	const [found] = findings(changed(judgedRowsMin), months(judgedRowsMin));
	assert.match(found, /^vocabulary: status "Other" of CA is new .*, status "Rare" of CA is new /);
});

test("empty cells are judged by column, the worst first, except those of matched contacts", () => {
	const nulls = (city: number, office: number, matched: number) => [
		{ column: "member_city", rows: city },
		{ column: "office_name", rows: office },
		{ column: "matched_email", rows: matched },
	];
	const [found, ...others] = findings({ nulls: nulls(3600, 6000, 12_000) }, { nulls: nulls(1200, 1200, 0) });
	assert.match(found, /^nulls: .*office_name.*member_city/);
	assert.doesNotMatch(found, /matched/);
	assert.deepEqual(others, []);
});

test("empty cells are judged by state, in columns that are as full as before in all rows", () => {
	const nulls = (city: number, office: number, matched = 0) =>
		new Map([
			["ON", new Map(Object.entries({ member_city: city, office_name: office, matched_email: matched }))],
			["NS", new Map([["member_city", city]])],
		]);
	const before = { nulls_by_state: nulls(200, 100) };
	assert.deepEqual(findings({ nulls_by_state: nulls(400, 300, 2000) }, before), []);
	assert.deepEqual(findings({ nulls_by_state: nulls(500, 2000) }, before), [
		"nulls: nulls of office_name of ON rose from 5.0 % to 100.0 % (at most 10 points), " +
			"nulls of member_city of ON rose from 10.0 % to 25.0 % (at most 10 points)",
	]);
	const [found] = findings(
		{ nulls: [{ column: "member_city", rows: 6000 }], nulls_by_state: nulls(2000, 2000) },
		before,
	);
	assert.match(found, /^nulls: nulls of member_city rose .*, nulls of office_name of ON rose /);
	assert.doesNotMatch(found, /member_city of/);
});

test("matched e-mails are judged over all US rows where no state has enough of them", () => {
	const states = (matched: number) =>
		["AK", "DE", "HI"].map((state) => ({ state, country: "US" as const, rows: 400, matched_email: matched }));
	const vocabulary = { license_status: new Map() };
	assert.deepEqual(
		findings({ ...vocabulary, states: states(180) }, { ...vocabulary, states: states(200) }),
		[],
	);
	assert.deepEqual(findings({ ...vocabulary, states: states(160) }, { ...vocabulary, states: states(200) }), [
		"matches: matched e-mails of US fell from 50.0 % to 40.0 % (at most 5 points)",
	]);
});

test("gates are accepted by name, or all of them; another name is returned", () => {
	assert.deepEqual(parseAccepted("states, churn"), { accepted: new Set(["states", "churn"]) });
	assert.deepEqual(parseAccepted("all"), { accepted: new Set(GATES) });
	assert.deepEqual(parseAccepted("states,stats,nil"), { unknown: "stats" });
});

test("dates out of range are named with their extremes, and with the setting that reads them as none", () => {
	const [{ finding }] = judgeMonth(profile({ dates: oddDates(101) }), null, DEFAULT_LIMITS);
	assert.equal(
		finding,
		"101 of 10000 dates of member_license_issued are out of range, as 1800-12-27 and 2922-08-22 " +
			'(1.0 %, at most 1 %; "nulls" in a --map file names texts that stand for no date)',
	);
});
