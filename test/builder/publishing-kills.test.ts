/**
 * Killed before each step by which it publishes, a command leaves what was published before or all of its own,
 * and whoever comes next finishes or clears up.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { makeChanges } from "../../builder/changes/keep-changes.js";
import { whileLocked } from "../../builder/publish.js";
import { openPublished, publishedMonths } from "../../builder/published-months.js";
import { pruneMonth } from "../../builder/retire.js";
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
import { BUILDER, builderFolder, csv, stateRows } from "./builder-process.js";

const KILL = fileURLToPath(new URL("./kill-at-step.js", import.meta.url));
const OLDER = "2026-10";
const MONTH = "2026-11";

/** Runs the builder, killed before the nth step in `folders` of the data folder; whether it was. */
function killedAt(n: number, folders: string, ...args: string[]): boolean {
	const { signal, status, stderr } = spawnSync(process.execPath, ["--import", KILL, BUILDER, ...args], {
		env: { ...process.env, ROLLCALL_KILL_AT: String(n), ROLLCALL_KILL_FOLDERS: folders },
		encoding: "utf8",
	});
	if (signal !== "SIGKILL") assert.equal(status, 0, stderr);
	return signal === "SIGKILL";
}

const described = ({ catalog, crc }: SnapshotFiles) => ({ ...catalog, crc, digest: hex(crc) });

/** The changes between the published months, which are read to the last byte; null where none are stored. */
function changesOf(data: string) {
	const [from, to] = [described(openPublished(data, OLDER)), described(openPublished(data, MONTH))];
	return openChanges(changesFolder(data, from, to), from, to);
}

test("a replacement killed before any step leaves the one month or the other, whole, with its changes", async (t) => {
	const builder = builderFolder(t);
	const { data } = builder;
	const drop = (rows: number, month: string) => builder.write(`a-${month}.csv`, csv(stateRows("CA", rows)));
	await builder.json("build", drop(10, OLDER), "--no-row-store");
	await builder.json("build", drop(11, MONTH), "--no-row-store");
	const folders = "snapshots,manifests,retired,changes";
	let kills = 0;
	for (let n = 1, rows = 11, killed = true; killed; n++) {
		const next = rows + 1;
		const args = ["--replace", "--no-row-store", "--accept", "all", "--data", data];
		killed = killedAt(n, folders, "build", drop(next, MONTH), ...args);
		if (killed) kills++;
		const place = `killed before step ${n}`;
		assert.deepEqual(publishedMonths(data), [MONTH, OLDER], place);
		const live = openPublished(data, MONTH);
		verifySnapshot(live);
		const isReplaced = live.catalog.rows === next;
		assert.ok(isReplaced || live.catalog.rows === rows, `${place}: ${live.catalog.rows} rows`);
		assert.ok(killed || isReplaced, "a build that ends has replaced the month");
		assert.equal(changesOf(data)?.totals.new, live.catalog.rows - 10, place);
		// Whoever comes next finishes the switch, or clears up.
		await whileLocked(data, () => undefined);
		rows = live.catalog.rows;
		assert.equal(openPublished(data, MONTH).catalog.rows, rows, place);
		const manifest = JSON.parse(readFileSync(manifestFile(data, MONTH), "utf8")) as Manifest;
		assert.equal(manifest.rows, rows, place);
		assert.equal(existsSync(join(data, "retired", MONTH)), isReplaced, place);
		if (isReplaced) pruneMonth(data, MONTH);
	}
	t.diagnostic(`${kills} kills`);
	assert.ok(kills >= 6, `${kills} kills`);
	await builder.json("build", drop(99, MONTH), "--replace", "--accept", "all");
	assert.deepEqual(readdirSync(join(data, "staging")), []);
	assert.deepEqual(readdirSync(join(data, "manifests")), [`${OLDER}.json`, `${MONTH}.json`]);
	assert.equal(readdirSync(join(data, "changes")).length, 1);
});

test("changes killed before any step of their publication are there whole or not at all", async (t) => {
	const builder = builderFolder(t);
	const { data } = builder;
	await builder.json("build", builder.write(`a-${OLDER}.csv`, csv(stateRows("CA", 10))));
	await builder.json("build", builder.write(`a-${MONTH}.csv`, csv(stateRows("CA", 12))));
	let kills = 0;
	for (let n = 1, killed = true; killed; n++) {
		rmSync(join(data, "changes"), { recursive: true });
		killed = killedAt(n, "changes,staging", "changes", OLDER, MONTH, "--data", data);
		if (killed) kills++;
		const changes = changesOf(data);
		assert.ok(changes !== null || killed, "changes that are made are there");
		if (changes !== null) assert.deepEqual(changes.totals, { new: 2, gone: 0, changed: 0 });
		const [from, to] = [openPublished(data, OLDER), openPublished(data, MONTH)];
		await whileLocked(data, () => makeChanges(data, from.folder, to.folder));
		assert.equal(changesOf(data)?.totals.new, 2, `after a kill before step ${n}`);
	}
	t.diagnostic(`${kills} kills`);
	assert.ok(kills >= 2, `${kills} kills`);
});

test("an export killed before any step of its publication leaves the files of before or all of its own", async (t) => {
	const builder = builderFolder(t);
	const { data } = builder;
	const rows = [...stateRows("CA", 9), ...stateRows("TX", 5)];
	await builder.json("build", builder.write(`a-${MONTH}.csv`, csv(rows)), "--accept", "all");
	await builder.json("export", MONTH, "--state", "TX", "--format", "csv.gz");
	const folder = exportsFolder(data, described(openPublished(data, MONTH)));
	const before = join(builder.folder, "before");
	cpSync(folder, before, { recursive: true });
	/** The files that are listed; each is there with its length. */
	const listed = (): number => {
		const files = readExportManifest(folder)?.files ?? [];
		for (const file of files)
			assert.equal(readFileSync(join(folder, storedExportName(file))).length, file.bytes);
		return files.length;
	};
	let kills = 0;
	for (let n = 1, killed = true; killed; n++) {
		rmSync(folder, { recursive: true });
		cpSync(before, folder, { recursive: true });
		const args = ["export", MONTH, "--format", "csv.gz", "--data", data];
		killed = killedAt(n, "exports", ...args);
		if (killed) kills++;
		const files = listed();
		assert.ok(files === 3 || (killed && files === 1), `${files} files are listed, killed before step ${n}`);
	}
	t.diagnostic(`${kills} kills`);
	assert.ok(kills >= 5, `${kills} kills`);
	assert.equal(readdirSync(folder).length, 4, "what a killed export left is removed by the next");
	assert.deepEqual(readdirSync(join(data, "staging")), []);
});
