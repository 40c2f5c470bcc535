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
import { RowMemory, STAGED_ROWS } from "./row-memory.js";
import { writeFile } from "./write-column.js";

/** Encoded bytes from which they are written. */
const FLUSH_BYTES = 8 * 1024 * 1024;
/** Rows that the module may leave out of as many as are staged, before the others are encoded without it. */
const LEFT_OUT_MAX = 32;

/** Encodes and writes one segment of the snapshot in `folder` to `target`. Cost O(bytes). */
export function writeRowSegment(folder: string, target: string, segment: number): WrittenFile {
	const files = SnapshotFiles.open(folder);
	const { rows, month } = files.catalog;
	const encode = rowsEncoder(files);
	const first = segment * ROWS_PER_SEGMENT;
	const end = Math.min(rows, first + ROWS_PER_SEGMENT);
	const offsets = new Uint32Array(end - first + 1);
	const sink = new ByteSink(FLUSH_BYTES + (1 << 20));
	const path = join(target, rowSegmentFile(segment));
	return writeFile(path, FILE_TYPE.rows, { month: monthNumber(month), rows }, (writer) => {
		writer.begin(SECTION.storedRows, segment, 1);
		let flushed = 0;
		for (let row = first; row < end; row += STAGED_ROWS) {
			const stop = Math.min(end, row + STAGED_ROWS);
			const ends = offsets.subarray(row - first + 1, stop - first + 1);
			encode(row, stop, sink, ends);
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

/** Appends rows [from, to), at most {@link STAGED_ROWS}, to `sink`, and writes where each ends there to `ends`. */
export type EncodeRows = (from: number, to: number, sink: ByteSink, ends: Uint32Array) => void;

/** Encodes rows by WebAssembly, and those that it leaves out, or all where it cannot run, from the mapped columns. */
export function rowsEncoder(files: SnapshotFiles): EncodeRows {
	const encoder = new StoredRowEncoder(files);
	const memory = RowMemory.of(files);
	if (memory === null) return (from, to, sink, ends) => encoder.rows(from, to, sink, ends);
	return (from, to, sink, ends) => {
		const count = to - from;
		let row = 0;
		if (memory.stage(from, to)) {
			for (let leftOut = 0; leftOut < LEFT_OUT_MAX; leftOut++) {
				row = memory.encode(row, count, sink, ends.subarray(row));
				if (row === count) return;
				encoder.rows(from + row, from + row + 1, sink, ends.subarray(row));
				row++;
			}
		}
		encoder.rows(from + row, to, sink, ends.subarray(row));
	};
}
