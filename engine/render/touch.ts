/**
 * Reading ahead: a page's values lie anywhere in memory, and copying them one after the other waits for
 * each. Loops that read one byte of every value first wait for many at a time, since no read depends
 * on another; the copying then finds them in the processor's cache.
 */

import { type Codes, ROW_SEGMENT_SHIFT, ROWS_PER_SEGMENT, type RowStore } from "../../formats/index.js";
import { CELL, type Cell } from "./cells.js";

/** Values below this number lie in cache anyway. */
const DISTINCT_MIN = 20_000;
/** Fewer rows are not worth a loop of their own. */
const ROWS_MIN = 8;
/** Bytes that come from memory at once. */
const LINE_BYTES = 64;

/** Keeps a sum of what was read, so that no compiler leaves the reading out. */
const read = { sum: 0 };

/** Reads one byte of every value that rendering `rows` will copy. */
export function touchValues(cells: readonly Cell[], rows: Uint32Array): void {
	if (rows.length < ROWS_MIN) return;
	for (const cell of cells) {
		if (cell.kind === CELL.rowText) touchRows(cell.heap, cell.offsets, rows);
		else if (cell.distinct >= DISTINCT_MIN) touchCodes(cell, codesOf(cell), rows);
	}
}

/** Reads a byte of every cache line of stored rows. Rows in one piece are read ahead by the processor itself. */
export function touchStored(store: RowStore, rows: Uint32Array): void {
	if (rows.length < ROWS_MIN || rows[rows.length - 1] - rows[0] === rows.length - 1) return;
	let sum = 0;
	for (let i = 0; i < rows.length; i++) {
		const { heap, offsets } = store.segments[rows[i] >>> ROW_SEGMENT_SHIFT];
		const at = rows[i] & (ROWS_PER_SEGMENT - 1);
		const end = offsets[at + 1];
		for (let byte = offsets[at]; byte < end; byte += LINE_BYTES) sum += heap[byte];
	}
	read.sum ^= sum;
}

function codesOf(cell: Cell): Codes {
	if (cell.width === 4) return cell.codes32;
	return cell.width === 2 ? cell.codes16 : cell.codes8;
}

function touchCodes({ heap, offsets, distinct }: Cell, codes: Codes, rows: Uint32Array): void {
	let sum = 0;
	for (let i = 0; i < rows.length; i++) {
		const code = codes[rows[i]];
		if (code < distinct) sum += heap[offsets[code]];
	}
	read.sum ^= sum;
}

function touchRows(heap: Uint8Array, offsets: Uint32Array, rows: Uint32Array): void {
	let sum = 0;
	for (let i = 0; i < rows.length; i++) sum += heap[offsets[rows[i]]];
	read.sum ^= sum;
}
