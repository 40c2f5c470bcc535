/**
 * Killed before each step by which it publishes, a command leaves what was published before or all of its own,
 * and whoever comes next finishes or clears up.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { makeWholeChanges } from "../../builder/changes/keep-changes.js";
import { whileLocked } from "../../builder/months/publish.js";
import { pruneMonth } from "../../builder/months/retire.js";
import { openPublished, publishedMonths } from "../../builder/published-months.js";
import {
	changesFolder,
	exportsFolder,
	hex,
	type Manifest,
	manifestFile,
	openChanges,
	readExportManifest,
	type SnapshotFiles,
	storedExportName,
} from "../../formats/index.js";
import { verifySnapshot } from "../oracle/verify-snapshot.js";
import { BUILDER, type BuilderFolder, builderFolder, csv, runBuilder, stateRows } from "./builder-process.js";

const KILL = fileURLToPath(new URL("./kill-at-step.js", import.meta.url));
const OLDER = "2026-10";
const MONTH = "2026-11";

/** A data folder as a kill before a step of a command leaves it; the last as the command itself does. */
interface Left {
	readonly data: string;
	readonly killed: boolean;
	readonly place: string;
}

/** Runs the builder; what kills before each of its steps in `folders` of the data folder leave. */
function killedAnywhere({ folder, data }: BuilderFolder, folders: string, ...args: string[]): Left[] {
	const copies = join(folder, "killed");
	mkdirSync(copies);
	const { status, stderr } = spawnSync(
		process.execPath,
		["--import", KILL, BUILDER, ...args, "--data", data],
		{
			env: {
				...process.env,
				ROLLCALL_KILL_COPIES: copies,
				ROLLCALL_KILL_DATA: data,
				ROLLCALL_KILL_FOLDERS: folders,
			},
			encoding: "utf8",
		},
	);
	assert.equal(status, 0, stderr);
	const left = readdirSync(copies).map((_, i) => ({
		data: join(copies, `${i + 1}`),
		killed: true,
		place: `killed before step ${i + 1}`,
	}));
	return [...left, { data, killed: false, place: "not killed" }];
}

const described = ({ catalog, crc }: SnapshotFiles) => ({ ...catalog, crc, digest: hex(crc) });

/** The changes between the published months, which are read to the last byte; null where none are stored. */
function changesOf(data: string) {
	const [from, to] = [described(openPublished(data, OLDER)), described(openPublished(data, MONTH))];
	return openChanges(changesFolder(data, from, to), from, to);
}

test("a replacement killed before any step leaves the one month or the other, whole, with its changes", async (t) => {
	const builder = builderFolder(t);
	const drop = (rows: number, month: string) => builder.write(`a-${month}.csv`, csv(stateRows("CA", rows)));
	await builder.json("build", drop(10, OLDER), "--no-row-store");
	await builder.json("build", drop(11, MONTH), "--no-row-store");
	const folders = "snapshots,manifests,retired,changes";
	const args = ["--replace", "--no-row-store", "--accept", "all"];
	const left = killedAnywhere(builder, folders, "build", drop(12, MONTH), ...args);
	for (const { data, killed, place } of left) {
		assert.deepEqual(publishedMonths(data), [MONTH, OLDER], place);
		const live = openPublished(data, MONTH);
		verifySnapshot(live);
		const { rows } = live.catalog;
		const isReplaced = rows === 12;
		assert.ok(isReplaced || rows === 11, `${place}: ${rows} rows`);
		assert.ok(killed || isReplaced, "a build that ends has replaced the month");
		assert.equal(changesOf(data)?.totals.new, rows - 10, place);
		// Whoever comes next finishes the switch, or clears up.
		await whileLocked(data, () => undefined);
		assert.equal(openPublished(data, MONTH).catalog.rows, rows, place);
		const manifest = JSON.parse(readFileSync(manifestFile(data, MONTH), "utf8")) as Manifest;
		assert.equal(manifest.rows, rows, place);
		assert.equal(existsSync(join(data, "retired", MONTH)), isReplaced, place);
	}
	const kills = left.length - 1;
	t.diagnostic(`${kills} kills`);
	assert.ok(kills >= 6, `${kills} kills`);
	// What killed builds left is removed by the next.
	for (const { data, place } of left) {
		if (existsSync(join(data, "retired", MONTH))) pruneMonth(data, MONTH);
		const next = ["build", drop(99, MONTH), ...args, "--data", data];
		assert.equal((await runBuilder(next)).code, 0, place);
		assert.deepEqual(readdirSync(join(data, "staging")), [], place);
		assert.deepEqual(readdirSync(join(data, "manifests")), [`${OLDER}.json`, `${MONTH}.json`], place);
		assert.equal(readdirSync(join(data, "changes")).length, 1, place);
	}
});

test("changes killed before any step of their publication are there whole or not at all", async (t) => {
	const builder = builderFolder(t);
	const { data } = builder;
	await builder.json("build", builder.write(`a-${OLDER}.csv`, csv(stateRows("CA", 10))));
	await builder.json(
		"build",
		builder.write(`a-${MONTH}.csv`, csv(stateRows("CA", 12).slice(3))),
		"--accept",
		"all",
	);
	rmSync(join(data, "changes"), { recursive: true });
	const left = killedAnywhere(builder, "changes,staging", "changes", OLDER, MONTH);
	for (const { data, killed, place } of left) {
		const changes = changesOf(data);
		assert.ok(changes !== null || killed, "changes that are made are there");
		assert.ok(killed || changes?.olderRows != null, "with rows of the older month");
		if (changes !== null) assert.deepEqual(changes.totals, { new: 2, gone: 3, changed: 0 });
		const [from, to] = [openPublished(data, OLDER), openPublished(data, MONTH)];
		await whileLocked(data, () => makeWholeChanges(data, from.folder, to.folder));
		const whole = changesOf(data);
		assert.deepEqual([whole?.totals.new, whole?.olderRows?.segments[0].offsets.length], [2, 4], place);
	}
	const kills = left.length - 1;
	t.diagnostic(`${kills} kills`);
	assert.ok(kills >= 6, `${kills} kills`);
});

test("an export killed before any step of its publication leaves the files of before or all of its own", async (t) => {
	const builder = builderFolder(t);
	const rows = [...stateRows("CA", 9), ...stateRows("TX", 5)];
	await builder.json("build", builder.write(`a-${MONTH}.csv`, csv(rows)), "--accept", "all");
	await builder.json("export", MONTH, "--state", "TX", "--format", "csv.gz");
	const exported = (data: string) => exportsFolder(data, described(openPublished(data, MONTH)));
	/** The files that are listed; each is there with its length. */
	const listed = (data: string): number => {
		const folder = exported(data);
		const files = readExportManifest(folder)?.files ?? [];
		for (const file of files)
			assert.equal(readFileSync(join(folder, storedExportName(file))).length, file.bytes);
		return files.length;
	};
	const left = killedAnywhere(builder, "exports", "export", MONTH, "--format", "csv.gz");
	for (const { data, killed, place } of left) {
		const files = listed(data);
		assert.ok(files === 3 || (killed && files === 1), `${files} files are listed, ${place}`);
	}
	const kills = left.length - 1;
	t.diagnostic(`${kills} kills`);
	assert.ok(kills >= 5, `${kills} kills`);
	// What a killed export left is removed by the next.
	const half = left[kills - 1].data;
	await runBuilder(["export", MONTH, "--format", "csv.gz", "--data", half]);
	for (const data of [half, builder.data]) {
		assert.equal(listed(data), 3);
		assert.equal(readdirSync(exported(data)).length, 4);
		assert.deepEqual(readdirSync(join(data, "staging")), []);
	}
});
