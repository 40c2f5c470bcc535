/**
 * The row store: the values of every row of a snapshot beside one another, in files of ROWS_PER_SEGMENT rows under
 * `rows/` (row-segment.ts). It is made from the snapshot's columns, so it can be added to or dropped from a published month
 * without a rebuild.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../formats/files/durable.js";
import {
	CATALOG_FILE,
	encodeCatalog,
	ROW_STORE_FOLDER,
	ROWS_PER_SEGMENT,
	SnapshotFiles,
	type WrittenFile,
} from "../../formats/index.js";

/** Number of files of the row store of a snapshot of `rows` rows. */
export function segmentCount(rows: number): number {
	return Math.ceil(rows / ROWS_PER_SEGMENT);
}

/** Creates the folder for the segments of the snapshot in `folder`. */
export function createRowStoreFolder(folder: string): string {
	const target = join(folder, ROW_STORE_FOLDER);
	mkdirSync(target);
	return target;
}

/** Writes the row store's catalog, which makes it visible. */
export function finishRowStore(folder: string, target: string, segments: readonly WrittenFile[]): void {
	const { catalog, crc } = SnapshotFiles.open(folder);
	replaceFile(
		join(target, CATALOG_FILE),
		encodeCatalog({
			month: catalog.month,
			rows: catalog.rows,
			columns: [],
			files: segments.map((s) => s.file),
			sections: segments.flatMap((s, file) => s.sections.map((section) => ({ ...section, file }))),
			states: [],
			parentCrc: crc,
		}),
	);
}
