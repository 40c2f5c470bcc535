/**
 * Where the values of a block of rows are in their heaps, column by column: the codes and offsets of a column are
 * read one row after the other, so that cache misses overlap, and rows are then written without another lookup.
 *
 * The first byte of a value is read too where it is likely not cached, which prefetches it for the copy.
 */

import type { Codes } from "../../formats/index.js";
import { READ_AHEAD_DISTINCT_MIN, READ_AHEAD_VALUE_ROWS } from "../tuning.js";
import { CELL, type Cell } from "./cells.js";

/** Ranges of values by row, then by cell. Both ends are 0 for null, and for cells that have no heap of values. */
export interface ValueRanges {
	readonly starts: Uint32Array;
	readonly ends: Uint32Array;
}

/** Memory for the ranges of a block of rows of `cells` cells: 1 KiB a cell. */
export function valueRanges(cells: number): ValueRanges {
	const room = cells * READ_AHEAD_VALUE_ROWS;
	return { starts: new Uint32Array(room), ends: new Uint32Array(room) };
}

/** Of the block located last, for those who finish with a block before another is located. */
let shared = valueRanges(0);

/** Accumulates what was read, so that the compiler does not remove the reads. */
const read = { sum: 0 };

/** Locates the values of `rows`, at most READ_AHEAD_VALUE_ROWS, in memory that is valid until the next call. */
export function locateValues(cells: readonly Cell[], rows: Uint32Array): ValueRanges {
	if (shared.starts.length < cells.length * READ_AHEAD_VALUE_ROWS) shared = valueRanges(cells.length);
	return locateIn(shared, cells, rows);
}

/** {@link locateValues} in memory of {@link valueRanges}. */
export function locateIn(ranges: ValueRanges, cells: readonly Cell[], rows: Uint32Array): ValueRanges {
	for (let c = 0; c < cells.length; c++) {
		const cell = cells[c];
		if (cell.width > 0) locateCodes(ranges, cell, codesOf(cell), rows, c, cells.length);
		else if (cell.kind === CELL.rowText) locateTexts(ranges, cell, rows, c, cells.length);
		else locateNone(ranges, rows, c, cells.length);
	}
	return ranges;
}

function codesOf(cell: Cell): Codes {
	if (cell.width === 4) return cell.codes32;
	return cell.width === 2 ? cell.codes16 : cell.codes8;
}

function locateCodes(
	{ starts, ends }: ValueRanges,
	cell: Cell,
	codes: Codes,
	rows: Uint32Array,
	first: number,
	step: number,
): void {
	const { offsets, heap, distinct } = cell;
	const isReadAhead = distinct >= READ_AHEAD_DISTINCT_MIN;
	let sum = 0;
	for (let i = 0, at = first; i < rows.length; i++, at += step) {
		const code = codes[rows[i]];
		const isNull = code === distinct;
		const start = isNull ? 0 : offsets[code];
		starts[at] = start;
		ends[at] = isNull ? 0 : offsets[code + 1];
		if (isReadAhead) sum += heap[start];
	}
	read.sum ^= sum;
}

function locateTexts(
	{ starts, ends }: ValueRanges,
	{ offsets, heap }: Cell,
	rows: Uint32Array,
	first: number,
	step: number,
): void {
	let sum = 0;
	for (let i = 0, at = first; i < rows.length; i++, at += step) {
		const start = offsets[rows[i]];
		starts[at] = start;
		ends[at] = offsets[rows[i] + 1];
		sum += heap[start];
	}
	read.sum ^= sum;
}

function locateNone({ starts, ends }: ValueRanges, rows: Uint32Array, first: number, step: number): void {
	for (let i = 0, at = first; i < rows.length; i++, at += step) {
		starts[at] = 0;
		ends[at] = 0;
	}
}

/**
 * Locates the value of cell number `cell` in those of `rows` that have its bit set in their marks, and leaves the
 * ranges of others as they are. Cost O(rows).
 */
export function locateMarked(
	{ starts, ends }: ValueRanges,
	cells: readonly Cell[],
	cell: number,
	rows: Uint32Array,
	marks: Uint32Array,
): void {
	const { width, kind, offsets, heap, distinct } = cells[cell];
	const codes = width > 0 ? codesOf(cells[cell]) : null;
	let sum = 0;
	for (let i = 0, at = cell; i < rows.length; i++, at += cells.length) {
		if (((marks[i] >>> cell) & 1) === 0) continue;
		// By its code, by its row, or by nothing: null has a code, and what is computed has no range.
		const index = codes !== null ? codes[rows[i]] : rows[i];
		const hasRange = codes !== null ? index !== distinct : kind === CELL.rowText;
		const start = hasRange ? offsets[index] : 0;
		starts[at] = start;
		ends[at] = hasRange ? offsets[index + 1] : 0;
		sum += heap[start];
	}
	read.sum ^= sum;
}
