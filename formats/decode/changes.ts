/** Reads the changes between two months in place. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type MonthChanges, TRACKED_COLUMNS } from "../changes.js";
import { monthNumber } from "../domain/row-id.js";
import type { ComparedMonth } from "../encode/changes.js";
import { FormatError } from "../errors.js";
import { type MappingMode, mappingMode } from "../files/mmap.js";
import { finishWork } from "../finish-work.js";
import { bitmapWords, CATALOG_FILE, hex, ROW_STORE_FOLDER, SECTION } from "../layout.js";
import { RowStore } from "./row-store.js";
import { SnapshotFiles } from "./snapshot.js";

/** Changes as they are stored. */
export interface StoredChanges extends MonthChanges {
	/**
	 * One segment of rows of the older month: those of changed licenses by their row in the newer month, then those of
	 * licenses that are gone; null where they are not stored.
	 */
	readonly olderRows: RowStore | null;
}

/** Whether changes are stored in `folder`. */
export function areChangesStored(folder: string): boolean {
	return existsSync(join(folder, CATALOG_FILE));
}

/** Whether rows of the older month are stored with the changes in `folder`. */
export function areOlderRowsStored(folder: string): boolean {
	return existsSync(join(folder, ROW_STORE_FOLDER, CATALOG_FILE));
}

/** The changes in `folder`, from `from` to `to`; null if there are none. As {@link openChangesInSlices}. */
export function openChanges(
	folder: string,
	from: ComparedMonth,
	to: ComparedMonth,
	mode: MappingMode = mappingMode(),
): StoredChanges | null {
	if (!areChangesStored(folder)) return null;
	return finishWork(openChangesInSlices(folder, from, to, mode));
}

/**
 * Opens the changes in `folder`, from `from` to `to`. Reads every byte and compares every checksum, since a
 * wrong row number would show a different license. Throws {@link FormatError}. Cost O(bytes), about 6 bytes per
 * row: 8 ms for 2.5 million rows, some 40 ms with the rows of 100,000 licenses, more from disk, in slices of a fraction
 * of a millisecond.
 */
export function* openChangesInSlices(
	folder: string,
	from: ComparedMonth,
	to: ComparedMonth,
	mode: MappingMode,
): Generator<undefined, StoredChanges, undefined> {
	const files = SnapshotFiles.open(folder, mode);
	yield* files.verifyInSlices();
	const { catalog } = files;
	const [month, rows, crc, isNew, gone, changed] = files.sections.u32(SECTION.changeMonths, 0, 6);
	const isOf = catalog.month === to.month && catalog.rows === to.rows && catalog.parentCrc === to.crc;
	if (!isOf || month !== monthNumber(from.month) || rows !== from.rows || crc !== from.crc) {
		const expected = `changes from ${from.month} ${hex(from.crc)} to ${to.month} ${hex(to.crc)}`;
		throw new FormatError("wrong_file", folder, `expected ${expected}, got those of other snapshots`);
	}
	const words = bitmapWords(to.rows);
	return {
		totals: { new: isNew, gone, changed },
		previousRows: files.sections.u32(SECTION.previousRows, 0, to.rows),
		newRows: files.sections.u32(SECTION.newRows, 0, words),
		goneRows: files.sections.u32(SECTION.goneRows, 0, bitmapWords(from.rows)),
		changedRows: files.sections.u32(SECTION.changedRows, 0, words),
		fields: new Map(
			TRACKED_COLUMNS.map(({ name, code }) => [
				name,
				files.sections.u32(SECTION.changedFieldRows, code, words),
			]),
		),
		olderRows: yield* openOlderRows(files, changed + gone),
	};
}

/** The verified rows in the folder of changes; null without any. A builder may drop them meanwhile. */
function* openOlderRows(
	files: SnapshotFiles,
	count: number,
): Generator<undefined, RowStore | null, undefined> {
	const { folder } = files;
	try {
		const rows = files.openRowFiles();
		if (rows === null) return null;
		yield* rows.verifyInSlices();
		const { segments } = rows.asRowStore();
		if (segments.length === 1 && segments[0].offsets.length === count + 1) return new RowStore(segments);
		throw new FormatError("corrupt_catalog", folder, `expected one file of ${count} rows of the older month`);
	} catch (error) {
		if (areOlderRowsStored(folder)) throw error;
		return null;
	}
}
