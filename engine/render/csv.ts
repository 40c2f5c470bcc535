/**
 * Rows as CSV (RFC 4180): CRLF; quotes around a cell with a quote, comma or line break; null as an empty
 * cell, in quotes where it is the only one of its line; an apostrophe before a cell that starts with `=`, `+`,
 * `-` or `@` (docs/API.md §7.8.5).
 */

import type { Projection } from "../query.js";
import { READ_AHEAD_VALUE_ROWS } from "../tuning.js";
import { CELL, type Cell, cellValue } from "./cells.js";
import { copyPlain, NOT_PLAIN, wordOf } from "./copy-words.js";
import { writeId } from "./digits.js";
import type { ByteSink } from "./sink.js";
import { locateValues, type ValueRanges } from "./value-ranges.js";

const COMMA = 0x2c;
const CR = 0x0d;
const LF = 0x0a;
const QUOTE = 0x22;
const COMMAS = wordOf(COMMA);
const APOSTROPHE = 0x27;
const EMPTY_CELL = '""';

/** 1 for bytes that require quoting the cell. */
const QUOTED = new Uint8Array(256);
for (const byte of [COMMA, CR, LF, QUOTE]) QUOTED[byte] = 1;

/** 1 for bytes that a spreadsheet would take for the start of a formula. */
export const FORMULA = new Uint8Array(256);
for (const character of "=+-@") FORMULA[character.charCodeAt(0)] = 1;

/** Room besides a value: an apostrophe, two quotes, an id, a separator. */
const ROOM_BESIDE = 32;

/** Appends the header line. */
export function renderCsvHeader({ columns, names = columns }: Projection, sink: ByteSink): void {
	sink.text(`${names.join(",")}\r\n`);
}

/** Appends one line a row. */
export function renderCsvRows(cells: readonly Cell[], rows: Uint32Array, sink: ByteSink): void {
	for (let first = 0; first < rows.length; first += READ_AHEAD_VALUE_ROWS) {
		const block = rows.subarray(first, first + READ_AHEAD_VALUE_ROWS);
		const ranges = locateValues(cells, block);
		for (let i = 0; i < block.length; i++) {
			const start = sink.length;
			writeLocatedCells(cells, ranges, i * cells.length, block[i], sink);
			// Many readers skip a blank line, and would lose the row.
			if (sink.length === start) sink.text(EMPTY_CELL);
			endCsvRow(sink);
		}
	}
}

/** Appends the cells of `row`, whose values are ranges [first, first + cells.length), separated by commas. */
export function writeLocatedCells(
	cells: readonly Cell[],
	{ starts, ends }: ValueRanges,
	first: number,
	row: number,
	sink: ByteSink,
): void {
	let at = sink.length;
	for (let c = 0; c < cells.length; c++) {
		const cell = cells[c];
		const start = starts[first + c];
		const end = ends[first + c];
		// Room for every byte doubled.
		const room = (end - start) * 2 + ROOM_BESIDE;
		if (at + room > sink.bytes.length) {
			sink.length = at;
			sink.reserveValue(room);
		}
		const { bytes } = sink;
		if (c > 0) bytes[at++] = COMMA;
		if (start !== end) {
			const { heap } = cell;
			const copied = FORMULA[heap[start]] === 1 ? NOT_PLAIN : copyPlain(cell, start, end, sink, at, COMMAS);
			at = copied === NOT_PLAIN ? copyChecked(heap, start, end, bytes, at) : copied;
		} else if (cell.isComputed) {
			sink.length = at;
			writeCell(cell, row, sink);
			at = sink.length;
		}
	}
	sink.length = at;
}

/** Appends one row's cells, separated by commas. */
export function renderCsvCells(cells: readonly Cell[], row: number, sink: ByteSink): void {
	for (let c = 0; c < cells.length; c++) {
		if (c > 0) sink.byte(COMMA);
		writeCell(cells[c], row, sink);
	}
}

/** Appends a line end. */
export function endCsvRow(sink: ByteSink): void {
	sink.byte(CR);
	sink.byte(LF);
}

function writeCell(cell: Cell, row: number, sink: ByteSink): void {
	switch (cell.kind) {
		case CELL.text:
		case CELL.number: {
			const code = cell.code(row);
			if (code !== cell.distinct) writeBytes(cell.heap, cell.offsets[code], cell.offsets[code + 1], sink);
			return;
		}
		case CELL.rowText:
			writeBytes(cell.heap, cell.offsets[row], cell.offsets[row + 1], sink);
			return;
		case CELL.constant:
			writeBytes(cell.heap, 0, cell.heap.length, sink);
			return;
		case CELL.id:
			sink.reserve(ROOM_BESIDE);
			sink.length = writeId(cell.monthNumber, row, sink.bytes, sink.length);
			return;
		default: {
			const text = Buffer.from(String(cellValue(cell, row) ?? ""));
			writeBytes(text, 0, text.length, sink);
		}
	}
}

/** Appends heap[start, end). */
function writeBytes(heap: Uint8Array, start: number, end: number, sink: ByteSink): void {
	if (start === end) return;
	// Room for every byte doubled.
	sink.reserveValue((end - start) * 2 + ROOM_BESIDE);
	sink.length = copyChecked(heap, start, end, sink.bytes, sink.length);
}

/**
 * Copies heap[start, end) to bytes[first…) and checks it on the way; a cell that needs quotes is rewritten. Returns
 * the end.
 */
function copyChecked(heap: Uint8Array, start: number, end: number, bytes: Buffer, first: number): number {
	let at = first;
	if (FORMULA[heap[start]] === 1) bytes[at++] = APOSTROPHE;
	let quoted = 0;
	for (let i = start; i < end; i++) {
		const byte = heap[i];
		quoted |= QUOTED[byte];
		bytes[at++] = byte;
	}
	return quoted === 0 ? at : writeQuoted(heap, start, end, bytes, first);
}

/** Writes heap[start, end) in quotes to bytes[from…); returns the end. */
function writeQuoted(heap: Uint8Array, start: number, end: number, bytes: Buffer, from: number): number {
	let at = from;
	bytes[at++] = QUOTE;
	if (FORMULA[heap[start]] === 1) bytes[at++] = APOSTROPHE;
	for (let i = start; i < end; i++) {
		if (heap[i] === QUOTE) bytes[at++] = QUOTE;
		bytes[at++] = heap[i];
	}
	bytes[at++] = QUOTE;
	return at;
}
