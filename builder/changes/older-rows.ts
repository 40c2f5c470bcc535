/**
 * Rows of the older month that entries of changes contain, stored beside the changes: that month's own stored rows
 * are dropped when the newer one is published, and these are what writing all changes would read of them.
 *
 * They are in the order of entries (formats/SNAPSHOT.md, "Changes between two months"), so that they are read in
 * sequence.
 */

import { join } from "node:path";
import { ByteSink, rowsOf, StoredRowEncoder } from "../../engine/index.js";
import {
	FILE_TYPE,
	monthNumber,
	olderRowsMax,
	openChanges,
	rowSegmentFile,
	SECTION,
	SnapshotFiles,
	type StoredChanges,
	type WrittenFile,
} from "../../formats/index.js";
import { finishRowStore } from "../compile/row-store.js";
import { writeFile } from "../compile/write-column.js";
import { BuildError } from "../errors.js";

/** Rows encoded at a time. */
const BLOCK_ROWS = 1_024;
/** Maximum bytes: a kilobyte for each of the most rows there may be. Longer ones are not stored. */
const BYTES_MAX = 512 << 20;

/** Folders of both months and of the changes between them, and an empty target folder. */
export interface OlderRowsInput {
	readonly from: string;
	readonly to: string;
	readonly changes: string;
	readonly target: string;
}

/**
 * Writes the rows to `target`, its catalog last; false if there are more than are stored. Cost about 4 us per row.
 * Throws FormatError for damaged months or changes.
 */
export function writeOlderRows({ from, to, changes, target }: OlderRowsInput): boolean {
	const [older, newer] = [SnapshotFiles.open(from), SnapshotFiles.open(to)];
	const stored = openChanges(changes, described(older), described(newer));
	if (stored === null)
		throw new BuildError("unreadable_file", "the changes were removed meanwhile", { file: changes });
	const rows = olderRowsOf(stored);
	if (rows.length > olderRowsMax(newer.catalog.rows)) return false;
	const written = writeSegment(older, newer, rows, join(target, rowSegmentFile(0)));
	if (written === null) return false;
	finishRowStore(changes, target, [written]);
	return true;
}

/** The rows of the older month in the order of entries: of changed licenses, then of those gone. */
export function olderRowsOf({ changedRows, previousRows, goneRows, totals }: StoredChanges): Uint32Array {
	const rows = new Uint32Array(totals.changed + totals.gone);
	let count = 0;
	for (const row of rowsOf(changedRows)) rows[count++] = previousRows[row];
	for (const row of rowsOf(goneRows)) rows[count++] = row;
	return rows;
}

/** Null if the rows are too long to be stored. */
function writeSegment(
	older: SnapshotFiles,
	{ catalog }: SnapshotFiles,
	rows: Uint32Array,
	path: string,
): WrittenFile | null {
	const encoder = new StoredRowEncoder(older);
	const offsets = new Uint32Array(rows.length + 1);
	const sink = new ByteSink();
	let bytes = 0;
	const target = { month: monthNumber(catalog.month), rows: catalog.rows };
	const written = writeFile(path, FILE_TYPE.rows, target, (writer) => {
		writer.begin(SECTION.storedRows, 0, 1);
		for (let first = 0; first < rows.length && bytes <= BYTES_MAX; first += BLOCK_ROWS) {
			const block = rows.subarray(first, first + BLOCK_ROWS);
			const ends = offsets.subarray(first + 1, first + 1 + block.length);
			sink.reset();
			encoder.list(block, sink, ends);
			for (let i = 0; i < ends.length; i++) ends[i] += bytes;
			writer.append(sink.view());
			bytes += sink.length;
		}
		writer.end();
		writer.write(SECTION.storedRowOffsets, 0, offsets);
	});
	return bytes > BYTES_MAX ? null : written;
}

function described({ catalog, crc }: SnapshotFiles) {
	return { month: catalog.month, rows: catalog.rows, crc };
}
