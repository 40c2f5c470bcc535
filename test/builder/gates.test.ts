/**
 * Gates stop a month whose figures are out of bounds, let normal change pass, and can be accepted by
 * name.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DEFAULT_LIMITS, GATES, LIMIT_FLAGS } from "../../builder/gates/gate.js";
import { judgeMonth } from "../../builder/gates/judge-month.js";
import type { MonthProfile } from "../../builder/profile/month-profile.js";
import type { BuildReport } from "../../builder/report/build-report.js";
import { builderFolder, csv, published, stateRows } from "./builder-process.js";

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
		license_status: new Map([
			["CA", STATUSES],
			["ON", new Map([["Registered", 2000]])],
		]),
		member_type: new Map(),
		expiration: [],
		dates: [{ column: "member_license_issued", rows: 10_000, odd: 0, odd_samples: [], months: [] }],
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

function oddDates(odd: number): MonthProfile["dates"] {
	return [{ ...profile().dates[0], odd, odd_samples: ["1800-12-27", "2922-08-22"] }];
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

test("a drop that lacks a state is stopped, reported, and published only when accepted", async (t) => {
	const builder = builderFolder(t);
	const both = csv([...stateRows("CA", 1500), ...stateRows("TX", 150)]);
	const first = await builder.json<BuildReport>("build", builder.write("drop-2026-09.csv", both));
	assert.equal(first.gates.find(({ gate }) => gate === "states")?.outcome, "skipped");
	const second = builder.write("drop-2026-10.csv", csv(stateRows("CA", 1500)));

	const { code, stdout, stderr } = await builder.run("build", second, "--json");
	const failure = JSON.parse(stdout) as { error: { code: string; message: string }; report: BuildReport };
	assert.deepEqual([code, failure.error.code, failure.report.published], [1, "gate_failed", false]);
	assert.equal(stderr, `builder: ${failure.error.message}\n`);
	assert.match(
		stderr,
		/gate states: against 2026-09: TX vanished \(150 rows\); gate total: .*-9\.1 %.*--accept states,total/,
	);
	assert.equal(stderr.trimEnd().split("\n").length, 1);
	assert.deepEqual(published(builder.data), ["2026-09"]);
	const page = readFileSync(join(builder.data, "reports", "2026-10.html"), "utf8");
	assert.match(page, /<td>states<\/td><td class="failed">failed<\/td>/);
	assert.doesNotMatch(page, /<script|<link|src=|href=/);

	assert.match(
		(await builder.run("build", second, "--accept", "total")).stderr,
		/gate states.*--accept states publishes/,
	);
	const report = await builder.json<BuildReport>("build", second, "--accept", "states,total");
	assert.deepEqual(
		report.accepted.map(({ gate }) => gate),
		["states", "total"],
	);
	assert.equal(report.comparison?.previous, "2026-09");
	const manifest = JSON.parse(readFileSync(join(builder.data, "manifests", "2026-10.json"), "utf8"));
	assert.deepEqual(
		manifest.accepted.map(({ gate }: { gate: string }) => gate),
		["states", "total"],
	);
	assert.notEqual(manifest.built_by, "");

	// A wider limit is not recorded as an accepted gate.
	const third = builder.write("drop-2026-11.csv", both);
	const wide = await builder.json<BuildReport>("build", third, "--max-total-change", "10.5");
	assert.deepEqual(wide.accepted, []);
});

test("a month is compared with the newest one before it, not with later ones", async (t) => {
	const builder = builderFolder(t);
	await builder.json("build", builder.write("a-2026-11.csv", csv(stateRows("CA", 5000))));
	const older = await builder.json<BuildReport>(
		"build",
		builder.write("b-2026-09.csv", csv(stateRows("CA", 1000))),
	);
	assert.equal(older.comparison?.previous, null);
	const between = await builder.json<BuildReport>(
		"build",
		builder.write("c-2026-10.csv", csv(stateRows("CA", 1040))),
	);
	assert.equal(between.comparison?.previous, "2026-09");
});
