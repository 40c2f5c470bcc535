/** Verification detects corruption under valid checksums: each section is checked against the columns. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { crc32 } from "node:zlib";
import { BuildError } from "../../builder/errors.js";
import {
	CATALOG_FILE,
	type Catalog,
	CUMULATIVE_ROWS_MIN,
	columnNamed,
	columnWithCode,
	decodeCatalog,
	encodeCatalog,
	FormatError,
	ROW_STORE_FOLDER,
	SnapshotFiles,
	sectionName,
	snapshotFolder,
} from "../../formats/index.js";
import { compileRows } from "../engine/compiled-month.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { Draw } from "../oracle/draw.js";
import type { RawRow } from "../oracle/naive-rows.js";
import { verifySnapshot } from "../oracle/verify-snapshot.js";
import { builderFolder, csv, stateRows } from "./builder-process.js";

const MONTH = "2026-11";
/** Bits flipped in each section. */
const FLIPS = 1;

/** The values of `values` in turn; every `gap`th row is empty. */
function turn(i: number, values: readonly string[], gap = 0): string {
	return gap > 0 && i % gap === 0 ? "" : values[i % values.length];
}

/** Rows in which every column has values, with duplicates and values of equal fold among them. */
function rowsOf(count: number): RawRow[] {
	return Array.from({ length: count }, (_, i) => ({
		state: turn(i, ["CA", "ON", "TX"]),
		member_full_name: `Ann${i % 50} Lee`,
		member_first_name: turn(i, ["Ann", "ANN"]),
		member_last_name: turn(i, ["Lee", "lee", "Ng", ""]),
		member_type: turn(i, ["Broker", "Agent"]),
		member_address: turn(i, [`${i} Main St`], 5),
		member_city: `City${i % 9}`,
		member_state_or_province: "CA",
		member_postal_code: String(90_000 + (i % 11)),
		office_name: turn(i, ["ACME", "", "Acme", "", ""], 7),
		office_broker_name: `Broker ${i % 4}`,
		member_state_license_number: turn(i, [`L${i % 200}`], 13),
		member_license_status: turn(i, ["Active", "ACTIVE", "Expired"]),
		member_license_issued: `2020-01-${10 + (i % 20)}`,
		member_license_expires: turn(i, [`2027-0${1 + (i % 9)}-15`], 8),
		member_license_first_issued: `2010-01-${10 + (i % 20)}`,
		member_email: turn(i, [`a${i}@example.org`], 2),
		member_preferred_phone: turn(i, [`555 ${i}`], 3),
		matched_email: turn(i, [`m${i}@example.org`], 4),
		matched_phone: turn(i, [`556 ${i}`], 4),
		last_refreshed: "2026-11-05",
	}));
}

function readCatalog(folder: string): Catalog {
	const path = join(folder, CATALOG_FILE);
	return decodeCatalog(readFileSync(path), path).catalog;
}

/**
 * Flips one bit of a section of the files in `folder` and corrects the checksum. Returns a function that
 * undoes it.
 */
function lie(folder: string, index: number, draw: Draw): () => void {
	const catalog = readCatalog(folder);
	const section = catalog.sections[index];
	const path = join(folder, catalog.files[section.file].name);
	const before = readFileSync(path);
	const catalogBefore = readFileSync(join(folder, CATALOG_FILE));
	const bytes = Buffer.from(before);
	bytes[section.offset + draw.below(section.bytes)] ^= 1 << draw.below(8);
	writeFileSync(path, bytes);
	const crc = crc32(bytes.subarray(section.offset, section.offset + section.bytes));
	const sections = catalog.sections.map((other, i) => (i === index ? { ...other, crc } : other));
	writeFileSync(join(folder, CATALOG_FILE), encodeCatalog({ ...catalog, sections }));
	return () => {
		writeFileSync(path, before);
		writeFileSync(join(folder, CATALOG_FILE), catalogBefore);
	};
}

/** Links the row store to the snapshot around it again. */
function adopt(folder: string): void {
	const store = join(folder, ROW_STORE_FOLDER);
	const { crc } = SnapshotFiles.open(folder);
	writeFileSync(join(store, CATALOG_FILE), encodeCatalog({ ...readCatalog(store), parentCrc: crc }));
}

async function compiled(t: TestContext, rows: number, rowStore: boolean): Promise<string> {
	const data = mkdtempSync(join(MEMORY_FOLDER, "rollcall-test-"));
	t.after(() => rmSync(data, { recursive: true }));
	await compileRows(rowsOf(rows), MONTH, data, rowStore, new Draw(3));
	return snapshotFolder(data, MONTH);
}

function foundLie(folder: string): boolean {
	try {
		verifySnapshot(SnapshotFiles.open(folder));
		return false;
	} catch (error) {
		// Also sections that the decoder refuses to read.
		if (error instanceof BuildError || error instanceof FormatError || error instanceof RangeError)
			return true;
		throw error;
	}
}

/** Corrupts every section of the catalog in `sub` in turn and expects each to be detected. */
function findEveryLie(t: TestContext, sound: string, sub: string): void {
	const { sections } = readCatalog(join(sound, sub));
	const missed: string[] = [];
	let lies = 0;
	sections.forEach(({ kind, column, bytes }, index) => {
		for (let flip = 0; flip < FLIPS && bytes > 0; flip++) {
			const undo = lie(join(sound, sub), index, new Draw(index * 31 + flip));
			adopt(sound);
			lies++;
			if (!foundLie(sound))
				missed.push(`${sectionName(kind)} of ${columnWithCode(column)?.name}, flip ${flip}`);
			undo();
			adopt(sound);
		}
	});
	assert.deepEqual(missed, []);
	t.diagnostic(`${lies} lies found`);
}

test("a flipped bit in any section of a small month is found", async (t) => {
	const sound = await compiled(t, 300, true);
	assert.deepEqual(verifySnapshot(SnapshotFiles.open(sound)).row_store, true);
	findEveryLie(t, sound, "");
	findEveryLie(t, sound, ROW_STORE_FOLDER);
	verifySnapshot(SnapshotFiles.open(sound));
});

test("the command verifies all months or those named, on worker threads, and names corrupt sections", async (t) => {
	const builder = builderFolder(t);
	await builder.json("build", builder.write("a-2026-10.csv", csv(stateRows("CA", 60))));
	await builder.json("build", builder.write("b-2026-11.csv", csv(stateRows("CA", 60))), "--row-store");
	const sound = await builder.json<{ month: string; row_store: boolean }[]>("verify", "--threads", "2");
	assert.deepEqual(
		sound.map(({ month, row_store }) => [month, row_store]),
		[
			["2026-11", true],
			["2026-10", true],
		],
	);
	const folder = snapshotFolder(builder.data, "2026-11");
	const index = readCatalog(folder).sections.findIndex(
		({ kind }) => sectionName(kind) === "statePermutation",
	);
	lie(folder, index, new Draw(1));
	adopt(folder);
	const { code, stderr } = await builder.run("verify", "--threads", "2");
	assert.equal(code, 1);
	assert.equal((await builder.run("verify")).stderr, stderr, "the calling thread finds the same");
	assert.match(stderr, /^builder: .*2026-11, column \w+: [^\n]+\n$/);
	assert.equal((await builder.run("verify", "2026-10")).code, 0);
});

test("a flipped bit in the buckets of a column with many values is found", async (t) => {
	const many = Array.from({ length: 2000 }, (_, i) => ({
		...rowsOf(1)[0],
		member_full_name: `Ann ${i % 700}`,
	}));
	const data = mkdtempSync(join(MEMORY_FOLDER, "rollcall-test-"));
	t.after(() => rmSync(data, { recursive: true }));
	await compileRows(many, MONTH, data, false, new Draw(3));
	const sound = snapshotFolder(data, MONTH);
	verifySnapshot(SnapshotFiles.open(sound));
	const name = columnNamed("member_full_name").code;
	for (const kind of ["orderBuckets", "orderBucketRanks"]) {
		const lying = readCatalog(sound).sections.findIndex(
			(section) => sectionName(section.kind) === kind && section.column === name,
		);
		assert.ok(lying >= 0, kind);
		const undo = lie(sound, lying, new Draw(9));
		assert.ok(foundLie(sound), kind);
		undo();
	}
});

test("a flipped bit in what large months alone have is found", async (t) => {
	const sound = await compiled(t, CUMULATIVE_ROWS_MIN, false);
	verifySnapshot(SnapshotFiles.open(sound));
	const { sections } = readCatalog(sound);
	for (const name of ["cumulativeBitmaps", "orderCountValues", "orderCounts"]) {
		const lying = sections.findIndex(({ kind }) => sectionName(kind) === name);
		assert.ok(lying >= 0, name);
		for (let flip = 0; flip < 3; flip++) {
			const undo = lie(sound, lying, new Draw(flip));
			assert.ok(foundLie(sound), `${name}, flip ${flip}`);
			undo();
		}
	}
});

test("a section that the catalog leaves out is missed", async (t) => {
	const sound = await compiled(t, 300, false);
	const catalog = readCatalog(sound);
	const path = join(sound, CATALOG_FILE);
	const original = readFileSync(path);
	const missed: string[] = [];
	catalog.sections.forEach(({ kind, column }, index) => {
		const sections = catalog.sections.filter((_, i) => i !== index);
		writeFileSync(path, encodeCatalog({ ...catalog, sections }));
		if (!foundLie(sound)) missed.push(`${sectionName(kind)} of ${columnWithCode(column)?.name}`);
	});
	writeFileSync(path, original);
	assert.deepEqual(missed, []);
	verifySnapshot(SnapshotFiles.open(sound));
});
