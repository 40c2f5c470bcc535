/**
 * Without huge pages the files of the newest month are prefaulted when queries use them; of other months, and before a query, only the
 * pages that are read are resident.
 */

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ByteSink, openLibrary, type Snapshot } from "../../engine/index.js";
import { mappingFault } from "../../formats/files/mmap.js";
import { COLUMNS, snapshotFolder } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { residentBytes } from "../resident-bytes.js";
import { compileRows } from "./compiled-month.js";

const MONTHS = ["2026-10", "2026-11"];
const PAGE_BYTES = 4_096;
const projection = { columns: COLUMNS.map(({ name }) => name), masked: false };
const skip =
	mappingFault() !== null
		? "needs the addon, which a C compiler makes"
		: process.platform !== "linux" && "/proc/self/smaps is Linux's";

/** Renders one row, by its stored values. */
function render(snapshot: Snapshot | undefined): void {
	assert.ok(snapshot?.hasRowStore);
	snapshot.renderRows(Uint32Array.of(7), projection, "json", new ByteSink(16));
}

test("files of the newest month are mapped whole once they are used", { skip }, async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-prefault-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const raw = Array.from({ length: 30_000 }, (_, i) => ({
		state: "CA",
		member_last_name: `Okafor ${i % 9_000}`,
		member_state_license_number: `B${i}`,
	}));
	// The compiler of this process has mapped files of its own; those of a copy it has not.
	const compiled = join(folder, "compiled");
	for (const month of MONTHS) await compileRows(raw, month, compiled, true, new Draw(1));
	const data = join(folder, "data");
	cpSync(compiled, data, { recursive: true });
	const library = openLibrary({ dataFolder: data, hugePages: false });
	const file = (month: string, name: string) => join(snapshotFolder(data, month), name);
	const numbers = "member_state_license_number.col";
	const rows = join("rows", "000.row");
	for (const name of [numbers, rows]) assert.ok(statSync(file("2026-11", name)).size > 200_000, name);

	const isWhole = (path: string) =>
		residentBytes(path) === Math.ceil(statSync(path).size / PAGE_BYTES) * PAGE_BYTES;
	for (const month of MONTHS) {
		for (const name of [numbers, rows]) assert.ok(!isWhole(file(month, name)), `${month} ${name} before`);
	}
	for (const month of MONTHS) {
		render(library.find(month));
		assert.match(String(library.find(month)?.value(7, "member_state_license_number")), /^B\d+$/);
	}
	const used = [numbers, rows].map((name) => file("2026-11", name));
	for (let i = 0; i < 200 && !used.every(isWhole); i++) await delay(25);
	for (const path of used) assert.ok(isWhole(path), `${path} after: ${residentBytes(path)} bytes`);
	assert.equal(residentBytes(file("2026-11", "member_last_name.idx")), 0, "a file that no query has used");
	for (const name of [numbers, rows]) assert.ok(!isWhole(file("2026-10", name)), `2026-10 ${name} after`);

	rmSync(snapshotFolder(data, "2026-11"), { recursive: true });
	library.reload();
	const names = file("2026-10", "member_last_name.col");
	assert.ok(!isWhole(names), "before the older month is the newest");
	assert.match(String(library.latest?.value(7, "member_last_name")), /^OKAFOR/i);
	for (let i = 0; i < 200 && !isWhole(names); i++) await delay(25);
	assert.ok(isWhole(names), "once it is");
});
