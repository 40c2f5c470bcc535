/**
 * Converts a block's raw fields to values: unescapes quotes, trims, replaces spellings of null, and checks UTF-8
 * and length. Works in place on the block's cells and bytes, which must be private to the caller. A cell without
 * flags, nearly every one, only needs trimming.
 */

import { isUtf8 } from "node:buffer";
import { type ColumnName, columnNamed } from "../../formats/domain/columns.js";
import { CELL_BYTES_MAX } from "../input/cell-bytes.js";
import { FIELD, QUOTE } from "./byte-classes.js";
import type { FieldTable } from "./field-table.js";
import { isGarbled } from "./garbled-text.js";
import type { RecordBlock } from "./record-block.js";
import { trimmedEnd, trimmedStart } from "./trim.js";

const SPACE = 0x20;

export class CellCleaner {
	/** Number of cells with control, garbled and invisible characters, and of spellings of null; reset by the caller. */
	controlCells = 0;
	garbledCells = 0;
	invisibleCells = 0;
	nulledCells = 0;
	private readonly nulls: readonly Uint8Array[];

	private readonly code: number;

	/** `column` is the one named in rejects and oddities. `nulls` are trimmed texts. */
	constructor(
		private readonly field: number,
		readonly column: ColumnName,
		nulls: readonly string[],
	) {
		this.code = columnNamed(column).code;
		this.nulls = nulls.map((text) => new TextEncoder().encode(text));
	}

	/** Cleans the field's cells of the block's records, and marks records whose cell is not UTF-8. */
	clean(block: RecordBlock): void {
		if (!block.isClean(this.field)) this.cleanCells(block);
		if (this.nulls.length > 0) this.emptyNulls(block);
	}

	private cleanCells(block: RecordBlock): void {
		const { bytes } = block.data;
		const { starts, ends, flags, records } = block.table;
		const first = this.field * records;
		for (let cell = first; cell < first + block.records; cell++) {
			if (flags[cell] !== 0) {
				if (!this.cleanFlagged(bytes, block.table, cell))
					block.reject(cell - first, "invalid_utf8", this.code);
				if (ends[cell] - starts[cell] > CELL_BYTES_MAX)
					block.reject(cell - first, "cell_too_long", this.code);
				continue;
			}
			let start = starts[cell];
			let end = ends[cell];
			while (start < end && bytes[start] === SPACE) start++;
			while (start < end && bytes[end - 1] === SPACE) end--;
			starts[cell] = start;
			ends[cell] = end;
			if (end - start > CELL_BYTES_MAX) block.reject(cell - first, "cell_too_long", this.code);
		}
	}

	/** Cleans a cell with flags; false if it is not valid UTF-8. */
	private cleanFlagged(bytes: Uint8Array, { starts, ends, flags }: FieldTable, cell: number): boolean {
		const start = starts[cell];
		let end = ends[cell];
		if ((flags[cell] & FIELD.escapedQuote) !== 0) end = undoubleQuotes(bytes, start, end);
		const isAscii = (flags[cell] & FIELD.nonAscii) === 0;
		if (!isAscii && !isUtf8(bytes.subarray(start, end))) return false;
		if ((flags[cell] & FIELD.control) !== 0 || (!isAscii && hasHighControl(bytes, start, end)))
			this.controlCells++;
		if (!isAscii && isGarbled(bytes, start, end)) this.garbledCells++;
		starts[cell] = trimmedStart(bytes, start, end);
		ends[cell] = trimmedEnd(bytes, starts[cell], end);
		if (!isAscii && hasInvisible(bytes, starts[cell], ends[cell])) this.invisibleCells++;
		return true;
	}

	private emptyNulls(block: RecordBlock): void {
		const { starts, ends, records } = block.table;
		const first = this.field * records;
		for (let cell = first; cell < first + block.records; cell++) {
			if (starts[cell] < ends[cell] && this.isNull(block.data.bytes, starts[cell], ends[cell])) {
				this.nulledCells++;
				ends[cell] = starts[cell];
			}
		}
	}

	private isNull(bytes: Uint8Array, start: number, end: number): boolean {
		for (const text of this.nulls) {
			if (text.length === end - start && text.every((byte, i) => byte === bytes[start + i])) return true;
		}
		return false;
	}
}

/** Whether UTF-8 has a control character of U+0080 to 009F, such as quotes of windows-1252 read as latin1. */
function hasHighControl(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end - 1; i++) if (bytes[i] === 0xc2 && bytes[i + 1] < 0xa0) return true;
	return false;
}

/**
 * Whether UTF-8 has characters that nothing shows and no search expects: the soft hyphen, zero-width spaces and
 * joiners, marks of direction, the byte-order mark.
 */
function hasInvisible(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end - 1; i++) {
		if (bytes[i] === 0xc2 && bytes[i + 1] === 0xad) return true;
		if (bytes[i] === 0xef && bytes[i + 1] === 0xbb && bytes[i + 2] === 0xbf) return true;
		if (bytes[i] === 0xe2 && isInvisible(bytes[i + 1], bytes[i + 2])) return true;
	}
	return false;
}

/** Whether the character of the bytes E2, `second`, `third` is one of U+200B to 200F, 202A to 202E, 2060 to 2069. */
function isInvisible(second: number, third: number): boolean {
	if (second === 0x80) return (third >= 0x8b && third <= 0x8f) || (third >= 0xaa && third <= 0xae);
	return second === 0x81 && third >= 0xa0 && third <= 0xa9;
}

/** Replaces every `""` in `bytes[start, end)` by one quote; returns the new end. */
function undoubleQuotes(bytes: Uint8Array, start: number, end: number): number {
	let to = start;
	for (let from = start; from < end; from++) {
		bytes[to++] = bytes[from];
		if (bytes[from] === QUOTE) from++;
	}
	return to;
}
