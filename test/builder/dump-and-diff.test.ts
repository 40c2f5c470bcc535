/** A dump builds to the same snapshot again, and a diff equals a naive comparison. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { diffMonths, type LicenseChange, type MonthDiff } from "../../builder/changes/diff-months.js";
import { compileMonth } from "../../builder/compile/compile-month.js";
import { parseMonth } from "../../builder/csv/index.js";
import { ExactCsv } from "../../builder/dump/exact-csv.js";
import type { BuilderTasks } from "../../builder/tasks.js";
import { WorkerPool } from "../../builder/workers/pool.js";
import { ByteSink } from "../../engine/index.js";
import { COLUMNS, SnapshotFiles, snapshotFolder } from "../../formats/index.js";
import { compileRows, runHere } from "../engine/compiled-month.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { Draw } from "../oracle/draw.js";
import { makeRows, type NaiveRow, type RawRow } from "../oracle/naive-rows.js";
import { randomMonth, rawRows } from "../oracle/random-month.js";
import { checkAsyncProperty } from "../oracle/seeded.js";
import { builderFolder, csv, folderBytes, runBuilder, stateRows } from "./builder-process.js";

const pool = new WorkerPool<BuilderTasks>(1);
after(() => pool.close());

/** Runs `work` with an empty folder that is removed afterwards. */
async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
	const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-test-"));
	try {
		await work(folder);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

function dumpOf(files: SnapshotFiles): Buffer {
	const sink = new ByteSink();
	const exact = new ExactCsv(files);
	exact.header(sink);
	for (let row = 0; row < files.catalog.rows; row++) exact.row(row, sink);
	return sink.view();
}

test("the dump of a random month builds to the same snapshot, byte for byte", async (t) => {
	const property = fc.asyncProperty(randomMonth(60), (month) =>
		inFolder(async (folder) => {
			const raw = rawRows(month);
			if (raw.length === 0) return;
			await compileRows(raw, month.month, join(folder, "first"), false, new Draw(1));
			const first = snapshotFolder(join(folder, "first"), month.month);
			const drop = join(folder, "drop.csv");
			writeFileSync(drop, dumpOf(SnapshotFiles.open(first)));
			const parsed = await parseMonth({ files: [drop], rejectFile: join(folder, "rejects.csv"), pool });
			assert.equal(parsed.rejects.rows, 0);
			const second = snapshotFolder(join(folder, "second"), month.month);
			mkdirSync(second, { recursive: true });
			await compileMonth(parsed, { month: month.month, folder: second, run: runHere });
			assert.deepEqual(folderBytes(second), folderBytes(first));
		}),
	);
	await checkAsyncProperty(t, 60, property);
});

const TRACKED = COLUMNS.filter((column) => column.tracked).map((column) => column.name);

/** The first row of every license. */
function licenses(rows: readonly NaiveRow[]): Map<string, NaiveRow> {
	const first = new Map<string, NaiveRow>();
	for (const row of rows) {
		if (row.member_state_license_number === null) continue;
		const key = JSON.stringify([row.state, row.member_state_license_number]);
		if (!first.has(key)) first.set(key, row);
	}
	return first;
}

function naiveChanges(from: readonly NaiveRow[], to: readonly NaiveRow[]): string[] {
	const before = licenses(from);
	const now = licenses(to);
	const lines: string[] = [];
	for (const [key, row] of before) {
		const other = now.get(key);
		if (other === undefined) lines.push(JSON.stringify(["gone", key]));
		else
			for (const name of TRACKED)
				if (row[name] !== other[name])
					lines.push(JSON.stringify(["changed", key, name, row[name], other[name]]));
	}
	for (const key of now.keys()) if (!before.has(key)) lines.push(JSON.stringify(["new", key]));
	return lines.sort();
}

function told(change: LicenseChange): string {
	const key = JSON.stringify([change.state, change.license_number]);
	return JSON.stringify(
		change.change === "changed"
			? ["changed", key, change.field, change.from, change.to]
			: [change.change, key],
	);
}

test("a diff of random months equals a naive comparison", async (t) => {
	const property = fc.asyncProperty(randomMonth(80), randomMonth(80), fc.nat(), (one, other, seed) =>
		inFolder(async (folder) => {
			const draw = new Draw(seed);
			// Some licenses of one month appear in the other with small changes.
			const from: readonly RawRow[] = rawRows(one);
			const shared = from
				.filter(() => draw.oneIn(2))
				.map((row) => (draw.oneIn(3) ? { ...row, member_city: "Elsewhere" } : row));
			const to = [...rawRows(other), ...shared];
			if (from.length === 0 || to.length === 0) return;
			await compileRows(from, "2026-09", folder, false, draw);
			await compileRows(to, "2026-10", folder, false, draw);
			const lines: string[] = [];
			const open = (month: string) => SnapshotFiles.open(snapshotFolder(folder, month));
			const diff = diffMonths(open("2026-09"), open("2026-10"), (change) => lines.push(told(change)));
			const expected = naiveChanges(makeRows(from, "2026-09"), makeRows(to, "2026-10"));
			assert.deepEqual(lines.sort(), expected);
			assert.equal(diff.new, expected.filter((line) => line.startsWith('["new"')).length);
			assert.equal(diff.gone, expected.filter((line) => line.startsWith('["gone"')).length);
			const changed = diff.fields.reduce((sum, field) => sum + field.changed, 0);
			assert.equal(changed, expected.filter((line) => line.startsWith('["changed"')).length);
		}),
	);
	await checkAsyncProperty(t, 60, property);
});

test("diff prints a table, JSON and CSV of the same changes", async (t) => {
	const builder = builderFolder(t);
	const before = stateRows("CA", 50);
	const now = [{ ...before[0], member_city: 'New "Town", CA' }, ...before.slice(2), ...stateRows("TX", 1)];
	await builder.json("build", builder.write("a-2026-09.csv", csv(before)));
	await builder.json("build", builder.write("b-2026-10.csv", csv(now)));
	const diff = await builder.json<MonthDiff>("diff", "2026-09", "2026-10");
	assert.deepEqual([diff.new, diff.gone, diff.changed], [1, 1, 1]);
	assert.deepEqual(diff.states[0].fields, { member_city: 1 });
	const table = (await builder.run("diff", "2026-09", "2026-10")).stdout;
	assert.match(table, /^2026-09 to 2026-10: 1 new, 1 gone, 1 changed licenses\n/);
	const lines = (await builder.run("diff", "2026-09", "2026-10", "--format", "csv")).stdout;
	const out = join(builder.folder, "diff.csv");
	for (const format of [[], ["--format", "json"], ["--format", "csv", "--json"]]) {
		const refused = await builder.run("diff", "2026-09", "2026-10", ...format, "--out", out);
		assert.deepEqual([refused.code, refused.stderr], [2, "error: --out needs --format csv\n"]);
	}
	await builder.run("diff", "2026-09", "2026-10", "--format", "csv", "--out", out);
	assert.equal(readFileSync(out, "utf8"), lines);
	assert.equal(
		lines,
		"change,state,member_state_license_number,field,from,to\n" +
			"new,TX,TX-0,,,\ngone,CA,CA-1,,,\n" +
			'changed,CA,CA-0,member_city,City0,"New ""Town"", CA"\n',
	);
	const missing = await builder.run("diff", "2026-08", "2026-10");
	assert.deepEqual(
		[missing.code, missing.stderr],
		[1, `builder: 2026-08 is not published in ${builder.data}\n`],
	);
});

test("dump writes any query's rows, and all of them build to the same bytes", async (t) => {
	const builder = builderFolder(t);
	const rows = [
		...stateRows("CA", 40),
		{ ...stateRows("TX", 1)[0], member_last_name: '=SUM("A",1)', office_name: "-line\none" },
	];
	await builder.json("build", builder.write("a-2026-09.csv", csv(rows)));
	const all = join(builder.folder, "all-2026-09.csv");
	const told = await builder.json("dump", "--out", all);
	assert.deepEqual(told, { month: "2026-09", rows: 41, file: all });
	assert.match(readFileSync(all, "utf8"), /,"=SUM\(""A"",1\)",/);
	const again = join(builder.folder, "again");
	const built = await runBuilder(["build", all, "--month", "2026-09", "--data", again, "--json"]);
	assert.equal(built.code, 0, built.stderr);
	assert.deepEqual(folderBytes(join(again, "snapshots")), folderBytes(join(builder.data, "snapshots")));
	const texas = await builder.run("dump", "state=TX&snapshot=2026-09");
	assert.equal(texas.stdout.split("\n").filter((line) => line.startsWith("US,TX,")).length, 1);
	assert.equal((await builder.run("dump", "state=TX", "--out", "-")).stdout, texas.stdout);
	const bad = await builder.run("dump", "limit=10");
	assert.deepEqual([bad.code, bad.stdout], [1, ""]);
});
