/** Writes rows of a snapshot to a file of its row store. */

import { join } from "node:path";
import { ByteSink, StoredRowEncoder } from "../../engine/index.js";
import {
	FILE_TYPE,
	monthNumber,
	ROWS_PER_SEGMENT,
	rowSegmentFile,
	SECTION,
	SnapshotFiles,
	type WrittenFile,
} from "../../formats/index.js";
import { writeFile } from "./write-column.js";

/** Encoded bytes from which they are written, and rows after which that is asked. */
const FLUSH_BYTES = 8 * 1024 * 1024;
const FLUSH_ROWS = 1024;

/** Encodes and writes one segment of the snapshot in `folder` to `target`. Cost O(bytes). */
export function writeRowSegment(folder: string, target: string, segment: number): WrittenFile {
	const files = SnapshotFiles.open(folder);
	const { rows, month } = files.catalog;
	const encoder = new StoredRowEncoder(files);
	const first = segment * ROWS_PER_SEGMENT;
	const end = Math.min(rows, first + ROWS_PER_SEGMENT);
	const offsets = new Uint32Array(end - first + 1);
	const sink = new ByteSink(FLUSH_BYTES + (1 << 20));
	const path = join(target, rowSegmentFile(segment));
	return writeFile(path, FILE_TYPE.rows, { month: monthNumber(month), rows }, (writer) => {
		writer.begin(SECTION.storedRows, segment, 1);
		let flushed = 0;
		for (let row = first; row < end; row += FLUSH_ROWS) {
			const stop = Math.min(end, row + FLUSH_ROWS);
			const ends = offsets.subarray(row - first + 1, stop - first + 1);
			encoder.rows(row, stop, sink, ends);
			for (let i = 0; i < ends.length; i++) ends[i] += flushed;
			if (sink.length < FLUSH_BYTES) continue;
			writer.append(sink.view());
			flushed += sink.length;
			sink.reset();
		}
		writer.append(sink.view());
		writer.end();
		writer.write(SECTION.storedRowOffsets, segment, offsets);
	});
}
