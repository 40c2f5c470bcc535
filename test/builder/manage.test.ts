/** Managing what is published: list, inspect, retire, restore, prune, and the row store. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ColumnHistogram } from "../../builder/profile/column-histogram.js";
import { CATALOG_FILE } from "../../formats/index.js";
import {
	type BuilderFolder,
	builderFolder,
	csv,
	folderBytes,
	published,
	runBuilder,
	stateRows,
} from "./builder-process.js";

async function withMonths(t: TestContext, ...months: string[]): Promise<BuilderFolder> {
	const builder = builderFolder(t);
	for (const month of months)
		await builder.json("build", builder.write(`drop-${month}.csv`, csv(stateRows("CA", 40))));
	return builder;
}

test("a retired month is out of service and comes back the same; pruned, it is gone", async (t) => {
	const builder = await withMonths(t, "2026-09", "2026-10");
	const bytes = folderBytes(join(builder.data, "snapshots"));
	assert.deepEqual(await builder.json("retire", "2026-09"), { month: "2026-09", retired: true });
	assert.deepEqual(published(builder.data), ["2026-10"]);
	assert.equal((await builder.run("retire", "2026-09")).code, 1);
	await builder.json("restore", "2026-09");
	assert.deepEqual(folderBytes(join(builder.data, "snapshots")), bytes);
	await builder.json("retire", "2026-09");
	assert.deepEqual(await builder.json("prune"), { pruned: ["2026-09"] });
	assert.deepEqual(readdirSync(join(builder.data, "retired")), []);
	assert.equal(existsSync(join(builder.data, "manifests", "2026-09.json")), false);
	const gone = await builder.run("restore", "2026-09");
	assert.deepEqual([gone.code, gone.stderr], [1, `builder: 2026-09 is not retired in ${builder.data}\n`]);
});

test("of several months to prune all are deleted, or none where one of them is not retired", async (t) => {
	const builder = await withMonths(t, "2026-09", "2026-10");
	await builder.json("retire", "2026-09");
	await builder.json("retire", "2026-10");
	const refused = await builder.run("prune", "2026-10", "2026-08", "2026-09");
	assert.deepEqual(
		[refused.code, refused.stderr],
		[1, `builder: 2026-08 is not retired in ${builder.data}\n`],
	);
	assert.deepEqual(readdirSync(join(builder.data, "retired")).sort(), ["2026-09", "2026-10"]);
	const pruned = await builder.json("prune", "2026-10", "2026-09", "2026-10");
	assert.deepEqual(pruned, { pruned: ["2026-10", "2026-09"] });
	assert.deepEqual(readdirSync(join(builder.data, "retired")), []);
});

test("months beside a damaged one are listed and verified, and every damaged one is named", async (t) => {
	const builder = await withMonths(t, "2026-08", "2026-09", "2026-10");
	writeFileSync(join(builder.data, "manifests", "2026-09.json"), "{");
	const catalog = join(builder.data, "snapshots", "2026-10", CATALOG_FILE);
	truncateSync(catalog, 20);
	for (const [command, found] of [
		["list", "months"],
		["verify", "verified"],
	]) {
		const told = await builder.run(command);
		assert.equal(told.code, 1);
		assert.match(told.stdout, /^2026-08/m, command);
		assert.match(
			told.stderr,
			/^builder: 2 of 3 months are damaged: 2026-10: [^\n;]*; 2026-09: [^\n;]*2026-09\.json[^\n;]*\n$/,
		);
		const document = JSON.parse((await builder.run(command, "--json")).stdout);
		assert.deepEqual(
			[document.error.code, document[found].length, document[found][0].month],
			["corrupt_snapshot", 1, "2026-08"],
		);
		assert.deepEqual(
			document.damaged.map(({ month }: { month: string }) => month),
			["2026-10", "2026-09"],
		);
	}
	// A single month's fault is told as it is.
	const single = await builder.run("verify", "2026-10");
	assert.match(single.stderr, /^builder: [^\n]*2026-10[^\n]*\n$/);
	assert.doesNotMatch(single.stderr, /damaged:/);
	// One that is not published is not damaged.
	const unknown = await builder.run("verify", "2026-07", "2026-08");
	assert.match(unknown.stderr, /^builder: 2026-07 is not published in [^\n]*\n$/);
});

test("the row store can be dropped and added without a rebuild, to the same bytes", async (t) => {
	const builder = await withMonths(t, "2026-09");
	const bytes = folderBytes(join(builder.data, "snapshots"));
	const dropped = await builder.json<{ row_store_bytes: number }>("rows", "drop", "2026-09");
	assert.equal(dropped.row_store_bytes, 0);
	const added = await builder.json<{ row_store_bytes: number }>("rows", "add", "2026-09");
	assert.ok(added.row_store_bytes > 0);
	assert.deepEqual(folderBytes(join(builder.data, "snapshots")), bytes);
});

test("inspect shows sections and states, and any column's values", async (t) => {
	const builder = await withMonths(t, "2026-09");
	const whole = await builder.json<{
		rows: number;
		columns: unknown[];
		section_bytes: Record<string, number>;
	}>("inspect", "2026-09");
	assert.equal(whole.rows, 40);
	assert.ok(whole.section_bytes.codes > 0);
	const histogramOf = (column: string, ...more: string[]) =>
		builder.json<ColumnHistogram>("inspect", "2026-09", "--column", column, ...more);
	const status = await histogramOf("member_license_status");
	assert.deepEqual(status.bars, [
		{ value: "Active", rows: 30 },
		{ value: "Inactive", rows: 10 },
	]);
	assert.deepEqual((await histogramOf("member_license_status", "--top", "1")).bars.length, 1);
	assert.deepEqual((await histogramOf("member_license_expires")).bars, [{ value: "2027", rows: 40 }]);
	const email = await histogramOf("matched_email");
	assert.deepEqual([email.by, email.nulls], ["length", 10]);
	assert.equal(
		email.bars.reduce((sum, bar) => sum + bar.rows, 0),
		30,
	);
	const agents = await histogramOf("agent_count");
	assert.deepEqual([agents.by, agents.bars], ["size", [{ value: "8-15", rows: 40 }]]);
	const text = (await builder.run("inspect", "2026-09", "--column", "member_type")).stdout;
	assert.match(text, /^member_type \(dict\): 2 distinct values, 0 nulls of 40 rows\n/);
	assert.equal((await builder.run("inspect", "2026-09", "--column", "id")).code, 2);
	const withoutColumn = await builder.run("inspect", "2026-09", "--top", "3");
	assert.deepEqual([withoutColumn.code, withoutColumn.stderr], [2, "error: --top needs --column\n"]);
});

test("list shows each month's rows and size, newest first", async (t) => {
	const builder = await withMonths(t, "2026-09", "2026-10");
	const months = await builder.json<{ month: string; rows: number }[]>("list");
	assert.deepEqual(
		months.map(({ month, rows }) => [month, rows]),
		[
			["2026-10", 40],
			["2026-09", 40],
		],
	);
});

test("each list refuses a data folder that does not exist, and takes one kind of month", async (t) => {
	const { run, data } = builderFolder(t);
	for (const kind of [[], ["--retired"], ["--held"]]) {
		const { code, stderr } = await run("list", ...kind);
		assert.deepEqual([code, stderr], [1, `builder: ${data}: no such data folder\n`], kind.join());
	}
	assert.equal((await run("list", "--retired", "--held")).code, 2);
});

test("a mistyped month is wrong usage in every command that takes one, and nothing is done", async (t) => {
	const { data } = await withMonths(t, "2026-09");
	const bytes = folderBytes(data);
	const inFolder = [
		...[
			["retire", "2026-9"],
			["restore", "foo"],
			["prune", "2026-09", "foo"],
			["release", "202609"],
		],
		...[
			["rows", "add", "2026-13"],
			["rows", "drop", "2026-13"],
			["export", "2026-00"],
			["inspect", "2026-9"],
		],
		...[
			["verify", "2026-09", "2026-9"],
			["diff", "2026-09", "2026-9"],
			["diff", "1999-12", "2026-09"],
		],
		...[
			["changes", "2026-9", "2026-09"],
			["changes", "2026-09", "2026-9"],
		],
	];
	const store = ["--store", "s3://bucket/prefix"];
	const inStore = [
		...[
			["push", "2026-9", ...store],
			["pull", "2026-9", ...store],
		].map((args) => [...args, "--data", data]),
		...[
			["withdraw", "2026-9", ...store],
			["withdraw", "2026-09", "foo", ...store],
			["retire", "foo", ...store],
		],
	];
	for (const args of [...inFolder.map((each) => [...each, "--data", data]), ...inStore]) {
		const { code, stdout, stderr } = await runBuilder([...args, "--json"]);
		assert.equal(code, 2, `${args.join(" ")}: ${stderr}`);
		const { error } = JSON.parse(stdout) as { error: { code: string; message: string } };
		assert.equal(error.code, "usage");
		assert.match(error.message, /is invalid for argument '\w+'\. expected YYYY-MM from 2000-01 on$/);
	}
	assert.deepEqual(folderBytes(data), bytes);
});
