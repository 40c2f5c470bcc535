/**
 * Rows as CSV (RFC 4180): CRLF, quotes where a cell holds a quote, comma or line end, null as an
 * empty cell, and an apostrophe before a cell that starts with `=`, `+`, `-` or `@` (SPEC §4.8 rule 6).
 */

import type { ColumnName } from "../../formats/index.js";
import type { Cell } from "./cells.js";
import { cellValue } from "./cells.js";
import type { ByteSink } from "./sink.js";

const COMMA = 0x2c;
const CR = 0x0d;
const LF = 0x0a;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;

/** 1 for the bytes that make a cell need quotes. */
const QUOTED = new Uint8Array(256);
for (const byte of [COMMA, CR, LF, QUOTE]) QUOTED[byte] = 1;

/** 1 for the bytes that a spreadsheet would take for the start of a formula. */
const FORMULA = new Uint8Array(256);
for (const character of "=+-@") FORMULA[character.charCodeAt(0)] = 1;

const encoder = new TextEncoder();

/** Appends the header line. */
export function renderCsvHeader(columns: readonly ColumnName[], sink: ByteSink): void {
	sink.text(`${columns.join(",")}\r\n`);
}

/** Appends one line a row. */
export function renderCsvRows(cells: readonly Cell[], rows: Uint32Array, sink: ByteSink): void {
	for (let i = 0; i < rows.length; i++) {
		for (let c = 0; c < cells.length; c++) {
			if (c > 0) sink.byte(COMMA);
			writeCell(cells[c], rows[i], sink);
		}
		sink.byte(CR);
		sink.byte(LF);
	}
}

function writeCell(cell: Cell, row: number, sink: ByteSink): void {
	if (cell.kind === "dictionary") {
		const code = cell.codes[row];
		if (code !== cell.distinct) writeBytes(cell.heap, cell.offsets[code], cell.offsets[code + 1], sink);
	} else if (cell.kind === "text" && cell.mask === null) {
		writeBytes(cell.heap, cell.offsets[row], cell.offsets[row + 1], sink);
	} else if (cell.kind === "id") {
		sink.integer(cell.monthNumber * 100_000_000 + row + 1);
	} else {
		const text = encoder.encode(String(cellValue(cell, row) ?? ""));
		writeBytes(text, 0, text.length, sink);
	}
}

function writeBytes(heap: Uint8Array, start: number, end: number, sink: ByteSink): void {
	if (start === end) return;
	// Room for the apostrophe, both quotes, and every byte doubled.
	sink.reserve((end - start) * 2 + 3);
	const { bytes } = sink;
	let at = sink.length;
	const quoted = needsQuotes(heap, start, end);
	if (quoted) bytes[at++] = QUOTE;
	if (FORMULA[heap[start]] === 1) bytes[at++] = APOSTROPHE;
	for (let i = start; i < end; i++) {
		if (heap[i] === QUOTE) bytes[at++] = QUOTE;
		bytes[at++] = heap[i];
	}
	if (quoted) bytes[at++] = QUOTE;
	sink.length = at;
}

function needsQuotes(heap: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end; i++) if (QUOTED[heap[i]] === 1) return true;
	return false;
}
