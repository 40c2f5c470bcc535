/** What publishing, locking and listing months do at their edges: what is left behind, refused, and reported. */

import assert from "node:assert/strict";
import fs, {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { buildMonth } from "../../builder/build/build-month.js";
import { BuildError, type BuildErrorCode } from "../../builder/errors.js";
import { readHeld } from "../../builder/months/held-months.js";
import { BuilderLock } from "../../builder/months/lock.js";
import { Staging, whileLocked } from "../../builder/months/publish.js";
import { restoreMonth, retireMonth } from "../../builder/months/retire.js";
import { retiredManifestFile } from "../../builder/months/switch-month.js";
import { describeMonth, describeRetired, openPublished } from "../../builder/published-months.js";
import { remnantName } from "../../formats/files/durable.js";
import { manifestFile, ROW_STORE_FOLDER, SnapshotFiles, snapshotFolder } from "../../formats/index.js";
import { fixtureFolder } from "../http/served.js";
import { MEMORY_FOLDER } from "../memory-folder.js";

function scratch(t: TestContext): string {
	const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-months-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

async function months(t: TestContext): Promise<string> {
	const folder = await fixtureFolder();
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

const isError = (code: BuildErrorCode, file?: string) => (error: unknown) =>
	error instanceof BuildError && error.code === code && (file === undefined || error.file === file);

test("a month whose files cannot be reached is not said to be unpublished", async (t) => {
	const data = await months(t);
	const folder = snapshotFolder(data, "2026-10");
	rmSync(folder, { recursive: true });
	assert.throws(() => describeMonth(data, "2026-10"), isError("not_published"));
	// A folder without the right to read it, which the superuser always has.
	symlinkSync(folder, folder);
	assert.throws(() => describeMonth(data, "2026-10"), /FormatError: .*2026-10\/catalog: ELOOP: /);
});

test("the next builder removes manifests of months that are neither published nor retired", async (t) => {
	const data = await months(t);
	retireMonth(data, "2026-09");
	for (const name of ["2026-08.json", "2026-11.next.json", "notes.json"])
		writeFileSync(join(data, "manifests", name), "{}");
	const left = join(data, "staging", "2026-08-999");
	mkdirSync(left, { recursive: true });
	Staging.open(data, "2026-12").close();
	for (const [name, stays] of [
		["2026-08.json", false],
		["2026-11.next.json", false],
		["notes.json", true],
		["2026-09.json", true],
		["2026-11.json", true],
	] as const)
		assert.equal(existsSync(join(data, "manifests", name)), stays, name);
	assert.equal(existsSync(left), false);
	assert.equal(existsSync(join(data, "staging", "lock")), false);
});

test("a month is built where none is published or retired, and replaced where one is", async (t) => {
	const data = await months(t);
	const folder = snapshotFolder(data, "2026-11");
	assert.throws(() => Staging.open(data, "2026-11"), isError("already_published", folder));
	assert.throws(() => Staging.open(data, "2026-12", "replace"), isError("not_published"));
	Staging.open(data, "2026-11", "replace").close();
	retireMonth(data, "2026-10");
	const retired = join(data, "retired", "2026-10");
	assert.throws(() => Staging.open(data, "2026-10"), isError("already_published", retired));
	// As after a month was replaced: one of it is published, another retired.
	mkdirSync(join(data, "retired", "2026-11"));
	assert.throws(
		() => Staging.open(data, "2026-11", "replace"),
		isError("already_published", join(data, "retired", "2026-11")),
	);
	assert.equal(existsSync(join(data, "staging", "lock")), false, "what is refused leaves no lock");
});

test("a lock that another holds is named, and one that cannot be written is an error of the file", (t) => {
	const path = join(scratch(t), "lock");
	const lock = BuilderLock.take(path);
	assert.throws(() => BuilderLock.take(path), isError("another_builder", path));
	const running = new RegExp(`: another watcher \\(process ${process.pid}\\) is running$`);
	assert.throws(() => BuilderLock.take(path, "watcher"), running);
	assert.equal(existsSync(path), true);
	writeFileSync(path, "another");
	assert.throws(() => lock.requireHeld(), isError("another_builder", path));
	const nowhere = join(path, "..", "none", "lock");
	assert.throws(() => BuilderLock.take(nowhere), isError("unwritable_file", nowhere));
});

test("a lock that is gone is lost, and one that cannot be moved aside is an error", (t) => {
	const path = join(scratch(t), "lock");
	const lock = BuilderLock.take(path);
	rmSync(path);
	assert.throws(() => lock.requireHeld(), isError("another_builder", path));
	lock.release();
	writeFileSync(path, `${2 ** 30} boot 1`);
	const { renameSync } = fs;
	const restore = () => {
		fs.renameSync = renameSync;
		syncBuiltinESMExports();
	};
	t.after(restore);
	fs.renameSync = () => {
		throw Object.assign(new Error("refused"), { code: "EACCES" });
	};
	syncBuiltinESMExports();
	assert.throws(() => BuilderLock.take(path), { code: "EACCES" });
	// Another builder has removed it first.
	fs.renameSync = () => {
		rmSync(path);
		throw Object.assign(new Error("gone"), { code: "ENOENT" });
	};
	syncBuiltinESMExports();
	const taken = BuilderLock.take(path);
	restore();
	taken.release();
	assert.equal(existsSync(path), false);
});

test("the next command removes what interrupted removals have left", async (t) => {
	const data = await months(t);
	const left = ["retired", "held", "changes", "exports"].map((name) =>
		join(data, name, remnantName("2026-08")),
	);
	for (const folder of left) {
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, "part"), "");
	}
	await whileLocked(data, () => undefined);
	for (const folder of left) assert.equal(existsSync(folder), false, folder);
	assert.equal(existsSync(snapshotFolder(data, "2026-11")), true);
	await assert.rejects(
		whileLocked(join(data, "none"), () => undefined),
		isError("missing_file"),
	);
});

test("a month is neither retired over another nor restored without its manifest, and damage is named", async (t) => {
	const data = await months(t);
	const occupied = join(data, "retired", "2026-10");
	mkdirSync(occupied, { recursive: true });
	assert.throws(() => retireMonth(data, "2026-10"), isError("already_published", occupied));
	assert.throws(() => restoreMonth(data, "2026-10"), isError("already_published", `${occupied}.json`));
	assert.throws(() => retireMonth(data, "2026-08"), isError("not_published"));
	assert.throws(() => restoreMonth(data, "2026-08"), isError("not_retired"));
	mkdirSync(join(data, "held", "2026-12"), { recursive: true });
	const held = join(data, "held", "2026-12.json");
	assert.equal(readHeld(data, "2026-12"), null, "a folder without a manifest is no held month");
	writeFileSync(held, "{}");
	assert.throws(() => readHeld(data, "2026-12"), isError("not_held", held));
});

test("a published month is opened by its name, and any other name is refused", async (t) => {
	const data = await months(t);
	assert.equal(openPublished(data, null).catalog.month, "2026-11");
	assert.equal(openPublished(data, "2026-09").catalog.month, "2026-09");
	assert.throws(() => openPublished(data, "2026-13"), isError("bad_month"));
	assert.throws(() => openPublished(data, "2026-08"), isError("not_published"));
	assert.throws(() => openPublished(scratch(t), null), isError("not_published"));
	const none = join(data, "none");
	assert.throws(() => openPublished(none, "2026-11"), isError("missing_file", none));
});

test("a folder with the name of another month is not opened as that month", async (t) => {
	const data = await months(t);
	fs.renameSync(snapshotFolder(data, "2026-11"), snapshotFolder(data, "2026-12"));
	const expected = { code: "wrong_file", message: /expected the month 2026-12, got 2026-11/ };
	assert.throws(() => openPublished(data, "2026-12"), expected);
	assert.throws(() => describeMonth(data, "2026-12"), expected);
});

test("a month is listed with its bytes, and a retired one with the time it was built at", async (t) => {
	const data = await months(t);
	const folder = snapshotFolder(data, "2026-11");
	const { catalog } = SnapshotFiles.open(folder);
	const described = describeMonth(data, "2026-11");
	const onDisk = catalog.files.reduce((sum, { name }) => sum + statSync(join(folder, name)).size, 0);
	assert.ok(onDisk > 10_000);
	assert.deepEqual([described.bytes, described.rows], [onDisk, catalog.rows]);
	assert.ok(described.row_store_bytes > 1_000 && existsSync(join(folder, ROW_STORE_FOLDER)));
	assert.match(described.built_at ?? "", /^2026-11-28T/);
	rmSync(manifestFile(data, "2026-11"));
	assert.equal(describeMonth(data, "2026-11").built_at, null);
	retireMonth(data, "2026-10");
	assert.match(describeRetired(data, "2026-10").built_at ?? "", /^2026-10-28T/);
	// Replaced: its own manifest is beside it, and that of the one in its place is the published.
	const own = JSON.parse(readFileSync(manifestFile(data, "2026-10"), "utf8"));
	writeFileSync(
		retiredManifestFile(data, "2026-10"),
		JSON.stringify({ ...own, built_at: "2026-10-29T00:00:00.000Z" }),
	);
	assert.match(describeRetired(data, "2026-10").built_at ?? "", /^2026-10-29T/);
});

test("what the system refuses while a month is written is one error that names the file, a defect is itself", async (t) => {
	const data = scratch(t);
	const drop = join(data, "drop-2026-11.csv");
	writeFileSync(drop, "state,member_state_license_number\nTX,1\n");
	const options = { files: [drop], dataFolder: data, month: "2026-11", maps: [], dateFormat: null };
	const build = () =>
		buildMonth({
			...options,
			accept: new Set(["all"]),
			dryRun: false,
			rowStore: true,
			threads: null,
			now: () => new Date(0),
		} as unknown as Parameters<typeof buildMonth>[0]);
	const { renameSync } = fs;
	const restore = () => {
		fs.renameSync = renameSync;
		syncBuiltinESMExports();
	};
	t.after(restore);
	for (const [code, path] of [
		["ENOSPC", "/disk/a"],
		["EDQUOT", "/disk/b"],
		["EIO", "/disk/c"],
		["EROFS", "/disk/d"],
		["EACCES", undefined],
		["EINVAL", "/disk/e"],
	] as const) {
		const refusal = Object.assign(new Error(`${code}: refused`), { code, path, syscall: "rename" });
		fs.renameSync = () => {
			throw refusal;
		};
		syncBuiltinESMExports();
		const rejected = build();
		if (code === "EINVAL") await assert.rejects(rejected, refusal);
		else
			await assert.rejects(
				rejected,
				isError("unwritable_file", path ?? join(data, "staging", `2026-11-${process.pid}`)),
			);
		restore();
		assert.equal(existsSync(snapshotFolder(data, "2026-11")), false);
		assert.equal(existsSync(join(data, "staging", "lock")), false, "the lock is given back");
	}
	await build();
	assert.equal(existsSync(snapshotFolder(data, "2026-11")), true);
});
