/**
 * Software prefetching: the values of a page are scattered over memory, and copying them one by one
 * waits for each cache miss. Reading one byte of every value first lets many misses overlap, since no
 * read depends on another; the copy then hits the cache.
 */

import { type Codes, ROW_SEGMENT_SHIFT, ROWS_PER_SEGMENT, type RowStore } from "../../formats/index.js";
import { READ_AHEAD_BLOCK_ROWS, READ_AHEAD_DISTINCT_MIN, READ_AHEAD_ROWS_MIN } from "../tuning.js";
import { CELL, type Cell } from "./cells.js";

/** Bytes of a cache line. */
const LINE_BYTES = 64;

const starts = new Uint32Array(READ_AHEAD_BLOCK_ROWS);
const ends = new Uint32Array(READ_AHEAD_BLOCK_ROWS);

/** Accumulates what was read, so that the compiler does not remove the reads. */
const read = { sum: 0 };

/** Reads one byte of every value that rendering `rows` will copy. */
export function touchValues(cells: readonly Cell[], rows: Uint32Array): void {
	if (rows.length < READ_AHEAD_ROWS_MIN) return;
	for (const cell of cells) {
		if (cell.kind === CELL.rowText) touchRows(cell.heap, cell.offsets, rows);
		else if (cell.distinct >= READ_AHEAD_DISTINCT_MIN) touchCodes(cell, codesOf(cell), rows);
	}
}

/**
 * Reads a byte of every cache line of stored rows. Adjacent rows are left to the hardware prefetcher.
 *
 * All offsets are read before any row, so that no row waits for its offset. The cache lines that nearly
 * every row has are read without a loop, whose mispredicted exit would discard the reads under way.
 */
export function touchStored(store: RowStore, rows: Uint32Array): void {
	if (rows.length < READ_AHEAD_ROWS_MIN || rows[rows.length - 1] - rows[0] === rows.length - 1) return;
	for (let first = 0; first < rows.length; first += READ_AHEAD_BLOCK_ROWS) {
		touchBlock(store, rows, first, Math.min(rows.length, first + READ_AHEAD_BLOCK_ROWS));
	}
}

/** As {@link touchStored}, of rows[first, end): at most READ_AHEAD_BLOCK_ROWS. */
function touchBlock({ segments }: RowStore, rows: Uint32Array, first: number, end: number): void {
	for (let i = first; i < end; i++) {
		const { offsets } = segments[rows[i] >>> ROW_SEGMENT_SHIFT];
		const at = rows[i] & (ROWS_PER_SEGMENT - 1);
		starts[i - first] = offsets[at];
		ends[i - first] = offsets[at + 1];
	}
	let sum = 0;
	for (let i = first; i < end; i++) {
		const { heap } = segments[rows[i] >>> ROW_SEGMENT_SHIFT];
		const rowEnd = ends[i - first];
		let byte = starts[i - first];
		if (byte + 3 * LINE_BYTES <= rowEnd) {
			sum += heap[byte] + heap[byte + LINE_BYTES] + heap[byte + 2 * LINE_BYTES];
			byte += 3 * LINE_BYTES;
		}
		for (; byte < rowEnd; byte += LINE_BYTES) sum += heap[byte];
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

/** Reads one byte of the values of codes[0, count), which writing them will copy. */
export function touchDictionary({ heap, offsets }: Cell, codes: Uint32Array, count: number): void {
	let sum = 0;
	for (let i = 0; i < count; i++) sum += heap[offsets[codes[i]]];
	read.sum ^= sum;
}

function touchRows(heap: Uint8Array, offsets: Uint32Array, rows: Uint32Array): void {
	let sum = 0;
	for (let i = 0; i < rows.length; i++) sum += heap[offsets[rows[i]]];
	read.sum ^= sum;
}
