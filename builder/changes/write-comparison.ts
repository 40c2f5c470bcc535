/** Compares two months and writes the changes between them. */

import { compareMonths } from "../../engine/index.js";
import { SnapshotFiles, writeChanges } from "../../formats/index.js";

/**
 * Writes the changes from the month in folder `from` to the one in `to` into `target`, an empty folder. Throws
 * FormatError for a damaged month.
 */
export function writeComparison(from: string, to: string, target: string): void {
	const [older, newer] = [SnapshotFiles.open(from), SnapshotFiles.open(to)];
	const changes = compareMonths(older, newer);
	writeChanges(target, described(older), described(newer), changes);
}

function described({ catalog, crc }: SnapshotFiles) {
	return { month: catalog.month, rows: catalog.rows, crc };
}
