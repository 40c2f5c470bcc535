/** Reads the changes between two months in place. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type MonthChanges, TRACKED_COLUMNS } from "../changes.js";
import type { ComparedMonth } from "../encode/changes.js";
import { FormatError } from "../errors.js";
import { bitmapWords, CATALOG_FILE, hex, SECTION } from "../layout.js";
import { type MappingMode, mappingMode } from "../mmap.js";
import { monthNumber } from "../row-id.js";
import { SnapshotFiles } from "./snapshot.js";

/**
 * The changes in `folder`, from `from` to `to`; null if the folder does not exist. Reads every byte and
 * compares every checksum, since a wrong row number would show a different license. Throws
 * {@link FormatError}. Cost O(bytes), about 6 bytes per row.
 */
export function openChanges(
	folder: string,
	from: ComparedMonth,
	to: ComparedMonth,
	mode: MappingMode = mappingMode(),
): MonthChanges | null {
	if (!existsSync(join(folder, CATALOG_FILE))) return null;
	const files = SnapshotFiles.open(folder, mode);
	files.verify();
	const { catalog } = files;
	const [month, rows, crc, isNew, gone, changed] = files.u32(SECTION.changeMonths, 0, 6);
	const isOf = catalog.month === to.month && catalog.rows === to.rows && catalog.parentCrc === to.crc;
	if (!isOf || month !== monthNumber(from.month) || rows !== from.rows || crc !== from.crc) {
		const expected = `changes from ${from.month} ${hex(from.crc)} to ${to.month} ${hex(to.crc)}`;
		throw new FormatError("wrong_file", folder, `expected ${expected}, got those of other snapshots`);
	}
	const words = bitmapWords(to.rows);
	return {
		totals: { new: isNew, gone, changed },
		previousRows: files.u32(SECTION.previousRows, 0, to.rows),
		newRows: files.u32(SECTION.newRows, 0, words),
		goneRows: files.u32(SECTION.goneRows, 0, bitmapWords(from.rows)),
		changedRows: files.u32(SECTION.changedRows, 0, words),
		fields: new Map(
			TRACKED_COLUMNS.map(({ name, code }) => [name, files.u32(SECTION.changedFieldRows, code, words)]),
		),
	};
}
