/**
 * A library follows the data folder: months appear, disappear, fail to open, and stay readable while
 * referenced.
 */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ByteSink, DEFAULT_QUERY, EngineError, openLibrary, type Snapshot } from "../../engine/index.js";
import { CATALOG_FILE, COLUMNS, mappingMode, snapshotFolder } from "../../formats/index.js";
import { scratchFolder } from "../formats/hand-made-snapshot.js";
import { Draw } from "../oracle/draw.js";
import type { RawRow } from "../oracle/naive-rows.js";
import { compileRows } from "./compiled-month.js";

const RAW: RawRow[] = [
	{ state: "CA", member_last_name: "Okafor", member_state_license_number: "B2" },
	{ state: "CA", member_last_name: "Abe", member_state_license_number: "B1" },
	{ state: "ON", member_last_name: "Roy", member_state_license_number: "9" },
];

async function publish(dataFolder: string, month: string, raw: readonly RawRow[] = RAW): Promise<void> {
	await compileRows(raw, month, dataFolder, true, new Draw(1));
}

function lastNames(snapshot: Snapshot): unknown[] {
	return [...snapshot.query(DEFAULT_QUERY).rows].map((row) => snapshot.value(row, "member_last_name"));
}

test("a data folder that does not exist is refused, an empty one holds no month", (t) => {
	const folder = scratchFolder(t);
	assert.throws(() => openLibrary({ dataFolder: join(folder, "gone") }), {
		name: "EngineError",
		code: "no_such_folder",
	});
	const library = openLibrary({ dataFolder: folder });
	assert.deepEqual([library.latest, library.snapshots, library.failed], [null, [], []]);
});

test("a file in place of the data folder is refused, rather than holding no month", (t) => {
	const dataFolder = join(scratchFolder(t), "2026-11.csv");
	writeFileSync(dataFolder, "");
	assert.throws(() => openLibrary({ dataFolder }), { code: "no_such_folder", message: /is not a folder$/ });
});

test("a query sorted by a column that is not sortable breaks an invariant, and tells of no damaged file", async (t) => {
	const folder = scratchFolder(t);
	await publish(folder, "2026-11");
	const snapshot = openLibrary({ dataFolder: folder }).latest as Snapshot;
	for (const sort of [["member_email"], ["state", "member_city"]] as const) {
		assert.throws(() => snapshot.query({ ...DEFAULT_QUERY, sort }), {
			name: "InvariantError",
			message: `invariant broken: ${sort.at(-1)} is sortable`,
		});
	}
});

test("a projection without columns breaks an invariant in every format", async (t) => {
	const folder = scratchFolder(t);
	await publish(folder, "2026-11");
	const snapshot = openLibrary({ dataFolder: folder }).latest as Snapshot;
	const { rows } = snapshot.query(DEFAULT_QUERY);
	for (const format of ["json", "ndjson", "csv"] as const) {
		const render = () => snapshot.renderRows(rows, { columns: [], masked: false }, format, new ByteSink());
		assert.throws(render, { name: "InvariantError", message: "invariant broken: rows have columns" });
	}
});

test("months are listed newest first and found by name; other folders are ignored", async (t) => {
	const folder = scratchFolder(t);
	for (const month of ["2026-10", "2026-12", "2026-11"]) await publish(folder, month);
	mkdirSync(snapshotFolder(folder, "2026-11.tmp"));
	writeFileSync(snapshotFolder(folder, "notes.txt"), "");
	const library = openLibrary({ dataFolder: folder });
	assert.deepEqual(
		library.snapshots.map((s) => s.month),
		["2026-12", "2026-11", "2026-10"],
	);
	assert.equal(library.latest?.month, "2026-12");
	assert.equal(library.find("2026-11")?.month, "2026-11");
	assert.equal(library.find("2026-09"), undefined);
	assert.deepEqual(library.failed, []);
});

test("a reload opens new months, closes removed ones, and keeps the rest open", async (t) => {
	const folder = scratchFolder(t);
	await publish(folder, "2026-10");
	await publish(folder, "2026-11");
	const library = openLibrary({ dataFolder: folder });
	const kept = library.find("2026-11");
	assert.deepEqual(library.reload(), { opened: [], closed: [], failed: [] });
	await publish(folder, "2026-12");
	rmSync(snapshotFolder(folder, "2026-10"), { recursive: true });
	assert.deepEqual(library.reload(), { opened: ["2026-12"], closed: ["2026-10"], failed: [] });
	assert.equal(library.find("2026-11"), kept);
	assert.equal(library.latest?.month, "2026-12");
	library.close();
	assert.deepEqual([library.latest, library.find("2026-11")], [null, undefined]);
});

test("a month that is published again is opened again", async (t) => {
	const folder = scratchFolder(t);
	await publish(folder, "2026-11");
	const library = openLibrary({ dataFolder: folder });
	const before = library.latest;
	rmSync(snapshotFolder(folder, "2026-11"), { recursive: true });
	await publish(folder, "2026-11", RAW.slice(1));
	assert.deepEqual(library.reload().opened, ["2026-11"]);
	assert.notEqual(library.latest?.digest, before?.digest);
	assert.deepEqual([before?.rows, library.latest?.rows], [3, 2]);
});

test("a mapped snapshot stays readable after its folder is removed, also where nothing was read before", async (t) => {
	const folder = scratchFolder(t);
	await publish(folder, "2026-11");
	const library = openLibrary({ dataFolder: folder });
	const held = library.latest;
	assert.ok(held !== null);
	rmSync(snapshotFolder(folder, "2026-11"), { recursive: true });
	const unread = () => lastNames(held);
	if (mappingMode() === "mmap") assert.deepEqual(unread(), ["Roy", "Abe", "Okafor"]);
	else assert.throws(unread, { code: "unreadable" });
	library.reload();
	assert.equal(library.latest, null);
});

test("sections read before stay readable after the folder is removed", async (t) => {
	const folder = scratchFolder(t);
	await publish(folder, "2026-11");
	const held = openLibrary({ dataFolder: folder, mapping: "shared-memory" }).latest;
	assert.ok(held !== null);
	const before = lastNames(held);
	rmSync(snapshotFolder(folder, "2026-11"), { recursive: true });
	assert.deepEqual(lastNames(held), before);
});

test("a damaged month is reported and the others open", async (t) => {
	const folder = scratchFolder(t);
	await publish(folder, "2026-10");
	await publish(folder, "2026-11");
	const catalog = join(snapshotFolder(folder, "2026-11"), CATALOG_FILE);
	const sound = readFileSync(catalog);
	truncateSync(catalog, sound.length - 1);
	const library = openLibrary({ dataFolder: folder });
	assert.equal(library.latest?.month, "2026-10");
	assert.deepEqual(
		library.failed.map((f) => [f.month, f.error.code]),
		[["2026-11", "truncated"]],
	);
	// Published anew: the builder renames a sound folder into place.
	const aside = join(folder, "aside");
	renameSync(snapshotFolder(folder, "2026-11"), aside);
	writeFileSync(catalogIn(aside), sound);
	renameSync(aside, snapshotFolder(folder, "2026-11"));
	assert.deepEqual(library.reload(), { opened: ["2026-11"], closed: [], failed: [] });
});

test("a folder with the name of another month is reported and not served as that month", async (t) => {
	const folder = scratchFolder(t);
	for (const month of ["2026-09", "2026-10", "2026-11"]) await publish(folder, month);
	const library = openLibrary({ dataFolder: folder });
	const named = (month: string) => snapshotFolder(folder, month);
	const exchanged = ["2026-09", "2026-10"];
	renameSync(named("2026-09"), join(folder, "aside"));
	renameSync(named("2026-10"), named("2026-09"));
	renameSync(join(folder, "aside"), named("2026-10"));
	renameSync(named("2026-11"), named("2026-12"));
	assert.deepEqual(
		library.reload().failed.map(({ month, error }) => [month, error.code]),
		[...exchanged, "2026-12"].map((month) => [month, "wrong_file"]),
	);
	// Those that were open stay as they were.
	assert.deepEqual(
		exchanged.map((month) => library.find(month)?.month),
		exchanged,
	);
	const anew = openLibrary({ dataFolder: folder });
	assert.deepEqual([anew.latest, anew.failed.length], [null, 3]);
	renameSync(named("2026-12"), named("2026-11"));
	assert.deepEqual(anew.reload().opened, ["2026-11"]);
	assert.equal(anew.latest?.month, "2026-11");
});

function catalogIn(folder: string): string {
	return join(folder, CATALOG_FILE);
}

test("the same rows give the same digest, a changed value another", async (t) => {
	const [one, two, other] = [scratchFolder(t), scratchFolder(t), scratchFolder(t)];
	await compileRows(RAW, "2026-11", one, true, new Draw(1));
	await compileRows(RAW, "2026-11", two, false, new Draw(99));
	await publish(other, "2026-11", [...RAW.slice(1), { ...RAW[0], member_email: "o@example.com" }]);
	const digest = (dataFolder: string) => openLibrary({ dataFolder }).latest?.digest;
	assert.equal(digest(one), digest(two));
	assert.notEqual(digest(one), digest(other));
	assert.match(digest(one) ?? "", /^[0-9a-f]{8}$/);
});

test("ids, rows and licenses that a snapshot lacks are answered without an exception", async (t) => {
	const folder = scratchFolder(t);
	await publish(folder, "2026-11");
	const snapshot = openLibrary({ dataFolder: folder }).latest;
	assert.ok(snapshot !== null);
	assert.equal(snapshot.rowOfId(32_200_000_003), 2);
	for (const id of [
		0,
		1,
		-1,
		32_200_000_000,
		32_200_000_004,
		32_100_000_001,
		32_300_000_001,
		2 ** 53,
		1.5,
		Number.NaN,
	]) {
		assert.equal(snapshot.rowOfId(id), -1, String(id));
	}
	assert.deepEqual([...snapshot.findLicense("TX", "B1")], []);
	assert.deepEqual([...snapshot.findLicense("ON", "B1")], []);
	assert.deepEqual([...snapshot.findLicense("CA", "b1")], []);
	assert.deepEqual([...snapshot.findLicense("CA", "B1")], [1]);
	snapshot.verify();
});

test("a limit beyond the page buffer is a typed error", async (t) => {
	const folder = scratchFolder(t);
	await publish(folder, "2026-11");
	const snapshot = openLibrary({ dataFolder: folder }).latest;
	assert.throws(
		() => snapshot?.query({ ...DEFAULT_QUERY, limit: 100_001 }),
		(error) => error instanceof EngineError && error.code === "limit_too_large",
	);
	assert.equal(snapshot?.query({ ...DEFAULT_QUERY, limit: 100_000 }).rows.length, 3);
});

test("more projections than the cache holds are rendered correctly", async (t) => {
	const folder = scratchFolder(t);
	await publish(folder, "2026-11");
	const snapshot = openLibrary({ dataFolder: folder }).latest;
	const sink = new ByteSink(16);
	const names = COLUMNS.map((c) => c.name);
	for (let i = 0; i < 300; i++) {
		const columns = names.filter((_, bit) => ((i + 1) >> (bit % 9)) & 1);
		sink.reset();
		snapshot?.renderRows(Uint32Array.of(0), { columns, masked: false }, "json", sink);
		assert.deepEqual(Object.keys(JSON.parse(sink.view().toString())), columns);
	}
});
