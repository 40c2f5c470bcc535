/**
 * From a CSV document to a published month: for any column order, quoting, line ends, chunk boundaries
 * and threads, the snapshot has the same bytes as one compiled from the rows that the naive reader
 * finds, and those rows are the engine's.
 */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { buildMonth } from "../../builder/build/build-month.js";
import { compileMonth } from "../../builder/compile/compile-month.js";
import { parseMonth } from "../../builder/csv/index.js";
import type { BuilderTasks } from "../../builder/tasks.js";
import { compareSample, drawSample } from "../../builder/verify/read-back.js";
import { WorkerPool } from "../../builder/workers/pool.js";
import { openLibrary } from "../../engine/index.js";
import { COLUMNS, SnapshotFiles, snapshotFolder } from "../../formats/index.js";
import { scratchFolder } from "../formats/hand-made-snapshot.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { Draw } from "../oracle/draw.js";
import { acceptedRows, makeRows, type RawRow, readCsv } from "../oracle/naive-rows.js";
import { randomMonth, rawRows, writeCsv } from "../oracle/random-month.js";
import { checkAsyncProperty } from "../oracle/seeded.js";
import { compileRows, openMonth, runHere } from "./compiled-month.js";

const pool = new WorkerPool<BuilderTasks>(2);
after(() => pool.close());

/** A document costs as much time as this many queries. */
const CASES_PER_DOCUMENT = 40;

/** A reason for rejecting a row. */
const FAULTS: readonly RawRow[] = [
	{ state: "ZZ" },
	{ state: "" },
	{ state: "Cascadia" },
	{ state: "TX", country: "CA" },
	{ member_license_issued: "2023-02-29" },
	{ member_license_expires: "31.12.2026" },
	{ last_refreshed: "2026-11-31" },
	{ agent_count: "-1" },
	{ agent_count: "1e3" },
	{ agent_count: "1000000000" },
];

/** `raw` with a fault in some rows, in columns that the drop has. */
function spoil(raw: readonly RawRow[], draw: Draw): RawRow[] {
	const columns = Object.keys(raw[0]);
	const possible = FAULTS.filter((fault) => Object.keys(fault).every((name) => columns.includes(name)));
	return raw.map((row) => (draw.oneIn(6) ? { ...row, ...draw.pick(possible) } : row));
}

test("a CSV document builds to the snapshot of the rows that the naive reader finds", async (t) => {
	await checkAsyncProperty(
		t,
		75,
		fc.asyncProperty(randomMonth(120), fc.nat(), async (month, seed) => {
			const draw = new Draw(seed);
			const text = writeCsv(spoil(rawRows(month), draw), draw);
			const raw = readCsv(text);
			const scratch = mkdtempSync(join(MEMORY_FOLDER, "rollcall-test-"));
			t.after(() => rmSync(scratch, { recursive: true }));
			const file = join(scratch, "drop.csv");
			const compiled = join(scratch, "compiled");
			mkdirSync(snapshotFolder(compiled, month.month), { recursive: true });
			writeFileSync(file, (draw.oneIn(4) ? "\ufeff" : "") + text);
			const parsed = await parseMonth({
				files: [file],
				rejectFile: join(scratch, "rejects.csv"),
				chunkBytes: draw.pick([1024, 4096, 1 << 20]),
				pool,
			});
			assert.equal(parsed.rows, acceptedRows(raw).length);
			assert.equal(parsed.rejects.rows, raw.length - parsed.rows);
			if (parsed.rows === 0) return;
			const target = snapshotFolder(compiled, month.month);
			const sample = drawSample(parsed, seed);
			const { order } = await compileMonth(parsed, { month: month.month, folder: target, run: runHere });
			compareSample(sample, order, SnapshotFiles.open(target));
			assert.ok(sample.records.size > 0, "records are read back by their bytes");
			await compileRows(raw, month.month, join(scratch, "expected"), false, draw);
			const built = openMonth(compiled, "mmap");
			assert.equal(built.digest, openMonth(join(scratch, "expected"), "mmap").digest);
			const rows = makeRows(raw, month.month);
			const projection = { columns: COLUMNS.map((c) => c.name), masked: false };
			for (const position of [0, rows.length - 1, draw.below(rows.length)]) {
				assert.deepEqual(built.record(position, projection), rows[position]);
			}
		}),
		CASES_PER_DOCUMENT,
	);
});

test("several files of one month are built as one, in the order given", async (t) => {
	const folder = scratchFolder(t);
	const first: RawRow[] = [
		{ state: "CA", member_state_license_number: "2", member_last_name: "Zed", office_name: "A" },
		{ state: "CA", member_state_license_number: "1", member_last_name: "Amy", office_name: "A" },
	];
	const second: RawRow[] = [
		{ state: "CA", member_state_license_number: "1", member_last_name: "amy", member_city: "Ely" },
	];
	const files = [first, second].map((raw, i) => {
		const file = join(folder, `part-${i}.csv`);
		writeFileSync(file, writeCsv(raw, new Draw(i)));
		return file;
	});
	const data = join(folder, "data");
	mkdirSync(data);
	const report = await buildMonth({
		files,
		dataFolder: data,
		month: "2026-11",
		maps: [],
		dateFormat: null,
		accept: new Set(),
		dryRun: false,
		rowStore: true,
		threads: 2,
		now: () => new Date("2026-11-20T00:00:00Z"),
	});
	assert.deepEqual([report.rows, report.published], [3, true]);
	const snapshot = openLibrary({ dataFolder: data }).latest;
	assert.ok(snapshot !== null);
	const expected = makeRows([...first, ...second], "2026-11");
	const projection = { columns: COLUMNS.map((c) => c.name), masked: false };
	assert.deepEqual(
		expected.map((_, row) => snapshot.record(row, projection)),
		expected,
	);
	snapshot.verify();
});
