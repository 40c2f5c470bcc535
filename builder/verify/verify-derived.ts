/**
 * Verification of what is derived from published months: the changes since the month before, by a new
 * comparison of the two, and exported files, by the digests of their manifest.
 */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { ByteSink, compareMonths, StoredRowEncoder } from "../../engine/index.js";
import {
	changesFolder,
	type ExportedFile,
	exportsFolder,
	hex,
	type MonthChanges,
	openChanges,
	readExportManifest,
	SnapshotFiles,
	type StoredChanges,
	storedExportName,
} from "../../formats/index.js";
import { olderRowsOf } from "../changes/older-rows.js";
import { BuildError } from "../errors.js";

/** A derived file or folder that is verified independently. */
export type DerivedPart =
	| { readonly kind: "changes"; readonly from: string; readonly to: string; readonly folder: string }
	| { readonly kind: "export"; readonly path: string; readonly file: ExportedFile };

/**
 * What was derived from `files` and, if there is one, the month before. Missing changes are not a fault: the
 * server answers without them. Throws FormatError for a damaged manifest.
 */
export function derivedParts(
	dataFolder: string,
	files: SnapshotFiles,
	before: SnapshotFiles | null,
): DerivedPart[] {
	const to = { month: files.catalog.month, digest: hex(files.crc) };
	const folder = exportsFolder(dataFolder, to);
	const exported = (readExportManifest(folder)?.files ?? []).map(
		(file): DerivedPart => ({ kind: "export", path: join(folder, storedExportName(file)), file }),
	);
	if (before === null) return exported;
	const from = { month: before.catalog.month, digest: hex(before.crc) };
	const changes = changesFolder(dataFolder, from, to);
	return [{ kind: "changes", from: before.folder, to: files.folder, folder: changes }, ...exported];
}

/** Throws FormatError, or {@link BuildError} `corrupt_snapshot`. Cost: comparing two months, or reading a file. */
export async function verifyDerived(part: DerivedPart): Promise<void> {
	if (part.kind === "export") await verifyExport(part.path, part.file);
	else verifyChanges(part.folder, SnapshotFiles.open(part.from), SnapshotFiles.open(part.to));
}

function verifyChanges(folder: string, older: SnapshotFiles, newer: SnapshotFiles): void {
	const described = ({ catalog, crc }: SnapshotFiles) => ({ month: catalog.month, rows: catalog.rows, crc });
	const stored = openChanges(folder, described(older), described(newer));
	if (stored === null) return;
	const expected = compareMonths(older, newer);
	const found = differenceOf(stored, expected) ?? differenceOfRows(stored, older);
	if (found !== null)
		throw new BuildError("corrupt_snapshot", `${found} are not those of the two months`, { file: folder });
}

/** The first stored row of the older month that differs from its columns; null: none. */
function differenceOfRows(stored: StoredChanges, older: SnapshotFiles): string | null {
	if (stored.olderRows === null) return null;
	const [{ offsets, heap }] = stored.olderRows.segments;
	const encoder = new StoredRowEncoder(older);
	const sink = new ByteSink();
	for (const [i, row] of olderRowsOf(stored).entries()) {
		sink.reset();
		encoder.row(row, sink);
		if (heap.subarray(offsets[i], offsets[i + 1]).compare(sink.view()) !== 0)
			return `the stored values of row ${row} of ${older.catalog.month}`;
	}
	return null;
}

/** The first part in which two sets of changes differ; null: none. */
function differenceOf(stored: MonthChanges, expected: MonthChanges): string | null {
	for (const kind of ["new", "gone", "changed"] as const) {
		if (stored.totals[kind] !== expected.totals[kind]) return `totals of ${kind} licenses`;
	}
	for (const part of ["previousRows", "newRows", "goneRows", "changedRows"] as const) {
		if (!isEqual(stored[part], expected[part])) return part;
	}
	for (const [field, rows] of expected.fields) {
		if (!isEqual(stored.fields.get(field) ?? new Uint32Array(0), rows)) return `changes of ${field}`;
	}
	return null;
}

function isEqual(a: Uint32Array, b: Uint32Array): boolean {
	return a.length === b.length && a.every((word, i) => word === b[i]);
}

async function verifyExport(path: string, { bytes, sha256 }: ExportedFile): Promise<void> {
	const hash = createHash("sha256");
	let read = 0;
	for await (const chunk of createReadStream(path)) {
		hash.update(chunk as Buffer);
		read += (chunk as Buffer).length;
	}
	const actual = hash.digest("hex");
	if (read === bytes && actual === sha256) return;
	const what = `expected ${bytes} bytes of SHA-256 ${sha256}, got ${read} of ${actual}; export the month anew`;
	throw new BuildError("corrupt_snapshot", what, { file: path });
}
