/** Rows as the row store has them: what formats/SNAPSHOT.md says of their bytes. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { COLUMNS, LONG_VALUE, SnapshotFiles, snapshotFolder } from "../../formats/index.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { Draw } from "../oracle/draw.js";
import { NaiveMonth } from "../oracle/naive-query.js";
import { makeRows, type NaiveRow } from "../oracle/naive-rows.js";
import { compileRows } from "./compiled-month.js";

const NAMES = COLUMNS.map(({ name }) => name);

/** A row as it is stored: formats/SNAPSHOT.md, "Section kinds". */
function storedAs(row: NaiveRow): Buffer {
	const values = NAMES.map((name) =>
		Buffer.from(row[name] === null ? "" : JSON.stringify(String(row[name])).slice(1, -1)),
	);
	const lengths = Buffer.from(values.map(({ length }) => Math.min(LONG_VALUE, length)));
	const parts = values.map((value) => {
		if (value.length < LONG_VALUE) return value;
		const length = Buffer.alloc(4);
		length.writeUInt32LE(value.length);
		return Buffer.concat([length, value]);
	});
	return Buffer.concat([lengths, ...parts]);
}

test("rows are stored with the lengths of their values, escapes included", async () => {
	const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-rows-"));
	try {
		const raw = Array.from({ length: 120 }, (_, i) => ({
			state: "CA",
			member_state_license_number: `L${i}`,
			member_address: `${i % 2 === 0 ? "" : "\n"}${"x".repeat(248 + ((i >> 1) % 12))}`,
			office_name: i % 5 === 0 ? "é".repeat(120 + i) : "",
			agent_count: i % 3 === 0 ? "12" : "",
		}));
		await compileRows(raw, "2026-11", folder, true, new Draw(3, 1));
		const store = SnapshotFiles.open(snapshotFolder(folder, "2026-11")).openRowStore();
		assert.ok(store !== null, "rows are stored");
		new NaiveMonth("2026-11", makeRows(raw, "2026-11")).rows.forEach((row, i) => {
			const bytes = Buffer.alloc(store.runBytes(i, i + 1));
			store.copyRun(i, i + 1, bytes, 0);
			assert.deepEqual(bytes, storedAs(row), `row ${i}`);
		});
	} finally {
		rmSync(folder, { recursive: true });
	}
});
