/** A build that a gate stops is reported, and is published only where the gate is accepted by name. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { BuildReport } from "../../builder/report/build-report.js";
import { builderFolder, csv, published, stateRows } from "./builder-process.js";

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
		/gate states: against 2026-09: TX vanished \(150 rows\); gate total: .*-9\.1 %.*--accept states,total publishes anyway, --carry takes the rows of states that sent none from an earlier month; /,
	);
	assert.equal(stderr.trimEnd().split("\n").length, 1);
	assert.deepEqual(published(builder.data), ["2026-09"]);
	const page = readFileSync(join(builder.data, "reports", "2026-10.unpublished.html"), "utf8");
	assert.match(page, /<td>states<\/td><td class="failed">failed<\/td>/);
	assert.doesNotMatch(page, /<script|<link|src=|href=/);

	assert.match(
		(await builder.run("build", second, "--accept", "total")).stderr,
		/gate states.*--accept states publishes/,
	);
	const other = await builder.run("build", second, "--accept", "states");
	assert.match(
		other.stderr,
		/gate total.*--accept total publishes anyway; /,
		"of other gates it says nothing",
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

test("swapped statuses are stopped as changes, and a status worded otherwise as vocabulary", async (t) => {
	const builder = builderFolder(t);
	const rows = stateRows("CA", 1500);
	await builder.json("build", builder.write("drop-2026-09.csv", csv(rows)));
	const failed = async (name: string, statusOf: (status: string | undefined) => string) => {
		const changed = rows.map((row) => ({
			...row,
			member_license_status: statusOf(row.member_license_status),
		}));
		const drop = builder.write(name, csv(changed));
		const { stdout } = await builder.run("build", drop, "--dry-run", "--json");
		const { report } = JSON.parse(stdout) as { report: BuildReport };
		return report.gates.filter(({ outcome }) => outcome === "failed").map(({ gate }) => gate);
	};
	const swap = (status: string | undefined) => (status === "Active" ? "Inactive" : "Active");
	assert.deepEqual(await failed("swapped-2026-10.csv", swap), ["changes"]);
	const rename = (status: string | undefined) => (status === "Active" ? "Current" : "Inactive");
	assert.deepEqual(await failed("renamed-2026-10.csv", rename), ["vocabulary"]);
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

test("a month refused while its rows are being stored leaves nothing of them, in threads or in none", async (t) => {
	const builder = builderFolder(t);
	await builder.json("build", builder.write("drop-2026-09.csv", csv(stateRows("CA", 1500))));
	const fewer = builder.write("drop-2026-10.csv", csv(stateRows("CA", 700)));
	for (const threads of [[], ["--threads", "2"]]) {
		const { code, stderr } = await builder.run("build", fewer, ...threads);
		assert.deepEqual([code, stderr.split(":")[1]], [1, " nothing published"]);
		assert.deepEqual(readdirSync(join(builder.data, "snapshots")), ["2026-09"]);
		assert.deepEqual(readdirSync(join(builder.data, "staging")), []);
	}
	const seconds = (await builder.json<BuildReport>("build", fewer, "--accept", "all")).seconds;
	assert.ok(seconds.rows > 0, "an accepted month has its rows stored");
});

test("a drop whose rows are rejected or skipped is refused with the setting that mends it", async (t) => {
	const builder = builderFolder(t);
	const head = "state,member_state_license_number,member_license_expires";
	const mended: readonly (readonly [rows: string, map: object, says: RegExp])[] = [
		["TX,1,01/31/2027\n", {}, /most for unreadable_date \(set "dateFormat" in a --map file.*\), first at/],
		["TX,1,1/31/2027\nTX,2,2/1/2027\n", {}, /probably to "M\/D\/YYYY", or .*_expires: "1\/31\/2027";/],
		[
			'TX,1,"Jan 31, 2027"\n',
			{ dateFormat: "MMMM D, YYYY" },
			/"MMM D, YYYY", or "dateFormats" to several, or "nulls"/,
		],
		["TX,1,2/1/2027\n", {}, /probably to "M\/D\/YYYY" or "D\/M\/YYYY", or/],
		[
			"TX,1,31/01/2027\n",
			{ dateFormat: "MM/DD/YYYY" },
			/impossible_date \(set "dateFormat", probably to "D\/M\/YYYY", if .*; "invalidDates": "null" in a --map .*"nulls"/,
		],
		[
			"TX,1,2027-02-30\n",
			{},
			/impossible_date \("invalidDates": "null" in a --map file keeps .* date\), first/,
		],
		["TX,1,soon\n", {}, /in a --map file, or "dateFormats" .*_expires: "soon";/],
		['TX,1,="2027-01-31"\n', {}, /\("trimFormula" in a --map file reads texts kept as formulas\), first/],
		[
			'="TX",1,\n',
			{},
			/most for unknown_jurisdiction \("trimFormula" in a --map .* column state: "=\\"TX\\"";/,
		],
		[
			"Texass,1,\n",
			{},
			/most for unknown_jurisdiction \(in a --map file, "values".*"constants".* column state: "Texass";/,
		],
		[
			"TX,1,,\n",
			{},
			/most for wrong_column_count \(check "delimiter"(?!.*"missingCells").*"header" .*, line 2: 4 columns instead of 3;/,
		],
		[
			"TX,1\n",
			{},
			/\(check "delimiter".*"missingCells": "null"(?!.*"header").*, line 2: 2 columns instead of 3;/,
		],
		['TX, "1,2",\n', {}, /line 2: 4 columns instead of 3; a quote after a blank begins no quoted field;/],
		[' "TX,,1",\n', {}, /line 2: 4 columns instead of 3; a quote after a blank begins no quoted field;/],
		['TX, "1,2",\n', { quotes: false }, /line 2: 4 columns instead of 3;(?! a quote)/],
		['TX,"1",,\n', {}, /line 2: 4 columns instead of 3;(?! a quote)/],
		['TX,1" ",,\n', {}, /line 2: 4 columns instead of 3;(?! a quote)/],
		['TX,"1" A,\n', {}, /most for stray_quote \("quotes": false in a --map file .*\), first at .*, line 2;/],
		[
			'TX,"\\"1\\"",\n',
			{},
			/stray_quote \(.*; otherwise, the source has to double quotes within its fields\)/,
		],
		["TX\n", {}, /\(check "delimiter"(?!.*"missingCells").*, line 2: 1 column instead of 3;/],
		[
			"TX,1,\n",
			{ skipMatching: "^T" },
			/no rows to publish: all 1 lines match "skipMatching" of the map; the report/,
		],
	];
	for (const [rows, map, says] of mended) {
		const file = builder.write("drop-2026-09.csv", `${head}\n${rows}`);
		const { stderr } = await builder.run(
			"build",
			file,
			"--map",
			builder.write("map.json", JSON.stringify(map)),
		);
		assert.match(stderr, says);
	}
	assert.deepEqual(published(builder.data), []);
});

test("the report names the setting that mends each reason, of a month that is published as well", async (t) => {
	const builder = builderFolder(t);
	const head = "state,member_state_license_number,member_license_expires,member_city";
	const long = `TX,4,,${"x".repeat(5000)}`;
	const rows = ["TX,1,2027-01-31,", "TX,2,1/31/2027,", '"TX"x,3,,', long, "\ufffd,5,,"];
	const file = builder.write("drop-2026-09.csv", `${[head, ...rows].join("\n")}\n`);
	const { code, stdout, stderr } = await builder.run("build", file, "--accept", "rejects");
	assert.equal(code, 0, stderr);
	assert.match(stdout, /^unreadable_date: set "dateFormat" in a --map file, probably to "M\/D\/YYYY", or/m);
	assert.match(stdout, /^cell_too_long: null in "columns" of a --map file skips the column$/m);
	assert.match(stdout, /^stray_quote: "quotes": false /m);
	const path = join(builder.data, "reports", "2026-09");
	const { rejects } = JSON.parse(readFileSync(`${path}.json`, "utf8")) as BuildReport;
	assert.deepEqual(
		rejects.reasons.map(({ remedy }) => remedy !== null && stdout.includes(remedy)),
		[true, true, true, true],
	);
	const page = readFileSync(`${path}.html`, "utf8");
	assert.match(page, /<td>unreadable_date<\/td><td>set &quot;dateFormat&quot;/);
});

test("gates whose shares are all of too few rows are not judged, and dates out of range are reported all the same", async (t) => {
	const builder = builderFolder(t);
	const dates = ["0027-01-31", "9999-12-31", "2922-08-22", "2027-01-31"];
	const rows = (count: number) =>
		stateRows("CA", count).map((row, i) => ({ ...row, member_license_expires: dates[Math.min(i, 3)] }));
	const build = async (month: string, count: number, ...args: string[]) =>
		builder.json<BuildReport>("build", builder.write(`a-${month}.csv`, csv(rows(count))), ...args);
	const skipped = ({ gates }: BuildReport) =>
		gates.filter(({ outcome }) => outcome === "skipped").map(({ gate }) => gate);
	const first = await build("2026-09", 50);
	const comparing = ["states", "total", "nulls", "vocabulary", "matches"];
	const shares = ["duplicates", "dates", "churn", "changes", "groups"];
	assert.deepEqual(skipped(first), [...comparing, ...shares]);
	assert.deepEqual(
		first.oddValues.filter(({ kind }) => kind === "odd_date"),
		[
			{
				kind: "odd_date",
				column: "member_license_expires",
				state: null,
				rows: 3,
				samples: ["0027-01-31", "9999-12-31"],
			},
		],
	);
	assert.deepEqual(skipped(await build("2026-10", 1200, "--dry-run")), [
		...comparing,
		"churn",
		"changes",
		"groups",
	]);
	assert.deepEqual(skipped(await build("2026-10", 120, "--min-judged-rows", "50", "--accept", "all")), []);
	assert.deepEqual(skipped(await build("2026-11", 120)), comparing.slice(1).concat(shares));
});
