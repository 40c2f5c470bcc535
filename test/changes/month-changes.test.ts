/** Comparison of months, its composition over several, and its file, against a naive comparison. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { compareInSlices, compareMonths } from "../../engine/changes/compare-months.js";
import { composeMonths, rowsOf } from "../../engine/changes/compose-months.js";
import { SnapshotColumns } from "../../engine/columns/snapshot-columns.js";
import { finishWork, SLICE_SIZES } from "../../engine/sliced-work.js";
import {
	FormatError,
	type MonthChanges,
	openChanges,
	SnapshotFiles,
	snapshotFolder,
	TRACKED_COLUMNS,
	writeChanges,
} from "../../formats/index.js";
import { compileRows } from "../engine/compiled-month.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { Draw } from "../oracle/draw.js";
import { makeRows, type NaiveRow } from "../oracle/naive-rows.js";
import { randomMonth } from "../oracle/random-month.js";
import { checkAsyncProperty } from "../oracle/seeded.js";
import { naiveChanges } from "./naive-changes.js";
import { relatedDrops } from "./related-months.js";

const MONTHS = ["2026-07", "2026-08", "2026-09", "2026-11"];

interface Month {
	readonly files: SnapshotFiles;
	readonly rows: readonly NaiveRow[];
}

/** Compiles related random months and runs `work` on them. */
function onMonths(count: number, work: (months: readonly Month[], folder: string) => void) {
	return fc.asyncProperty(randomMonth(60), randomMonth(40), fc.nat(), async (one, other, seed) => {
		const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-changes-"));
		try {
			const draw = new Draw(seed);
			const months: Month[] = [];
			for (const [i, drop] of relatedDrops(one, other, count, draw).entries()) {
				await compileRows(drop, MONTHS[i], folder, false, draw);
				const files = SnapshotFiles.open(snapshotFolder(folder, MONTHS[i]));
				months.push({ files, rows: makeRows(drop, MONTHS[i]) });
			}
			work(months, folder);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});
}

/** The changes in the words of the naive comparison: rows by position. */
function told(changes: MonthChanges): unknown[] {
	const fieldsOf = (row: number) =>
		TRACKED_COLUMNS.map((c) => c.name).filter((name) => {
			const words = changes.fields.get(name) as Uint32Array;
			return ((words[row >>> 5] >>> (row & 31)) & 1) === 1;
		});
	return [
		...[...rowsOf(changes.newRows)].map((row) => ["new", row, null, []]),
		...[...rowsOf(changes.goneRows)].map((row) => ["gone", null, row, []]),
		...[...rowsOf(changes.changedRows)].map((row) => [
			"changed",
			row,
			changes.previousRows[row],
			fieldsOf(row),
		]),
	];
}

function expected(from: Month, to: Month): unknown[] {
	const place = (rows: readonly NaiveRow[], row: NaiveRow | null) =>
		row === null ? null : rows.indexOf(row);
	return naiveChanges(from.rows, to.rows).map(({ kind, row, previous, fields }) => [
		kind,
		place(to.rows, row),
		place(from.rows, previous),
		fields,
	]);
}

function described({ files }: Month) {
	return { month: files.catalog.month, rows: files.catalog.rows, crc: files.crc };
}

test("the changes between two random months are those of a naive comparison, in either order", async (t) => {
	const property = onMonths(2, ([a, b]) => {
		for (const [from, to] of [
			[a, b],
			[b, a],
			[a, a],
		]) {
			const changes = compareMonths(from.files, to.files);
			assert.deepEqual(told(changes), expected(from, to));
			const count = (kind: string) => expected(from, to).filter((c) => (c as unknown[])[0] === kind).length;
			assert.deepEqual(changes.totals, { new: count("new"), gone: count("gone"), changed: count("changed") });
		}
	});
	await checkAsyncProperty(t, 80, property);
});

test("changes composed over months in between are those of a direct comparison", async (t) => {
	const property = onMonths(4, (months) => {
		for (const first of [0, 1]) {
			const way = months.slice(first);
			const steps = way.slice(1).map((month, i) => compareMonths(way[i].files, month.files));
			const onWay = way.map(({ files }) => ({
				rows: files.catalog.rows,
				columns: new SnapshotColumns(files),
			}));
			const expected = compareMonths(way[0].files, way[way.length - 1].files);
			for (const sizes of [SLICE_SIZES, { rows: 7, lookups: 2 }])
				assert.deepEqual(finishWork(composeMonths(onWay, steps, sizes)), expected);
			const compared = compareInSlices(way[0].files, way[way.length - 1].files, { rows: 5, lookups: 1 });
			assert.deepEqual(finishWork(compared), expected);
		}
	});
	await checkAsyncProperty(t, 60, property);
});

test("a file of changes contains what was written, names its months, and damage in any byte is detected", async (t) => {
	const property = onMonths(2, ([from, to], folder) => {
		const changes = compareMonths(from.files, to.files);
		const target = join(folder, "changes");
		mkdirSync(target);
		writeChanges(target, described(from), described(to), changes);
		const stored = openChanges(target, described(from), described(to));
		assert.deepEqual(stored, { ...changes, olderRows: null });
		assert.equal(openChanges(join(folder, "nowhere"), described(from), described(to)), null);
		const other = { ...described(from), crc: described(from).crc ^ 1 };
		assert.throws(() => openChanges(target, other, described(to)), { code: "wrong_file" });
		for (const name of ["changes.chg", "catalog"]) {
			const path = join(target, name);
			const bytes = readFileSync(path);
			const at = changes.previousRows[0] % bytes.length;
			bytes[at] ^= 0x10;
			writeFileSync(path, bytes);
			assert.throws(() => openChanges(target, described(from), described(to)), FormatError);
			bytes[at] ^= 0x10;
			writeFileSync(path, bytes);
		}
	});
	await checkAsyncProperty(t, 25, property);
});
