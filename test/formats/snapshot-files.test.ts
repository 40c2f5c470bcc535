/** Opening a month: existing sections are mapped to their types; missing or foreign ones are typed errors. */

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { encodeCatalog } from "../../formats/encode/catalog.js";
import {
	CATALOG_FILE,
	columnNamed,
	manifestFile,
	ROW_STORE_FOLDER,
	readManifest,
	SECTION,
	SnapshotFiles,
} from "../../formats/index.js";
import {
	ADDRESS,
	EXPIRES,
	MONTH,
	STATE,
	scratchFolder,
	writeRowStore,
	writeSnapshot,
} from "./hand-made-snapshot.js";

test("sections are mapped to their types", (t) => {
	const folder = scratchFolder(t);
	writeSnapshot(folder);
	const files = SnapshotFiles.open(folder);
	assert.equal(files.catalog.month, MONTH);
	assert.deepEqual([...files.codes(STATE)], [0, 0, 1]);
	assert.deepEqual([...files.codes(EXPIRES)], [1, 0, 1]);
	const states = files.dictionary(STATE);
	assert.deepEqual([states.value(0), states.value(1), states.value(2)], ["CA", "TX", null]);
	const addresses = files.text(ADDRESS);
	assert.deepEqual(
		[0, 1, 2].map((row) => addresses.value(row)),
		["1 Elm", null, "2 Oak"],
	);
	const order = files.permutation(STATE);
	assert.deepEqual([[...order.rows], [...order.offsets], order.byState], [[0, 1, 2], [0, 2, 3], null]);
	assert.equal(files.bitmaps(STATE), null);
	assert.equal(files.cumulativeBitmaps(EXPIRES), null);
});

test("a missing section or column is named", (t) => {
	const folder = scratchFolder(t);
	writeSnapshot(folder);
	const files = SnapshotFiles.open(folder);
	assert.throws(() => files.text(columnNamed("matched_email")), {
		code: "missing_section",
		message: `${folder}: no section textOffsets of column 22`,
	});
	assert.throws(() => files.dictionary(EXPIRES), { code: "missing_section" });
	assert.throws(() => files.column(columnNamed("office_name")), { code: "corrupt_catalog" });
	assert.throws(() => files.stats(), { code: "missing_section" });
});

test("a section with too few or too many elements is refused", (t) => {
	const folder = scratchFolder(t);
	const catalog = writeSnapshot(folder);
	const shorter = catalog.sections.map((s) =>
		s.kind === SECTION.codes && s.column === STATE.code ? { ...s, bytes: 2 } : s,
	);
	writeFileSync(join(folder, CATALOG_FILE), encodeCatalog({ ...catalog, sections: shorter }));
	assert.throws(() => SnapshotFiles.open(folder).codes(STATE), {
		code: "corrupt_catalog",
		message: `${folder}: section codes of column 4: expected 3 elements, got 2`,
	});
});

test("a section of words with another layout is refused", (t) => {
	const folder = scratchFolder(t);
	const catalog = writeSnapshot(folder);
	const odd = catalog.sections.map((s) =>
		s.kind === SECTION.permutation ? { ...s, width: 1 as const, bytes: s.bytes - 1 } : s,
	);
	writeFileSync(join(folder, CATALOG_FILE), encodeCatalog({ ...catalog, sections: odd }));
	assert.throws(() => SnapshotFiles.open(folder).permutation(STATE), { code: "corrupt_catalog" });
});

test("a month without catalog or files does not open", (t) => {
	const folder = scratchFolder(t);
	assert.throws(() => SnapshotFiles.open(folder), { code: "unreadable" });
	assert.throws(() => SnapshotFiles.open(join(folder, "gone")), { code: "unreadable" });
	writeSnapshot(folder);
	rmSync(join(folder, "index.idx"));
	assert.throws(() => SnapshotFiles.open(folder), { code: "unreadable" });
	copyFileSync(join(folder, "columns.col"), join(folder, "index.idx"));
	assert.throws(() => SnapshotFiles.open(folder), { code: "truncated" });
});

test("a row store is used where it was rendered from this catalog, and ignored otherwise", (t) => {
	const folder = scratchFolder(t);
	writeSnapshot(folder);
	const files = SnapshotFiles.open(folder);
	assert.equal(files.openRowStore(), null);
	writeRowStore(folder, files.crc);
	const store = files.openRowStore();
	assert.ok(store !== null);
	const bytes = Buffer.alloc(store.runBytes(1, 3));
	assert.equal(store.copyRun(1, 3, bytes, 0), bytes.length);
	assert.equal(bytes.toString(), '{"i":2},{"i":3},');
	rmSync(join(folder, ROW_STORE_FOLDER), { recursive: true });
	writeRowStore(folder, files.crc ^ 1);
	assert.equal(files.openRowStore(), null);
});

test("a manifest is read, an absent one is null, a broken one is a typed error", (t) => {
	const folder = scratchFolder(t);
	assert.equal(readManifest(folder, MONTH), null);
	mkdirSync(join(folder, "manifests"));
	const manifest = {
		month: MONTH,
		rows: 3,
		built_at: "2026-11-20T10:00:00.000Z",
		built_by: "operator",
		sources: [{ file: "a.csv", bytes: 10, rows: 3, rejects: 0 }],
		rejects: 0,
		accepted: [{ gate: "rejects", finding: "2 % rejected" }],
	};
	writeFileSync(manifestFile(folder, MONTH), JSON.stringify(manifest));
	assert.deepEqual(readManifest(folder, MONTH), manifest);
	for (const broken of ["", "{", "[]", JSON.stringify({ ...manifest, rows: "3" })]) {
		writeFileSync(manifestFile(folder, MONTH), broken);
		assert.throws(() => readManifest(folder, MONTH), { code: "unreadable" });
	}
});
