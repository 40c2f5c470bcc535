/**
 * Rows as JSON objects, copied from dictionaries and text heaps byte by byte. No string is created
 * unless a value is masked.
 *
 * Most bytes of a row are labels, which are copied by words. A value is checked while it is copied, and
 * rewritten only if a byte of it must be escaped.
 */

import { READ_AHEAD_VALUE_ROWS } from "../tuning.js";
import { CELL, type Cell, cellValue } from "./cells.js";
import { copyPlain, NOT_PLAIN, wordOf } from "./copy-words.js";
import { writeId } from "./digits.js";
import type { ByteSink } from "./sink.js";
import { locateValues, type ValueRanges } from "./value-ranges.js";

/** Bytes of the longest JSON escape of one byte. */
export const ESCAPE_BYTES_MAX = 6;

/** Room besides a value: its closing quote, `null`, an id, and the padding of the label's last word. */
export const JSON_ROOM_BESIDE = 32;

/** 1 for bytes that JSON escapes in a string. */
const ESCAPED = new Uint8Array(256);
ESCAPED.fill(1, 0, 0x20);
ESCAPED[0x22] = 1;
ESCAPED[0x5c] = 1;

const QUOTE = 0x22;
const BACKSLASHES = wordOf(0x5c);
const CLOSE_OBJECT = 0x7d;
const CLOSE_ARRAY = 0x5d;
/** `null` as a little-endian word. */
const NULL_WORD = 0x6c6c756e;

/** Appends each row as an object, followed by `separator` except after the last. */
export function renderObjects(
	cells: readonly Cell[],
	rows: Uint32Array,
	separator: number,
	sink: ByteSink,
): void {
	for (let first = 0; first < rows.length; first += READ_AHEAD_VALUE_ROWS) {
		const block = rows.subarray(first, first + READ_AHEAD_VALUE_ROWS);
		const ranges = locateValues(cells, block);
		for (let i = 0; i < block.length; i++) {
			if (first + i > 0) sink.byte(separator);
			renderLocated(cells, ranges, i * cells.length, block[i], sink);
		}
	}
}

/** Appends `row` as an object; its values are ranges [first, first + cells.length). */
export function renderLocated(
	cells: readonly Cell[],
	{ starts, ends }: ValueRanges,
	first: number,
	row: number,
	sink: ByteSink,
): void {
	for (let i = 0; i < cells.length; i++)
		writeLocated(cells[i], starts[first + i], ends[first + i], row, sink);
	sink.byte(CLOSE_OBJECT);
}

/** Appends the cell's label and its value in `row`, which is range number `at`. */
export function renderValue(
	cell: Cell,
	{ starts, ends }: ValueRanges,
	at: number,
	row: number,
	sink: ByteSink,
): void {
	writeLocated(cell, starts[at], ends[at], row, sink);
}

function writeLocated(cell: Cell, start: number, end: number, row: number, sink: ByteSink): void {
	if (start !== end) writeRange(cell, start, end, sink);
	else if (cell.isComputed) renderCell(cell, row, sink);
	else writeNull(cell, sink);
}

/** Appends one row as an object. */
export function renderObject(cells: readonly Cell[], row: number, sink: ByteSink): void {
	for (let i = 0; i < cells.length; i++) renderCell(cells[i], row, sink);
	sink.byte(CLOSE_OBJECT);
}

/** Appends one row as an array of values. REQUIRES: cells opened for arrays. */
export function renderArray(cells: readonly Cell[], row: number, sink: ByteSink): void {
	for (let i = 0; i < cells.length; i++) renderCell(cells[i], row, sink);
	sink.byte(CLOSE_ARRAY);
}

/** Appends the cell's label and its value in `row`. */
function renderCell(cell: Cell, row: number, sink: ByteSink): void {
	switch (cell.kind) {
		case CELL.text:
		case CELL.number: {
			const code = cell.code(row);
			if (code === cell.distinct) writeNull(cell, sink);
			else writeRange(cell, cell.offsets[code], cell.offsets[code + 1], sink);
			return;
		}
		case CELL.rowText: {
			const start = cell.offsets[row];
			const end = cell.offsets[row + 1];
			if (start === end) writeNull(cell, sink);
			else writeRange(cell, start, end, sink);
			return;
		}
		case CELL.constant:
			writeConstant(cell, sink);
			return;
		case CELL.id:
			sink.reserve(cell.label.bytes + JSON_ROOM_BESIDE);
			sink.length = writeId(cell.monthNumber, row, sink.bytes, cell.label.writeTo(sink, sink.length));
			return;
		default:
			sink.reserve(cell.label.bytes + JSON_ROOM_BESIDE);
			sink.length = cell.label.writeTo(sink, sink.length);
			sink.text(JSON.stringify(cellValue(cell, row)));
	}
}

function writeNull(cell: Cell, sink: ByteSink): void {
	sink.reserve(cell.label.bytes + JSON_ROOM_BESIDE);
	// A text's label ends in a quote, which null does not have.
	const at = cell.label.writeTo(sink, sink.length) - (cell.kind === CELL.number ? 0 : 1);
	sink.words.setUint32(at, NULL_WORD, true);
	sink.length = at + 4;
}

/** A constant is a month, which needs no escapes. */
function writeConstant(cell: Cell, sink: ByteSink): void {
	const { heap } = cell;
	sink.reserve(cell.label.bytes + heap.length + JSON_ROOM_BESIDE);
	const { bytes } = sink;
	let at = cell.label.writeTo(sink, sink.length);
	bytes[at++] = QUOTE;
	for (let i = 0; i < heap.length; i++) bytes[at++] = heap[i];
	bytes[at++] = QUOTE;
	sink.length = at;
}

/** Appends the label and heap[start, end), with a closing quote if it is a text. */
function writeRange(cell: Cell, start: number, end: number, sink: ByteSink): void {
	sink.reserveValue(cell.label.bytes + (end - start) * ESCAPE_BYTES_MAX + JSON_ROOM_BESIDE);
	const { bytes } = sink;
	let at = writeEscapes(cell, start, end, sink, cell.label.writeTo(sink, sink.length));
	if (cell.kind !== CELL.number) bytes[at++] = QUOTE;
	sink.length = at;
}

/** Appends heap[start, end) as it is within the quotes of a JSON string. */
export function writeJsonValue(cell: Cell, start: number, end: number, sink: ByteSink): void {
	sink.reserveValue((end - start) * ESCAPE_BYTES_MAX + JSON_ROOM_BESIDE);
	sink.length = writeEscapes(cell, start, end, sink, sink.length);
}

/**
 * Writes heap[start, end), escaped where necessary, to the sink's bytes from `first` on, where room has been reserved
 * for {@link ESCAPE_BYTES_MAX} bytes each and a word; returns the end.
 */
export function writeEscapes(cell: Cell, start: number, end: number, sink: ByteSink, first: number): number {
	const at = copyPlain(cell, start, end, sink, first, BACKSLASHES);
	return at === NOT_PLAIN ? writeChecked(cell.heap, start, end, sink.bytes, first) : at;
}

/** Copies heap[start, end) to bytes[first…), escaped where necessary; returns the end. */
function writeChecked(heap: Uint8Array, start: number, end: number, bytes: Buffer, first: number): number {
	let at = first;
	let escaped = 0;
	for (let i = start; i < end; i++) {
		const byte = heap[i];
		escaped |= ESCAPED[byte];
		bytes[at++] = byte;
	}
	return escaped === 0 ? at : writeEscaped(heap, start, end, bytes, first);
}

/** Copies heap[start, end) to bytes[from…), escaped for JSON; returns the end. */
function writeEscaped(heap: Uint8Array, start: number, end: number, bytes: Buffer, from: number): number {
	let at = from;
	for (let i = start; i < end; i++) {
		const byte = heap[i];
		if (ESCAPED[byte] === 0) bytes[at++] = byte;
		else at = writeEscape(byte, bytes, at);
	}
	return at;
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
