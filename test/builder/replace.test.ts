/** Replacing a published month: judged against the live one, switched in one step, undone by restore. */

import assert from "node:assert/strict";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { finishSwitches } from "../../builder/months/switch-month.js";
import { openLibrary } from "../../engine/index.js";
import { manifestFile, nextRevisionFolder, publications, snapshotFolder } from "../../formats/index.js";
import { builderFolder, csv, folderBytes, stateRows } from "./builder-process.js";

const MONTH = "2026-11";

function rowsOf(data: string): number {
	return openLibrary({ dataFolder: data }).latest?.rows ?? -1;
}

test("a month is replaced, and restore brings the one before back, over and over", async (t) => {
	const builder = builderFolder(t);
	await builder.json("build", builder.write("a-2026-11.csv", csv(stateRows("CA", 30))));
	const original = folderBytes(snapshotFolder(builder.data, MONTH));
	const refused = await builder.run("build", builder.write("b-2026-11.csv", csv(stateRows("CA", 32))));
	assert.equal(refused.code, 1);
	assert.match(refused.stderr, /2026-11 is already published; --replace builds in its place/);
	const built = await builder.json<{ published: boolean; churn: { totals: unknown; previous: string } }>(
		"build",
		join(builder.folder, "b-2026-11.csv"),
		"--replace",
	);
	assert.equal(built.published, true);
	assert.deepEqual([built.churn.previous, built.churn.totals], [MONTH, { new: 2, gone: 0, changed: 0 }]);
	assert.equal(rowsOf(builder.data), 32);
	assert.deepEqual(readdirSync(join(builder.data, "snapshots")), ["2026-11.1"]);
	const twice = await builder.run("build", join(builder.folder, "b-2026-11.csv"), "--replace");
	assert.match(
		twice.stderr,
		/an earlier 2026-11 is still retired; prune 2026-11 first, which deletes the replaced one for good/,
	);
	const retired = await builder.run("retire", MONTH);
	assert.match(
		retired.stderr,
		/retired\/2026-11: an earlier 2026-11 is retired already; prune 2026-11 first, .*, or restore 2026-11, /,
	);
	assert.equal(rowsOf(builder.data), 32);
	for (const rows of [30, 32, 30]) {
		await builder.json("restore", MONTH);
		assert.equal(rowsOf(builder.data), rows);
		const [{ rows: told }] = await builder.json<{ rows: number }[]>("list");
		assert.equal(told, rows);
	}
	assert.deepEqual(folderBytes(snapshotFolder(builder.data, MONTH)), original);
	await builder.json("prune");
	assert.equal((await builder.json<unknown[]>("verify")).length, 1);
});

test("a replacement is judged against the live month, and refused without touching it", async (t) => {
	const builder = builderFolder(t);
	await builder.json("build", builder.write("a-2026-11.csv", csv(stateRows("CA", 1200))));
	const renumbered = stateRows("CA", 1200).map((row, i) => ({
		...row,
		member_state_license_number: `N${i}`,
	}));
	const file = builder.write("b-2026-11.csv", csv(renumbered));
	const { code, stderr } = await builder.run("build", file, "--replace");
	assert.equal(code, 1);
	assert.match(stderr, /gate churn: against 2026-11: 1200 licenses of CA are new and 1200 gone/);
	const dry = await builder.run("build", file, "--replace", "--dry-run", "--accept", "churn");
	assert.equal(dry.code, 0, dry.stderr);
	assert.deepEqual(readdirSync(join(builder.data, "snapshots")), [MONTH]);
});

test("the month is available throughout, and an interrupted switch is completed", async (t) => {
	const builder = builderFolder(t);
	await builder.json("build", builder.write("a-2026-11.csv", csv(stateRows("CA", 30))));
	const other = builderFolder(t);
	await other.json("build", other.write("b-2026-11.csv", csv(stateRows("CA", 31))));
	const { data } = builder;
	const next = join(data, "manifests", `${MONTH}.next.json`);
	// Cut short before the switch: nothing has happened.
	cpSync(manifestFile(other.data, MONTH), next);
	finishSwitches(data);
	assert.deepEqual([existsSync(next), rowsOf(data)], [false, 30]);
	// Cut short after it: the new month is live, and the old one is retired by whoever comes next.
	cpSync(manifestFile(other.data, MONTH), next);
	const staged = join(data, "staging", "month");
	cpSync(snapshotFolder(other.data, MONTH), staged, { recursive: true });
	const before = publications(data).get(MONTH);
	renameSync(staged, nextRevisionFolder(data, MONTH));
	assert.equal(rowsOf(data), 31);
	assert.notEqual(publications(data).get(MONTH), before);
	finishSwitches(data);
	finishSwitches(data);
	assert.equal(rowsOf(data), 31);
	assert.deepEqual(readdirSync(join(data, "retired")).sort(), [MONTH, `${MONTH}.json`]);
	const [{ rows }] = await builder.json<{ rows: number }[]>("list");
	assert.equal(rows, 31);
});

test("a month that is not published cannot be replaced", async (t) => {
	const builder = builderFolder(t);
	const { stderr } = await builder.run(
		"build",
		builder.write("a-2026-11.csv", csv(stateRows("CA", 3))),
		"--replace",
	);
	assert.match(stderr, /2026-11 is not published: build it without --replace or --merge-state/);
});

test("the same drop again, a month in a file's name, and unknown wordings are found, all in one try", async (t) => {
	const builder = builderFolder(t);
	const rows = stateRows("CA", 1200);
	await builder.json("build", builder.write("a-2026-10.csv", csv(rows)));
	const again = await builder.run("build", builder.write("copy-2026-10.csv", csv(rows)), "--month", MONTH);
	assert.equal(again.code, 1);
	assert.match(again.stderr, /gate churn: no license is new, gone or changed against 2026-10/);
	assert.match(again.stderr, /gate month: the month is 2026-11, but \S+copy-2026-10.csv names 2026-10/);
	const odd = rows.map((row, i) => ({ ...row, member_license_status: i % 2 === 0 ? "Paused" : "Active" }));
	const file = builder.write("c-2026-11.csv", csv(odd));
	const refused = await builder.run("build", file);
	assert.match(
		refused.stderr,
		/gate vocabulary: .*gate groups: against 2026-10: rows of CA whose license_status_group/,
	);
	const groups = builder.write(
		"groups.json",
		JSON.stringify({ license_status: { CA: { Paused: "inactive" } } }),
	);
	const built = await builder.json<{ unmapped: unknown[]; churn: { totals: { changed: number } } }>(
		"build",
		file,
		"--groups",
		groups,
		"--accept",
		"vocabulary",
	);
	assert.deepEqual(built.unmapped, []);
	assert.ok(built.churn.totals.changed > 0);
	const record = openLibrary({ dataFolder: builder.data }).latest?.record(0, {
		columns: ["member_license_status", "license_status_group"],
		masked: false,
	});
	assert.equal(
		record?.license_status_group,
		record?.member_license_status === "Paused" ? "inactive" : "active",
	);
	writeFileSync(groups, JSON.stringify({ license_status: { CA: { Paused: "idle" } } }));
	const unknown = builder.write("unknown.json", JSON.stringify({ member_type: { ZZ: { Guild: "broker" } } }));
	assert.match(
		(await builder.run("build", file, "--groups", unknown, "--replace")).stderr,
		/no state or province "ZZ"; did you mean "AZ"\? \* stands for all of them\n$/,
	);
	const bad = await builder.run("build", file, "--groups", groups, "--replace");
	assert.match(
		bad.stderr,
		/groups\.json: license_status\.CA\.Paused: expected "active", "inactive", .* or "other"/,
	);
});

test("a held month is released only while the months that it was built on are live", async (t) => {
	const builder = builderFolder(t);
	const both = (ca: number, tx: number) => csv([...stateRows("CA", ca), ...stateRows("TX", tx)]);
	await builder.json("build", builder.write("a-2026-10.csv", both(30, 30)));
	await builder.json("build", builder.write("b-2026-11.csv", both(31, 31)));
	const ca = builder.write("ca-2026-11.csv", csv(stateRows("CA", 33)));
	const tx = builder.write("tx-2026-11.csv", csv(stateRows("TX", 34)));
	await builder.json("build", ca, "--merge-state", "CA", "--hold");
	await builder.json("build", tx, "--merge-state", "TX");
	await builder.json("prune", MONTH);
	const stale = await builder.run("release", MONTH, "--json");
	assert.equal(stale.code, 1);
	const { error } = JSON.parse(stale.stdout) as { error: { code: string; message: string } };
	assert.equal(error.code, "held_outdated");
	assert.match(
		error.message,
		/^2026-11 was replaced after this month was held; build it again, or --discard/,
	);
	assert.equal(rowsOf(builder.data), 65);
	await builder.json("build", ca, "--merge-state", "CA", "--hold");
	await builder.json("release", MONTH);
	assert.equal(rowsOf(builder.data), 67);
	// The month that rows are carried from, and that gates compare with.
	const december = builder.write("c-2026-12.csv", csv(stateRows("CA", 33)));
	await builder.json("build", december, "--carry", "TX", "--from", "2026-10", "--hold", "--accept", "all");
	await builder.json("retire", "2026-10");
	const retired = await builder.run("release", "2026-12");
	assert.match(retired.stderr, /2026-10 was retired after this month was held/);
	await builder.json("restore", "2026-10");
	await builder.json("restore", MONTH);
	const compared = await builder.run("release", "2026-12");
	assert.match(compared.stderr, /2026-11 was replaced after this month was held/);
	// Months held by earlier versions do not say what they were built on.
	const file = join(builder.data, "held", "2026-12.json");
	const { built_on, ...held } = JSON.parse(readFileSync(file, "utf8")) as { built_on: { month: string }[] };
	assert.deepEqual(built_on.map(({ month }) => month).sort(), ["2026-10", MONTH]);
	writeFileSync(file, JSON.stringify(held));
	await builder.json("release", "2026-12");
});

test("a held month that cannot be released as it was meant to be says what can be done", async (t) => {
	const builder = builderFolder(t);
	const refusal = async () => {
		const { code, stderr } = await builder.run("release", MONTH);
		assert.equal(code, 1);
		return stderr;
	};
	const first = builder.write("a-2026-11.csv", csv(stateRows("CA", 30)));
	await builder.json("build", first, "--hold");
	await builder.json("build", first);
	assert.match(
		await refusal(),
		/another 2026-11 was published after this one was held; build it again with --replace, or --discard it/,
	);
	await builder.json("retire", MONTH);
	assert.match(await refusal(), /another 2026-11 is retired; prune it first, .*, or --discard the held one/);
	await builder.json("restore", MONTH);
	await builder.json(
		"build",
		builder.write("b-2026-11.csv", csv(stateRows("CA", 31))),
		"--replace",
		"--hold",
	);
	await builder.json("retire", MONTH);
	assert.match(
		await refusal(),
		/2026-11 was retired after its replacement was held; restore it first, or --discard the replacement/,
	);
	await builder.json("prune", MONTH);
	assert.match(
		await refusal(),
		/2026-11 was removed after its replacement was held; build it again without --replace, or --discard/,
	);
	await builder.json("release", MONTH, "--discard");
});
