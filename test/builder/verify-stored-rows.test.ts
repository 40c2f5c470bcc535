/** Stored rows are compared with the columns whole: every byte of every row, and every segment. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { verifyStoredRows } from "../../builder/verify/verify-rows.js";
import { COLUMNS, RowStore, SnapshotFiles, snapshotFolder } from "../../formats/index.js";
import { compileRows } from "../engine/compiled-month.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { Draw } from "../oracle/draw.js";

const ROWS = 7;
const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-verify-"));
let files: SnapshotFiles;
let store: RowStore;

before(async () => {
	const raw = Array.from({ length: ROWS }, (_, i) => ({
		state: "CA",
		member_state_license_number: `L${i}`,
		member_last_name: "Roe",
		office_name: "Realty",
	}));
	await compileRows(raw, "2026-11", folder, true, new Draw(1, 1));
	files = SnapshotFiles.open(snapshotFolder(folder, "2026-11"));
	store = files.openRowStore() as RowStore;
});

after(() => rmSync(folder, { recursive: true }));

/** Verifies segment 0 of the month with these stored rows in place of its own. */
function verifyWith(rows: RowStore): void {
	verifyStoredRows(Object.create(files, { openRowStore: { value: () => rows } }) as SnapshotFiles, 0);
}

/** The stored rows with some bytes of `row` changed, which `change` gets. */
function damaged(row: number, change: (bytes: Buffer) => void): RowStore {
	const [{ offsets, heap }] = store.segments;
	const copy = Buffer.from(heap);
	change(copy.subarray(offsets[row], offsets[row + 1]));
	return new RowStore([{ offsets, heap: copy }]);
}

test("the stored rows of a sound month are verified", () => {
	verifyWith(store);
	verifyWith(damaged(0, () => undefined));
});

test("a wrong byte is found at every place of every row", () => {
	const [{ offsets }] = store.segments;
	for (let row = 0; row < ROWS; row++) {
		for (let at = 0; at < offsets[row + 1] - offsets[row]; at++) {
			const wrong = damaged(row, (bytes) => {
				bytes[at] ^= 1;
			});
			assert.throws(
				() => verifyWith(wrong),
				new RegExp(`values of row ${row} are not`),
				`byte ${at} of row ${row}`,
			);
		}
	}
});

test("lengths that divide the same bytes otherwise are found", () => {
	const name = COLUMNS.findIndex((column) => column.name === "member_last_name");
	const wrong = damaged(3, (bytes) => {
		const next = bytes.findIndex((length, column) => column > name && length > 0);
		bytes[name]--;
		bytes[next]++;
	});
	assert.throws(() => verifyWith(wrong), /values of row 3 are not/);
});

test("rows that end early or late are found", () => {
	const [{ offsets, heap }] = store.segments;
	for (let end = 1; end <= ROWS; end++) {
		for (const by of [-1, 1]) {
			const moved = offsets.slice();
			moved[end] += by;
			assert.throws(
				() => verifyWith(new RowStore([{ offsets: moved, heap }])),
				new RegExp(`values of row ${end - 1} are not`),
			);
		}
	}
});

test("a segment that is missing is found", () => {
	assert.throws(() => verifyWith(new RowStore([])), /the row store has no segment 0/);
});

test("stored rows of many megabytes, which are written in pieces, are those of the columns", async (t) => {
	const large = mkdtempSync(join(MEMORY_FOLDER, "rollcall-verify-"));
	t.after(() => rmSync(large, { recursive: true }));
	const long = (name: string, i: number) => `${name} ${i} `.padEnd(3_000, "x");
	// Pieces of 8 MiB, of whole thousands of rows: three of them.
	const raw = Array.from({ length: 3_100 }, (_, i) => ({
		state: "CA",
		member_state_license_number: `L${i}`,
		member_address: long("Street", i),
		member_email: long("mail", i),
		office_name: long("Office", i % 7),
	}));
	await compileRows(raw, "2026-11", large, true, new Draw(1, 1));
	const opened = SnapshotFiles.open(snapshotFolder(large, "2026-11"));
	const [{ heap }] = (opened.openRowStore() as RowStore).segments;
	assert.ok(heap.length > 3 * 8 * 1024 * 1024);
	verifyStoredRows(opened, 0);
});
