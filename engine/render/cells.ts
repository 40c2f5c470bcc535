/**
 * Cells: for every column of a projection, the bytes that precede its value and the views that its value
 * is read from. Made once per snapshot and projection.
 *
 * Invariant: cells of all kinds have the same shape (hidden class), so that rendering loops stay
 * monomorphic; views that a kind does not use are empty.
 */

import {
	type Codes,
	type Column,
	type ColumnName,
	columnNamed,
	decodeUtf8,
	monthNumber,
	rowId,
} from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import type { Projection } from "../query.js";
import { maskEmail, maskPhone } from "./mask.js";
import { WordText } from "./word-text.js";

/** Kinds of cell. `number` and `text` are dictionary values; JSON writes a number without quotes. */
export const CELL = { id: 0, constant: 1, text: 2, number: 3, rowText: 4, masked: 5 } as const;
export type CellKind = (typeof CELL)[keyof typeof CELL];

const NO_BYTES = new Uint8Array(0);
const NO_CODES_16 = new Uint16Array(0);
const NO_WORDS = new Uint32Array(0);
const NO_VIEW = new DataView(new ArrayBuffer(0));

const encoder = new TextEncoder();

export class Cell {
	/** What precedes the value, and the opening quote of a text. */
	readonly label: WordText;
	/** Codes by row, of the one width that is not empty. */
	codes8 = NO_BYTES;
	codes16 = NO_CODES_16;
	codes32 = NO_WORDS;
	/** Bytes of a code; 0 where the cell has none. */
	width: 0 | 1 | 2 | 4 = 0;
	/** The code of null. */
	distinct = 0;
	/** Offsets into `heap`, by code or by row. */
	offsets = NO_WORDS;
	heap: Uint8Array = NO_BYTES;
	/** Over the same memory as `heap`, for reading whole words. */
	heapWords = NO_VIEW;
	/** Whether the value is not a range of a heap that differs by row: ids, constants and masked values. */
	readonly isComputed: boolean;
	/** For `constant`, whose bytes are the heap. */
	value = "";
	/** For `masked`. */
	mask: (value: string) => string = (value) => value;
	/** For `id`. */
	monthNumber = 0;

	constructor(
		readonly kind: CellKind,
		/** `"name":` with the separator before it; in an array the separator alone. */
		label: string,
	) {
		this.isComputed = kind === CELL.id || kind === CELL.constant || kind === CELL.masked;
		const quoted = kind === CELL.text || kind === CELL.rowText;
		this.label = new WordText(quoted ? `${label}"` : label);
	}

	/** Code of `row`. */
	code(row: number): number {
		if (this.width === 4) return this.codes32[row];
		return this.width === 2 ? this.codes16[row] : this.codes8[row];
	}
}

/** How a row is written as JSON: an object of named members, or an array of values. */
export type RowShape = "object" | "array";

/** The cells of `projection`, in its order. */
export function openCells(
	columns: SnapshotColumns,
	month: string,
	{ columns: listed, names = listed, masked }: Projection,
	shape: RowShape = "object",
): Cell[] {
	return listed.map((name, index) =>
		openCell(columns, month, name, labelOf(names[index], index, shape), masked),
	);
}

/** The cell of one column, whose label is `label`: any text before the value. */
export function openLabelled(columns: SnapshotColumns, month: string, name: ColumnName, label: string): Cell {
	return openCell(columns, month, name, label, false);
}

function labelOf(name: string, index: number, shape: RowShape): string {
	if (shape === "array") return index === 0 ? "[" : ",";
	return `${index === 0 ? "{" : ","}"${name}":`;
}

function openCell(
	columns: SnapshotColumns,
	month: string,
	name: ColumnName,
	label: string,
	masked: boolean,
): Cell {
	const column = columnNamed(name);
	switch (column.kind) {
		case "id": {
			const cell = new Cell(CELL.id, label);
			cell.monthNumber = monthNumber(month);
			return cell;
		}
		case "snapshot": {
			const cell = new Cell(CELL.constant, label);
			cell.value = month;
			cell.heap = encoder.encode(month);
			return cell;
		}
		case "string": {
			const mask = masked ? maskOf(column) : null;
			const cell = new Cell(mask === null ? CELL.rowText : CELL.masked, label);
			const { offsets, heap } = columns.text.get(column);
			Object.assign(cell, { offsets, heap, heapWords: viewOf(heap), mask: mask ?? cell.mask });
			return cell;
		}
		case "dict":
		case "date":
		case "int": {
			const cell = new Cell(column.kind === "int" ? CELL.number : CELL.text, label);
			const { offsets, heap, distinct } = columns.dictionary.get(column);
			Object.assign(cell, { offsets, heap, heapWords: viewOf(heap), distinct });
			setCodes(cell, columns.codes.get(column));
			return cell;
		}
	}
}

function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView<ArrayBuffer> {
	return new DataView(buffer as ArrayBuffer, byteOffset, length);
}

function setCodes(cell: Cell, codes: Codes): void {
	if (codes instanceof Uint32Array) Object.assign(cell, { codes32: codes, width: 4 });
	else if (codes instanceof Uint16Array) Object.assign(cell, { codes16: codes, width: 2 });
	else Object.assign(cell, { codes8: codes, width: 1 });
}

function maskOf(column: Column): ((value: string) => string) | null {
	if (!column.contact) return null;
	return column.name.endsWith("email") ? maskEmail : maskPhone;
}

/** The cell's value in `row` as plain data, as in JSON. */
export function cellValue(cell: Cell, row: number): string | number | null {
	switch (cell.kind) {
		case CELL.id:
			return rowId(cell.monthNumber, row);
		case CELL.constant:
			return cell.value;
		case CELL.rowText:
		case CELL.masked: {
			const text = decodeRange(cell, row);
			if (text === "") return null;
			return cell.kind === CELL.masked ? cell.mask(text) : text;
		}
		case CELL.text:
		case CELL.number: {
			const code = cell.code(row);
			if (code === cell.distinct) return null;
			const text = decodeRange(cell, code);
			return cell.kind === CELL.number ? Number(text) : text;
		}
	}
}

/** The text at `index`, a row or a code. */
function decodeRange({ heap, offsets }: Cell, index: number): string {
	const start = offsets[index];
	const end = offsets[index + 1];
	return start === end ? "" : decodeUtf8(heap, start, end);
}
