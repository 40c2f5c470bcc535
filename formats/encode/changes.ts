/** Writes the changes between two months: a folder with a catalog and one file of sections. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type MonthChanges, TRACKED_COLUMNS } from "../changes.js";
import { monthNumber } from "../domain/row-id.js";
import { FormatError, invariant } from "../errors.js";
import { bitmapWords, CATALOG_FILE, FILE_TYPE, SECTION } from "../layout.js";
import { encodeCatalog } from "./catalog.js";
import { SectionFileWriter } from "./section-file.js";

/** Name of the file that holds the sections. */
const CHANGES_FILE = "changes.chg";

/** Identifies a snapshot that was compared. */
export interface ComparedMonth {
	/** `YYYY-MM`. */
	readonly month: string;
	readonly rows: number;
	/** CRC-32 of its catalog's payload. */
	readonly crc: number;
}

/**
 * Writes `changes` into `folder`, an existing empty folder. The catalog is written last; the caller syncs.
 * Throws {@link FormatError} beyond 2 GiB. Cost O(rows of both months).
 */
export function writeChanges(
	folder: string,
	from: ComparedMonth,
	to: ComparedMonth,
	changes: MonthChanges,
): void {
	invariant(changes.previousRows.length === to.rows, "there is one previous row per row");
	invariant(changes.goneRows.length === bitmapWords(from.rows), "gone rows are of the older month");
	const path = join(folder, CHANGES_FILE);
	const writer = new SectionFileWriter(path, FILE_TYPE.changes, monthNumber(to.month), to.rows);
	const { totals } = changes;
	try {
		const months = [monthNumber(from.month), from.rows, from.crc, totals.new, totals.gone, totals.changed];
		writer.write(SECTION.changeMonths, 0, Uint32Array.from(months));
		writer.write(SECTION.previousRows, 0, changes.previousRows);
		writer.write(SECTION.newRows, 0, changes.newRows);
		writer.write(SECTION.goneRows, 0, changes.goneRows);
		writer.write(SECTION.changedRows, 0, changes.changedRows);
		for (const { name, code } of TRACKED_COLUMNS) {
			const rows = changes.fields.get(name);
			if (rows === undefined) throw new FormatError("missing_section", path, `no changes of ${name}`);
			writer.write(SECTION.changedFieldRows, code, rows);
		}
	} catch (error) {
		writer.abandon();
		throw error;
	}
	const { file, sections } = writer.finish();
	const catalog = encodeCatalog({
		month: to.month,
		rows: to.rows,
		columns: [],
		files: [file],
		sections: sections.map((section) => ({ ...section, file: 0 })),
		states: [],
		parentCrc: to.crc,
	});
	writeFileSync(join(folder, CATALOG_FILE), catalog);
}
