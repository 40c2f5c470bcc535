/**
 * Masked, narrowed and reordered rows as JSON from the row store: there a row's values are adjacent, while the
 * columns are spread over memory. Values are copied with their escapes.
 */

import {
	COLUMNS,
	columnNamed,
	ROW_SEGMENT_SHIFT,
	ROWS_PER_SEGMENT,
	type RowStore,
} from "../../formats/index.js";
import type { Projection } from "../query.js";
import { MASKED_CELL_COST, STORED_CELLS_MIN } from "../tuning.js";
import { maskEmail, maskPhone } from "./mask.js";
import type { ByteSink } from "./sink.js";
import {
	BACKSLASH,
	CLOSE,
	COMMA,
	LABEL_BYTES,
	NULL_BYTES,
	NULL_START,
	OPEN,
	QUOTE,
} from "./stored-layout.js";
import { touchStored } from "./touch.js";

const AT_SIGN = 0x40;
const DOT = 0x2e;
const HYPHEN = 0x2d;
const STAR = 0x2a;

/** Bytes reserved beside a row's own: four masked values may be longer than the values they replace. */
const MASKS_ROOM = 256;

/** Adjacent columns of the table that are copied together, or one column that is masked. */
interface Piece {
	/** Numbers of the first and the last column in the table. */
	readonly first: number;
	readonly last: number;
	readonly mask: "email" | "phone" | null;
}

/** The parts of a stored row that a projection copies. */
export interface StoredProjection {
	readonly pieces: readonly Piece[];
	/** Columns to locate: the last projected one and all before it. */
	readonly scanned: number;
}

/** How to render `projection` from stored rows; null if reading its columns is cheaper. Cost O(columns). */
export function storedProjection({ columns, masked }: Projection): StoredProjection | null {
	const pieces: Piece[] = [];
	let scanned = 0;
	for (const name of columns) {
		const column = columnNamed(name);
		const index = COLUMNS.indexOf(column);
		scanned = Math.max(scanned, index + 1);
		const mask = masked && column.contact ? (name.endsWith("email") ? "email" : "phone") : null;
		const before = pieces.at(-1);
		if (mask === null && before?.mask === null && before.last === index - 1) {
			pieces[pieces.length - 1] = { ...before, last: index };
		} else pieces.push({ first: index, last: index, mask });
	}
	const maskedColumns = pieces.filter(({ mask }) => mask !== null).length;
	const readCells = columns.length + maskedColumns * (MASKED_CELL_COST - 1);
	return readCells < STORED_CELLS_MIN ? null : { pieces, scanned };
}

/** Where each column's label and value begin in the current row, and where the last value ends. */
const labels = new Uint32Array(COLUMNS.length + 1);
const values = new Uint32Array(COLUMNS.length);

/** Appends each row as an object, followed by `separator` except after the last. */
export function renderStoredObjects(
	store: RowStore,
	projection: StoredProjection,
	rows: Uint32Array,
	separator: number,
	sink: ByteSink,
): void {
	touchStored(store, rows);
	for (let i = 0; i < rows.length; i++) {
		const row = rows[i];
		const { heap, offsets } = store.segments[row >>> ROW_SEGMENT_SHIFT];
		locate(heap, offsets[row & (ROWS_PER_SEGMENT - 1)], projection.scanned);
		sink.reserve(store.runBytes(row, row + 1) + MASKS_ROOM);
		if (i > 0) sink.bytes[sink.length++] = separator;
		writeObject(heap, projection.pieces, sink);
	}
}

/** Finds the labels and values of the first `columns` columns of the object at heap[from…). */
function locate(heap: Uint8Array, from: number, columns: number): void {
	let at = from;
	for (let column = 0; column < columns; column++) {
		labels[column] = at;
		at += LABEL_BYTES[column];
		values[column] = at;
		const first = heap[at];
		if (first === QUOTE) at = textEnd(heap, at + 1);
		else if (first === NULL_START) at += NULL_BYTES;
		else while (heap[at] !== COMMA && heap[at] !== CLOSE && at < heap.length) at++;
	}
	labels[columns] = at;
}

/** The end of the text at heap[from…), past its closing quote. */
function textEnd(heap: Uint8Array, from: number): number {
	let at = from;
	for (let byte = heap[at]; byte !== QUOTE && at < heap.length; byte = heap[at]) {
		at += byte === BACKSLASH ? 2 : 1;
	}
	return at + 1;
}

function writeObject(heap: Buffer, pieces: readonly Piece[], sink: ByteSink): void {
	const { bytes } = sink;
	let to = sink.length;
	for (let i = 0; i < pieces.length; i++) {
		const { first, last, mask } = pieces[i];
		const start = to;
		to += heap.copy(bytes, to, labels[first], mask === null ? labels[last + 1] : values[first]);
		// The copied label begins with the separator it has in the stored row.
		bytes[start] = i === 0 ? OPEN : COMMA;
		if (mask !== null) to = writeMasked(heap, values[first], labels[first + 1], mask, bytes, to);
	}
	bytes[to] = CLOSE;
	sink.length = to + 1;
}

/** Writes the masked form of the value heap[from, end) to bytes[to…). Returns the end. */
function writeMasked(
	heap: Buffer,
	from: number,
	end: number,
	mask: "email" | "phone",
	bytes: Buffer,
	to: number,
): number {
	if (heap[from] === NULL_START) return to + heap.copy(bytes, to, from, end);
	if (!isPlain(heap, from + 1, end - 1)) {
		const value: string = JSON.parse(heap.toString("utf8", from, end));
		return to + bytes.write(JSON.stringify(mask === "email" ? maskEmail(value) : maskPhone(value)), to);
	}
	bytes[to] = QUOTE;
	const masked =
		mask === "email"
			? writeMaskedEmail(heap, from + 1, end - 1, bytes, to + 1)
			: writeMaskedPhone(heap, from + 1, end - 1, bytes, to + 1);
	bytes[masked] = QUOTE;
	return masked + 1;
}

/** Whether heap[from, end) is ASCII without escapes, so that a byte is a character. */
function isPlain(heap: Uint8Array, from: number, end: number): boolean {
	for (let i = from; i < end; i++) if (heap[i] >= 0x80 || heap[i] === BACKSLASH) return false;
	return true;
}

/** {@link maskEmail} of the characters heap[from, end). */
function writeMaskedEmail(
	heap: Uint8Array,
	from: number,
	end: number,
	bytes: Uint8Array,
	to: number,
): number {
	let at = end - 1;
	while (at >= from && heap[at] !== AT_SIGN) at--;
	if (at < from) return writeStars(bytes, copyOne(heap, from, end, bytes, to));
	let next = writeStars(bytes, copyOne(heap, from, at, bytes, to));
	bytes[next++] = AT_SIGN;
	next = writeStars(bytes, copyOne(heap, at + 1, end, bytes, next));
	for (let i = lastLabel(heap, at + 1, end); i < end; i++) bytes[next++] = heap[i];
	return next;
}

/** Where the last domain label of heap[from, end) begins, its dot included; `end` if there is none. */
function lastLabel(heap: Uint8Array, from: number, end: number): number {
	let dot = end - 1;
	while (dot >= from && isLabelByte(heap[dot])) dot--;
	const isLabel = dot >= from && heap[dot] === DOT && dot + 1 < end && isLetter(heap[dot + 1]);
	return isLabel ? dot : end;
}

/** {@link maskPhone} of the characters heap[from, end). */
function writeMaskedPhone(
	heap: Uint8Array,
	from: number,
	end: number,
	bytes: Uint8Array,
	to: number,
): number {
	let digits = 0;
	let beforeLast = 0;
	let last = 0;
	for (let i = from; i < end; i++) {
		if (!isDigit(heap[i])) continue;
		digits++;
		beforeLast = last;
		last = heap[i];
	}
	const next = writeStars(bytes, to);
	if (digits <= 2) return next;
	bytes[next] = beforeLast;
	bytes[next + 1] = last;
	return next + 2;
}

function copyOne(heap: Uint8Array, from: number, end: number, bytes: Uint8Array, to: number): number {
	if (from >= end) return to;
	bytes[to] = heap[from];
	return to + 1;
}

function writeStars(bytes: Uint8Array, to: number): number {
	bytes[to] = STAR;
	bytes[to + 1] = STAR;
	bytes[to + 2] = STAR;
	return to + 3;
}

function isDigit(byte: number): boolean {
	return byte >= 0x30 && byte <= 0x39;
}

function isLetter(byte: number): boolean {
	const lower = byte | 0x20;
	return lower >= 0x61 && lower <= 0x7a;
}

function isLabelByte(byte: number): boolean {
	return isLetter(byte) || isDigit(byte) || byte === HYPHEN;
}
