/**
 * Full rows as CSV from the row store: there a row's values are adjacent, as JSON, while the columns are
 * spread over memory.
 */

import { ROW_SEGMENT_SHIFT, ROWS_PER_SEGMENT, type RowStore } from "../../formats/index.js";
import type { Cell } from "./cells.js";
import { APOSTROPHE, endCsvRow, FORMULA, renderCsvCells } from "./csv.js";
import { LINE_END_BYTES, StoredCsv } from "./csv-from-store-simd.js";
import type { ByteSink } from "./sink.js";
import { BACKSLASH, CLOSE, COMMA, LABEL_BYTES, NULL_BYTES, NULL_START, QUOTE } from "./stored-layout.js";
import { touchStored } from "./touch.js";

/** Null where this process cannot run it, which renders by a loop in JavaScript then. */
const converter = StoredCsv.open();

/** The one row of {@link renderStoredCsvCells}. */
const one = new Uint32Array(1);

/** Appends one line a row; `cells` are those of the full projection. */
export function renderStoredCsvRows(
	store: RowStore,
	cells: readonly Cell[],
	rows: Uint32Array,
	sink: ByteSink,
	lines = converter,
): void {
	touchStored(store, rows);
	for (let i = 0; i < rows.length; ) {
		const converted = lines === null ? 0 : lines.convert(store, rows, i);
		i += converted;
		if (lines !== null && converted > 0) sink.copy(lines.memory.subarray(lines.from, lines.end));
		else {
			renderInLoop(store, cells, rows[i++], sink);
			endCsvRow(sink);
		}
	}
}

/** Appends one row's cells, separated by commas; `cells` as in {@link renderStoredCsvRows}. */
export function renderStoredCsvCells(
	store: RowStore,
	cells: readonly Cell[],
	row: number,
	sink: ByteSink,
	lines = converter,
): void {
	one[0] = row;
	if (lines === null || lines.convert(store, one, 0) === 0) renderInLoop(store, cells, row, sink);
	else sink.copy(lines.memory.subarray(lines.from, lines.end - LINE_END_BYTES));
}

/** As {@link renderStoredCsvCells}, byte by byte. */
function renderInLoop(store: RowStore, cells: readonly Cell[], row: number, sink: ByteSink): void {
	const { heap, offsets } = store.segments[row >>> ROW_SEGMENT_SHIFT];
	const from = offsets[row & (ROWS_PER_SEGMENT - 1)];
	// A value is never longer in CSV than in JSON with its label.
	sink.reserve(store.runBytes(row, row + 1));
	const end = writeRow(heap, from, sink.bytes, sink.length);
	if (end === ESCAPED) renderCsvCells(cells, row, sink);
	else sink.length = end;
}

/**
 * Returned where a value has a JSON escape or does not end: such rows are rare and are rendered from the columns.
 */
const ESCAPED = -1;

/** Read position in the heap. */
const cursor = { at: 0 };

/**
 * Writes the values of the object at heap[from…) to bytes[to…), separated by commas. Returns the end, or
 * {@link ESCAPED}.
 */
function writeRow(heap: Uint8Array, from: number, bytes: Uint8Array, to: number): number {
	cursor.at = from;
	let end = to;
	for (let column = 0; column < LABEL_BYTES.length; column++) {
		if (column > 0) bytes[end++] = COMMA;
		const at = cursor.at + LABEL_BYTES[column];
		const first = heap[at];
		if (first === NULL_START) cursor.at = at + NULL_BYTES;
		else if (first === QUOTE) end = writeText(heap, at + 1, bytes, end);
		else end = writeNumber(heap, at, bytes, end);
		if (end === ESCAPED) return ESCAPED;
	}
	return end;
}

/** Writes the digits at heap[from…) to bytes[to…). Returns the end. */
function writeNumber(heap: Uint8Array, from: number, bytes: Uint8Array, to: number): number {
	let at = from;
	let end = to;
	for (let byte = heap[at]; byte !== COMMA && byte !== CLOSE; byte = heap[++at]) {
		if (at >= heap.length) return ESCAPED;
		bytes[end++] = byte;
	}
	cursor.at = at;
	return end;
}

/** Writes the text at heap[from…), past its quote, to bytes[to…). Returns the end or {@link ESCAPED}. */
function writeText(heap: Uint8Array, from: number, bytes: Uint8Array, to: number): number {
	let at = from;
	let end = to;
	if (FORMULA[heap[at]] === 1) bytes[end++] = APOSTROPHE;
	let hasComma = false;
	for (let byte = heap[at]; byte !== QUOTE; byte = heap[++at]) {
		if (byte === COMMA) hasComma = true;
		else if (byte === BACKSLASH || at >= heap.length) return ESCAPED;
		bytes[end++] = byte;
	}
	cursor.at = at + 1;
	return hasComma ? quote(bytes, to, end) : end;
}

/** Puts quotes around bytes[start, end), which contain none. Returns the new end. */
function quote(bytes: Uint8Array, start: number, end: number): number {
	for (let i = end; i > start; i--) bytes[i] = bytes[i - 1];
	bytes[start] = QUOTE;
	bytes[end + 1] = QUOTE;
	return end + 2;
}
