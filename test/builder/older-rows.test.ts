/** Rows of the older month beside the changes: as long as the newer month has stored rows, and never wrong. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { finishRowStore } from "../../builder/compile/row-store.js";
import { writeFile } from "../../builder/compile/write-column.js";
import { ByteSink, CHANGE_KINDS, ChangesWriter, openLibrary } from "../../engine/index.js";
import {
	CATALOG_FILE,
	COLUMNS,
	FILE_TYPE,
	monthNumber,
	olderRowsMax,
	rowSegmentFile,
	SECTION,
	TRACKED_COLUMNS,
} from "../../formats/index.js";
import { type BuilderFolder, builderFolder, csv, stateRows } from "./builder-process.js";

const FIELDS = TRACKED_COLUMNS.map(({ name }) => name);
const COLUMN_NAMES = COLUMNS.map(({ name }) => name);

/** Six licenses gone, ten changed and seven new from each month to the next. */
function drop(month: number): string {
	const rows = stateRows("CA", 40, month * 7).map((row, i) =>
		i % 3 === 0 ? { ...row, member_city: `Town ${month}` } : row,
	);
	return csv(rows.slice(month));
}

async function build(builder: BuilderFolder, month: number, ...flags: string[]) {
	const path = builder.write(`a-2026-0${month + 1}.csv`, drop(month));
	await builder.json("build", path, "--accept", "all", ...flags);
}

/** Pairs of months whose changes have older rows. */
function withRows({ data }: BuilderFolder): string[] {
	const folder = join(data, "changes");
	const names = existsSync(folder) ? readdirSync(folder).sort() : [];
	return names
		.filter((name) => existsSync(join(folder, name, "rows", CATALOG_FILE)))
		.map((name) => name.slice(0, 15));
}

/** All changes between the two newest months as the API writes them. */
function allChanges(data: string): string {
	const library = openLibrary({ dataFolder: data });
	const [to, from] = library.snapshots;
	const set = library.changes(from, to);
	const query = { filters: {}, geography: null, kinds: CHANGE_KINDS, fields: FIELDS, after: null };
	const page = set.query({ ...query, limit: 1_000 });
	const sink = new ByteSink();
	const writer = new ChangesWriter(set, { columns: COLUMN_NAMES, masked: false }, () => true, "ndjson");
	writer.entries(page, 0, 1_000, sink);
	library.close();
	return sink.view().toString();
}

test("changes to the month with stored rows have the older rows, and lose them with it", async (t: TestContext) => {
	const builder = builderFolder(t);
	await build(builder, 0);
	await build(builder, 1);
	assert.deepEqual(withRows(builder), ["2026-01_2026-02"]);
	await build(builder, 2);
	assert.deepEqual(withRows(builder), ["2026-02_2026-03"], "a newer month takes over");
	const before = allChanges(builder.data);
	assert.match(before, /"kind":"new".*"kind":"changed".*"kind":"gone"/s);
	await builder.json("rows", "drop", "2026-03");
	assert.deepEqual(withRows(builder), []);
	assert.equal(allChanges(builder.data), before, "from the columns");
	await builder.json("rows", "add", "2026-03");
	assert.deepEqual(withRows(builder), ["2026-02_2026-03"]);
	assert.equal(allChanges(builder.data), before);

	const running = openLibrary({ dataFolder: builder.data });
	await build(builder, 3, "--no-row-store");
	assert.deepEqual(withRows(builder), [], "a month without stored rows needs none");
	running.reload();
	running.close();
	await build(builder, 4, "--row-store");
	await build(builder, 3, "--replace", "--row-store");
	assert.deepEqual(withRows(builder), ["2026-03_2026-04", "2026-04_2026-05"], "both of a month in between");
	await builder.json("prune", "2026-04");
	await builder.json("retire", "2026-04");
	assert.deepEqual(withRows(builder), ["2026-03_2026-05"]);
	assert.equal((await builder.run("verify")).code, 0);
	rmSync(join(builder.data, "changes"), { recursive: true });
	await builder.json("changes");
	assert.deepEqual(withRows(builder), ["2026-03_2026-05"]);
});

test("damaged older rows are not opened, wrong ones are found by verify, others' are passed over", async (t: TestContext) => {
	const builder = builderFolder(t);
	for (const month of [0, 1]) await build(builder, month);
	const expected = allChanges(builder.data);
	const changes = join(builder.data, "changes", readdirSync(join(builder.data, "changes"))[0]);
	const rows = join(changes, "rows");
	const kept = Object.fromEntries(readdirSync(rows).map((name) => [name, readFileSync(join(rows, name))]));
	for (const [name, bytes] of Object.entries(kept)) {
		for (const at of [3, bytes.length >> 1, bytes.length - 1]) {
			const damaged = Buffer.from(bytes);
			damaged[at] ^= 4;
			writeFileSync(join(rows, name), damaged);
			assert.throws(() => allChanges(builder.data), { name: "FormatError" }, `${name}, byte ${at}`);
		}
		writeFileSync(join(rows, name), bytes);
	}
	assert.equal(allChanges(builder.data), expected);

	const [{ rows: newerRows }] = await builder.json<readonly { rows: number }[]>("list");
	/** Stores `count` rows that no month has, with sound checksums, rendered for the catalog in `parent`. */
	const store = (count: number, parent: string) => {
		rmSync(rows, { recursive: true });
		mkdirSync(rows);
		const text = Buffer.from('{"id":1},');
		const month = { month: monthNumber("2026-02"), rows: newerRows };
		const written = writeFile(join(rows, rowSegmentFile(0)), FILE_TYPE.rows, month, (writer) => {
			writer.write(SECTION.storedRows, 0, Buffer.concat(Array.from({ length: count }, () => text)));
			const offsets = Uint32Array.from({ length: count + 1 }, (_, i) => i * text.length);
			writer.write(SECTION.storedRowOffsets, 0, offsets);
		});
		finishRowStore(parent, rows, [written]);
	};
	const count = (expected.match(/"kind":"(changed|gone)"/g) ?? []).length;
	store(count, changes);
	const { code, stderr } = await builder.run("verify", "2026-02");
	assert.equal(code, 1);
	assert.match(stderr, /the stored values of row \d+ of 2026-01 are not those of the two months/);
	store(count - 1, changes);
	assert.throws(() => allChanges(builder.data), { code: "corrupt_catalog" });
	store(count, join(builder.data, "snapshots/2026-02"));
	assert.equal(allChanges(builder.data), expected);
});

test("more older rows than a sixteenth of a large month are not stored", () => {
	assert.deepEqual([0, 65_536, 2_500_000, 20_000_000].map(olderRowsMax), [4_096, 4_096, 156_250, 524_288]);
});
