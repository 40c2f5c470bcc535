/**
 * A snapshot of three rows written by hand with the encoders, and scratch folders to put it in: the
 * least that SnapshotFiles opens, independent of the builder.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { encodeCatalog } from "../../formats/encode/catalog.js";
import { SectionFileWriter, type WrittenFile } from "../../formats/encode/section-file.js";
import {
	CATALOG_FILE,
	type Catalog,
	columnNamed,
	FILE_TYPE,
	ROW_STORE_FOLDER,
	SECTION,
} from "../../formats/index.js";

export const MONTH = "2026-11";
const MONTH_NUMBER = 322;
export const ROWS = 3;
export const STATE = columnNamed("state");
export const ADDRESS = columnNamed("member_address");
export const EXPIRES = columnNamed("member_license_expires");

/** A folder that goes when the test ends. */
export function scratchFolder(t: TestContext): string {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-test-"));
	t.after(() => rmSync(folder, { recursive: true }));
	return folder;
}

/** A catalog of `written` files for three rows of CA, CA and TX. */
export function catalogOf(written: readonly WrittenFile[], parentCrc = 0): Catalog {
	return {
		month: MONTH,
		rows: ROWS,
		columns: [
			{ code: STATE.code, name: STATE.name, distinct: 2, folds: 2, nulls: 0 },
			{ code: ADDRESS.code, name: ADDRESS.name, distinct: 0, folds: 0, nulls: 1 },
			{ code: EXPIRES.code, name: EXPIRES.name, distinct: 1, folds: 1, nulls: 2 },
		],
		files: written.map((w) => w.file),
		sections: written.flatMap((w, file) => w.sections.map((s) => ({ ...s, file }))),
		states: [
			{ country: "US", state: "CA", first: 0, rows: 2 },
			{ country: "US", state: "TX", first: 2, rows: 1 },
		],
		parentCrc,
	};
}

/** Writes the snapshot into `folder`; returns its catalog. */
export function writeSnapshot(folder: string): Catalog {
	mkdirSync(folder, { recursive: true });
	const utf8 = new TextEncoder();
	const columns = new SectionFileWriter(join(folder, "columns.col"), FILE_TYPE.columns, MONTH_NUMBER, ROWS);
	columns.write(SECTION.codes, STATE.code, Uint8Array.of(0, 0, 1));
	columns.write(SECTION.dictionaryOffsets, STATE.code, Uint32Array.of(0, 2, 4));
	columns.write(SECTION.dictionaryHeap, STATE.code, utf8.encode("CATX"));
	columns.write(SECTION.textOffsets, ADDRESS.code, Uint32Array.of(0, 5, 5, 10));
	columns.write(SECTION.textHeap, ADDRESS.code, utf8.encode("1 Elm2 Oak"));
	columns.write(SECTION.codes, EXPIRES.code, Uint16Array.of(1, 0, 1));
	const index = new SectionFileWriter(join(folder, "index.idx"), FILE_TYPE.index, MONTH_NUMBER, ROWS);
	index.write(SECTION.permutation, STATE.code, Uint32Array.of(0, 1, 2));
	index.write(SECTION.permutationOffsets, STATE.code, Uint32Array.of(0, 2, 3));
	const catalog = catalogOf([columns.finish(), index.finish()]);
	writeFileSync(join(folder, CATALOG_FILE), encodeCatalog(catalog));
	return catalog;
}

/** Writes a row store beside the snapshot in `folder`, rendered from the catalog with the CRC `parentCrc`. */
export function writeRowStore(folder: string, parentCrc: number): void {
	const store = join(folder, ROW_STORE_FOLDER);
	mkdirSync(store, { recursive: true });
	const rows = new SectionFileWriter(join(store, "000.row"), FILE_TYPE.rows, MONTH_NUMBER, ROWS);
	rows.write(SECTION.storedRowOffsets, 0, Uint32Array.of(0, 8, 16, 24));
	rows.write(SECTION.storedRows, 0, new TextEncoder().encode('{"i":1},{"i":2},{"i":3},'));
	const catalog = { ...catalogOf([rows.finish()], parentCrc), columns: [], states: [] };
	writeFileSync(join(store, CATALOG_FILE), encodeCatalog(catalog));
}
