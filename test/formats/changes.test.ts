/** The changes between two months: read as they were written, and only as those of these two months. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type MonthChanges, TRACKED_COLUMNS } from "../../formats/changes.js";
import { openChanges } from "../../formats/decode/changes.js";
import { type ComparedMonth, writeChanges } from "../../formats/encode/changes.js";
import { bitmapWords } from "../../formats/layout.js";

const folder = mkdtempSync(join(tmpdir(), "rollcall-changes-"));
after(() => rmSync(folder, { recursive: true }));

const FROM: ComparedMonth = { month: "2026-10", rows: 70, crc: 7 };
const TO: ComparedMonth = { month: "2026-11", rows: 40, crc: 9 };

/** Words that differ in every list. */
function words(rows: number, first: number): Uint32Array {
	return Uint32Array.from({ length: bitmapWords(rows) }, (_, i) => first * 1_000 + i);
}

const CHANGES: MonthChanges = {
	totals: { new: 3, gone: 33, changed: 2 },
	previousRows: Uint32Array.from({ length: TO.rows }, (_, i) => i + 5),
	newRows: words(TO.rows, 1),
	goneRows: words(FROM.rows, 2),
	changedRows: words(TO.rows, 3),
	fields: new Map(TRACKED_COLUMNS.map(({ name }, i) => [name, words(TO.rows, i + 4)])),
};
writeChanges(folder, FROM, TO, CHANGES);

test("changes are read as they were written, without rows that were not stored", () => {
	assert.deepEqual(openChanges(folder, FROM, TO), { ...CHANGES, olderRows: null });
	assert.equal(openChanges(join(folder, "none"), FROM, TO), null);
});

test("changes are not taken for those of other months, row counts or editions", () => {
	const others = [{ month: "2026-09" }, { rows: 71 }, { crc: 8 }];
	for (const other of others) {
		const refused = { name: "FormatError", code: "wrong_file", message: /expected changes from/ };
		assert.throws(() => openChanges(folder, { ...FROM, ...other }, TO), refused, JSON.stringify(other));
		assert.throws(() => openChanges(folder, FROM, { ...TO, ...other }), refused, JSON.stringify(other));
	}
});
