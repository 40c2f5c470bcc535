/**
 * Rows as JSON objects, copied from dictionaries and text heaps byte by byte. No string is made of
 * a value unless it is masked.
 */

import type { Cell } from "./cells.js";
import { cellValue } from "./cells.js";
import type { ByteSink } from "./sink.js";

/** Bytes a JSON escape may take for one byte of the value. */
const ESCAPE_BYTES_MAX = 6;

/** 1 for the bytes that JSON escapes in a string. */
const ESCAPED = new Uint8Array(256);
ESCAPED.fill(1, 0, 0x20);
ESCAPED[0x22] = 1;
ESCAPED[0x5c] = 1;

const QUOTE = 0x22;
const CLOSE = 0x7d;

/** Appends each row as an object, followed by `separator` except after the last. */
export function renderObjects(
	cells: readonly Cell[],
	rows: Uint32Array,
	separator: number,
	sink: ByteSink,
): void {
	for (let i = 0; i < rows.length; i++) {
		if (i > 0) sink.byte(separator);
		renderObject(cells, rows[i], sink);
	}
}

/** Appends one row as an object. */
export function renderObject(cells: readonly Cell[], row: number, sink: ByteSink): void {
	for (let i = 0; i < cells.length; i++) {
		const cell = cells[i];
		sink.reserve(cell.label.length + 32);
		writeBytes(cell.label, 0, cell.label.length, sink);
		writeValue(cell, row, sink);
	}
	sink.byte(CLOSE);
}

function writeValue(cell: Cell, row: number, sink: ByteSink): void {
	if (cell.kind === "dictionary") {
		const code = cell.codes[row];
		if (code === cell.distinct) writeNull(sink);
		else if (cell.numeric) writeBytes(cell.heap, cell.offsets[code], cell.offsets[code + 1], sink);
		else writeString(cell.heap, cell.offsets[code], cell.offsets[code + 1], sink);
	} else if (cell.kind === "text" && cell.mask === null) {
		const start = cell.offsets[row];
		const end = cell.offsets[row + 1];
		if (start === end) writeNull(sink);
		else writeString(cell.heap, start, end, sink);
	} else if (cell.kind === "id") {
		sink.integer(cell.monthNumber * 100_000_000 + row + 1);
	} else {
		sink.text(JSON.stringify(cellValue(cell, row)));
	}
}

function writeNull(sink: ByteSink): void {
	const { bytes, length } = sink;
	bytes[length] = 0x6e;
	bytes[length + 1] = 0x75;
	bytes[length + 2] = 0x6c;
	bytes[length + 3] = 0x6c;
	sink.length = length + 4;
}

/** Copies heap[start, end); room has been reserved or is made here. */
function writeBytes(heap: Uint8Array, start: number, end: number, sink: ByteSink): void {
	sink.reserve(end - start);
	const { bytes } = sink;
	let at = sink.length;
	for (let i = start; i < end; i++) bytes[at++] = heap[i];
	sink.length = at;
}

/** Copies heap[start, end) as a JSON string. */
function writeString(heap: Uint8Array, start: number, end: number, sink: ByteSink): void {
	sink.reserve((end - start) * ESCAPE_BYTES_MAX + 2);
	const { bytes } = sink;
	let at = sink.length;
	bytes[at++] = QUOTE;
	for (let i = start; i < end; i++) {
		const byte = heap[i];
		if (ESCAPED[byte] === 0) bytes[at++] = byte;
		else at = writeEscape(byte, bytes, at);
	}
	bytes[at++] = QUOTE;
	sink.length = at;
}

const SHORT_ESCAPES = new Map([
	[0x08, 0x62],
	[0x09, 0x74],
	[0x0a, 0x6e],
	[0x0c, 0x66],
	[0x0d, 0x72],
	[0x22, 0x22],
	[0x5c, 0x5c],
]);
const HEX = "0123456789abcdef";

function writeEscape(byte: number, bytes: Buffer, at: number): number {
	bytes[at] = 0x5c;
	const short = SHORT_ESCAPES.get(byte);
	if (short !== undefined) {
		bytes[at + 1] = short;
		return at + 2;
	}
	bytes.write(`u00${HEX[byte >>> 4]}${HEX[byte & 15]}`, at + 1, "latin1");
	return at + 6;
}
