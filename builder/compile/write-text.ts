/** Writing of one text column: its values in canonical order into NAME.col. Cost O(rows + bytes). */

import { join } from "node:path";
import { type ColumnName, columnNamed, FILE_TYPE, FormatError, SECTION } from "../../formats/index.js";
import type { PartText } from "../csv/parsed-month.js";
import { type WriteTarget, type WrittenColumn, writeFile } from "./write-column.js";

/** A text column in parts, as the parser left it. */
export interface TextParts {
	readonly column: ColumnName;
	/** In row order; `text` is null where the part's source lacks the column. */
	readonly parts: readonly { readonly rows: number; readonly text: PartText | null }[];
}

/** Rows with a value, by state run, beside what any written column tells. */
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

function gather(input: TextParts, order: Uint32Array, path: string) {
	const starts = partStarts(input);
	const partOfRow = new Uint16Array(order.length);
	input.parts.forEach((part, index) => {
		partOfRow.fill(index, starts[index], starts[index] + part.rows);
	});
	const bytes = input.parts.reduce((sum, part) => sum + (part.text?.heap.length ?? 0), 0);
	if (bytes > HEAP_BYTES_MAX)
		throw new FormatError("limit_exceeded", path, `${bytes} bytes of text, at most ${HEAP_BYTES_MAX}`);
	const offsets = new Uint32Array(order.length + 1);
	const heap = new Uint8Array(bytes);
	let end = 0;
	for (let row = 0; row < order.length; row++) {
		const source = order[row];
		const part = partOfRow[source];
		const text = input.parts[part].text;
		if (text !== null) {
			const at = source - starts[part];
			const stop = text.offsets[at + 1];
			for (let i = text.offsets[at]; i < stop; i++) heap[end++] = text.heap[i];
		}
		offsets[row + 1] = end;
	}
	return { offsets, heap: heap.subarray(0, end) };
}

function partStarts(input: TextParts): number[] {
	const starts: number[] = [];
	let row = 0;
	for (const part of input.parts) {
		starts.push(row);
		row += part.rows;
	}
	return starts;
}
