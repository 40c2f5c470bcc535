/**
 * Snapshots of earlier versions. Each folder vN beside this file has a drop and the snapshot that format
 * version N made of it. A snapshot of a supported version opens and answers as its drop says; one of an
 * unsupported version fails with what was expected and found; and the current builder still produces the
 * current version's bytes.
 *
 * Folders are only ever added. For a new version, make the folder with a copy of the last `drop.csv`, with what is new
 * in it; `ROLLCALL_UPDATE_GOLDEN=1 npm test -- compat` then makes the snapshot, and changes no existing one.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import {
	DEFAULT_QUERY,
	DIMENSION_NAMES,
	openLibrary,
	type Query,
	type Snapshot,
} from "../../engine/index.js";
import {
	COLUMNS,
	FORMAT_VERSION,
	OLDEST_READABLE_VERSION,
	ROW_VALUES_SINCE_VERSION,
	SNAPSHOTS_FOLDER,
	SORTABLE_COLUMNS,
	snapshotFolder,
} from "../../formats/index.js";
import { compileRows } from "../engine/compiled-month.js";
import { checkAggregate, checkQuery, checkRow, checkSuggest, rendered } from "../engine/conformance.js";
import { scratchFolder } from "../formats/hand-made-snapshot.js";
import { Draw } from "../oracle/draw.js";
import { NaiveMonth } from "../oracle/naive-query.js";
import { naiveJson } from "../oracle/naive-render.js";
import { makeRows, type RawRow, readCsv } from "../oracle/naive-rows.js";
import { randomQuery } from "../oracle/random-query.js";

const COMPAT = fileURLToPath(new URL("../../../test/compat", import.meta.url));
const BUILDER = fileURLToPath(new URL("../../builder/main.js", import.meta.url));
const SELF = "the comment at the beginning of test/compat/compat.test.ts";
const MONTH = "2026-11";
const WHOLE_ROW = { columns: COLUMNS.map((c) => c.name), masked: false };
/** Months of versions before it cannot be searched by name. */
const NAMES_SINCE_VERSION = 3;
/** Enough for each filter to be in some twenty of them. */
const RANDOM_QUERIES = 100;
const VERSIONS = readdirSync(COMPAT)
	.filter((name) => /^v\d+$/.test(name))
	.map((name) => Number(name.slice(1)));

function folderOf(version: number): string {
	return join(COMPAT, `v${version}`);
}

function dropOf(version: number): RawRow[] {
	return readCsv(readFileSync(join(folderOf(version), "drop.csv"), "utf8"));
}

/** Every file below `folder` by path, as bytes. */
function bytesBelow(folder: string): Record<string, Buffer> {
	const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
		entry.isFile(),
	);
	const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
	return Object.fromEntries(paths.map((path) => [path.slice(folder.length), readFileSync(path)]));
}

async function makeMissing(): Promise<void> {
	const folder = folderOf(FORMAT_VERSION);
	if (existsSync(join(folder, SNAPSHOTS_FOLDER))) return;
	await compileRows(dropOf(FORMAT_VERSION), MONTH, folder, true, new Draw(1));
	writeFileSync(join(folder, "digest"), `${openLibrary({ dataFolder: folder }).latest?.digest}\n`);
}

/**
 * Asks for all that a query can ask for: months of a version lack the indexes that filters and orders came to need
 * since. One filter at a time too, since a plan with several reads the index of one and probes the others.
 */
function askEverything(snapshot: Snapshot, naive: NaiveMonth, version: number): void {
	const ask = (asked: Partial<Query>) => checkQuery(snapshot, naive, { ...DEFAULT_QUERY, ...asked });
	for (const { name } of SORTABLE_COLUMNS)
		for (const order of ["asc", "desc"] as const) ask({ sort: [name], order });
	for (let seed = 0; seed < RANDOM_QUERIES; seed++) {
		const query = randomQuery(naive, new Draw(seed));
		const { name, ...others } = query.filters;
		const filters = version < NAMES_SINCE_VERSION ? others : query.filters;
		checkQuery(snapshot, naive, { ...query, filters });
		for (const [param, value] of Object.entries(filters)) ask({ filters: { [param]: value } });
		if (filters !== query.filters && name !== undefined)
			assert.throws(() => ask({ filters: { name } }), { code: "no_name_index" });
	}
	for (const dimension of DIMENSION_NAMES)
		checkAggregate(snapshot, naive, { by: [dimension], top: 100, minCount: 1 }, {}, null);
}

if (process.env.ROLLCALL_UPDATE_GOLDEN === "1") await makeMissing();

describe("snapshots of earlier builds", () => {
	for (const version of VERSIONS.filter((v) => v >= OLDEST_READABLE_VERSION)) {
		test(`a snapshot of version ${version} opens and answers as its drop says`, () => {
			const library = openLibrary({ dataFolder: folderOf(version) });
			assert.deepEqual(library.failed, []);
			const snapshot = library.latest;
			assert.ok(snapshot !== null);
			snapshot.verify();
			assert.equal(snapshot.digest, readFileSync(join(folderOf(version), "digest"), "utf8").trim());
			assert.equal(snapshot.hasRowStore, version >= ROW_VALUES_SINCE_VERSION);
			const naive = new NaiveMonth(MONTH, makeRows(dropOf(version), MONTH));
			askEverything(snapshot, naive, version);
			const { page, expected } = checkQuery(snapshot, naive, {
				...DEFAULT_QUERY,
				sort: ["member_last_name"],
			});
			const stored = rendered((sink) => snapshot.renderRows(page.rows, WHOLE_ROW, "json", sink));
			assert.equal(stored, naiveJson(expected.rows, WHOLE_ROW));
			for (const field of COLUMNS.filter((column) => column.suggest !== null).map(({ name }) => name))
				for (const state of [null, ...snapshot.states.map((run) => run.state)])
					for (const prefix of ["s", "m", "ma"])
						checkSuggest(snapshot, naive, { field, prefix, state, limit: 3, geography: null });
			naive.rows.forEach((_, row) => {
				checkRow(snapshot, naive, row, { ...WHOLE_ROW, masked: true });
			});
		});
	}

	test("rows stored by an earlier version are reported, and stored anew by `rows add`", (t) => {
		const data = scratchFolder(t);
		cpSync(folderOf(4), data, { recursive: true });
		const builder = (...words: string[]) => {
			const { status, stdout, stderr } = spawnSync(process.execPath, [BUILDER, ...words, "--data", data], {
				encoding: "utf8",
			});
			assert.equal(status, 0, stderr);
			return stdout;
		};
		const remedy = `\`builder rows add ${MONTH}\` stores them anew`;
		assert.ok(
			builder("verify").includes(`${MONTH}: rows stored by an earlier version are not used; ${remedy}`),
		);
		const answer = () => {
			const { latest } = openLibrary({ dataFolder: data });
			assert.ok(latest !== null);
			const rows = Uint32Array.from({ length: latest.rows }, (_, row) => row);
			const text = rendered((sink) => latest.renderRows(rows, WHOLE_ROW, "csv", sink));
			return { text, isStored: latest.hasRowStore };
		};
		const before = answer();
		builder("rows", "add", MONTH);
		assert.ok(!builder("verify").includes("earlier version"));
		assert.deepEqual(answer(), { text: before.text, isStored: !before.isStored });
	});

	for (const version of VERSIONS.filter((v) => v < OLDEST_READABLE_VERSION)) {
		test(`a snapshot of unsupported version ${version} is refused with what was expected and found`, () => {
			const [failure] = openLibrary({ dataFolder: folderOf(version) }).failed;
			assert.equal(failure.error.code, "unsupported_version");
			assert.match(failure.error.message, new RegExp(`expected format version .*, got ${version};`));
		});
	}

	test("the current version's drop still builds to the same bytes", async (t) => {
		const data = scratchFolder(t);
		assert.ok(VERSIONS.includes(FORMAT_VERSION), `test/compat has no v${FORMAT_VERSION}; see ${SELF}`);
		await compileRows(dropOf(FORMAT_VERSION), MONTH, data, true, new Draw(2));
		const built = bytesBelow(snapshotFolder(data, MONTH));
		const kept = bytesBelow(snapshotFolder(folderOf(FORMAT_VERSION), MONTH));
		const paths = [...new Set([...Object.keys(kept), ...Object.keys(built)])].sort();
		const changed = paths.filter((path) => !built[path]?.equals(kept[path] ?? Buffer.alloc(0)));
		assert.deepEqual(
			changed,
			[],
			"other bytes need another version: formats/SNAPSHOT.md, Limits and versions",
		);
	});
});
