/** Writes one text column, its values in canonical order, to NAME.col. Cost O(rows + bytes). */

import { join } from "node:path";
import { type ColumnName, columnNamed, FILE_TYPE, FormatError, SECTION } from "../../formats/index.js";
import type { PartText } from "../csv/parsed-month.js";
import { type WriteTarget, type WrittenColumn, writeFile } from "./write-column.js";

/** A text column in the parser's parts. */
export interface TextParts {
	readonly column: ColumnName;
	/** In row order; `text` is null if the part's source lacks the column. */
	readonly parts: readonly { readonly rows: number; readonly text: PartText | null }[];
}

/** A written text column, with its rows with a value per state run. */
export interface WrittenText extends WrittenColumn {
	readonly valued: readonly number[];
}

const HEAP_BYTES_MAX = 2 ** 31 - 1;

/** Writes a text column. `order` holds the CSV row at each position. */
export function writeTextColumn(input: TextParts, order: Uint32Array, target: WriteTarget): WrittenText {
	const column = columnNamed(input.column);
	const path = join(target.folder, `${column.name}.col`);
	const { offsets, heap } = gather(input, order, path);
	const file = writeFile(path, FILE_TYPE.columns, target, (writer) => {
		writer.write(SECTION.textOffsets, column.code, offsets);
		writer.write(SECTION.textHeap, column.code, heap);
	});
	const valued = target.states.map(({ first, rows }) => {
		let count = 0;
		for (let row = first; row < first + rows; row++) if (offsets[row + 1] > offsets[row]) count++;
		return count;
	});
	const nulls = target.rows - valued.reduce((sum, count) => sum + count, 0);
	return {
		column: { code: column.code, name: column.name, distinct: 0, folds: 0, nulls },
		files: [file],
		counts: [],
		valued,
	};
}

/** The values in canonical order, as one heap with offsets. */
function gather(input: TextParts, order: Uint32Array, path: string) {
	const { starts, heap: source } = concatenateText(input, order.length, path);
	const offsets = new Uint32Array(order.length + 1);
	// Values are copied four bytes at a time, so the last copy may write up to three bytes too many.
	const heap = new Uint8Array(source.length);
	const from = new DataView(source.buffer);
	const to = new DataView(heap.buffer);
	let end = 0;
	for (let row = 0; row < order.length; row++) {
		const start = starts[order[row]];
		const length = starts[order[row] + 1] - start;
		for (let i = 0; i < length; i += 4) to.setUint32(end + i, from.getUint32(start + i));
		end += length;
		offsets[row + 1] = end;
	}
	return { offsets, heap: heap.subarray(0, end) };
}

/** All parts' values in one heap with four spare bytes, and each row's offset. `path` is for error messages. */
export function concatenateText({ parts }: TextParts, rows: number, path: string) {
	const bytes = parts.reduce((sum, part) => sum + (part.text?.heap.length ?? 0), 0);
	if (bytes > HEAP_BYTES_MAX)
		throw new FormatError("limit_exceeded", path, `${bytes} bytes of text, at most ${HEAP_BYTES_MAX}`);
	const starts = new Uint32Array(rows + 1);
	const heap = new Uint8Array(bytes + 4);
	let row = 0;
	let base = 0;
	for (const { text, rows: partRows } of parts) {
		if (text === null) starts.fill(base, row + 1, row + partRows + 1);
		else {
			heap.set(text.heap, base);
			for (let i = 1; i <= partRows; i++) starts[row + i] = base + text.offsets[i];
			base += text.heap.length;
		}
		row += partRows;
	}
	return { starts, heap };
}
