/** Entries of changes as CSV lines, from stored rows, by the module that converts rows (../render/csv-from-store-simd.ts). */

import { COLUMNS, columnNamed, invariant, TRACKED_COLUMNS } from "../../formats/index.js";
import { CONVERTER_BYTES, type ConvertRow, openConverter } from "../render/csv-from-store-simd.js";
import type { ChangeKind } from "./change-set.js";
import { type EntryForm, FORM_BYTES, LABELS_BYTES, type RowBytes } from "./stored-entries.js";

const COMMA = 0x2c;
const SPACE = 0x20;
const CR = 0x0d;
const LF = 0x0a;

/** Columns of a stored row: how many are read, and a bit for each that is written. */
interface Wanted {
	readonly columns: number;
	readonly bits: number;
}

const LICENSE = wantedOf(["state", "member_state_license_number"]);
const TRACKED = wantedOf(TRACKED_COLUMNS.map(({ name }) => name));
const WHOLE_ROW = wantedOf(COLUMNS.map(({ name }) => name));

const NAMES = TRACKED_COLUMNS.map(({ name }) => Buffer.from(name));
const KINDS: Readonly<Record<ChangeKind, Buffer>> = {
	new: Buffer.from("new,"),
	changed: Buffer.from("changed,"),
	gone: Buffer.from("gone,"),
};
/** Of an entry without former values: the commas between them. */
const NO_VALUES = Buffer.from(",".repeat(TRACKED_COLUMNS.length - 1));

invariant(CONVERTER_BYTES <= FORM_BYTES, "the module's settings fit before the rows");
invariant(Buffer.concat(NAMES).length + 100 < LABELS_BYTES, "names of fields fit the room of an entry");

function wantedOf(names: readonly (typeof COLUMNS)[number]["name"][]): Wanted {
	const indexes = names.map((name) => COLUMNS.indexOf(columnNamed(name)));
	invariant(
		indexes.every((index, i) => i === 0 || index > indexes[i - 1]),
		"cells are in the order of the row's",
	);
	return {
		columns: Math.max(...indexes) + 1,
		bits: indexes.reduce((bits, index) => bits | (1 << index), 0),
	};
}

export class ChangeLines implements EntryForm {
	private constructor(
		readonly memory: Buffer,
		private readonly convert: ConvertRow,
	) {}

	/** Null where this process cannot run the module. */
	static open(): ChangeLines | null {
		const opened = openConverter();
		return opened === null ? null : new ChangeLines(opened.memory, opened.convert);
	}

	write(kind: ChangeKind, newer: RowBytes, older: RowBytes, marks: number, to: number): number {
		const { memory } = this;
		const row = kind === "gone" ? older : newer;
		let at = put(KINDS[kind], memory, to);
		at = this.cells(row, LICENSE, at);
		if (at === 0) return 0;
		memory[at++] = COMMA;
		at = fieldNames(marks, memory, at);
		memory[at++] = COMMA;
		at = this.cells(row, WHOLE_ROW, at);
		if (at === 0) return 0;
		memory[at++] = COMMA;
		at = kind === "changed" ? this.cells(older, TRACKED, at) : put(NO_VALUES, memory, at);
		if (at === 0) return 0;
		memory[at++] = CR;
		memory[at++] = LF;
		return at;
	}

	private cells({ from, end }: RowBytes, { columns, bits }: Wanted, to: number): number {
		return this.convert(from, end, to, columns, bits);
	}
}

/** Writes the names of the fields that changed, separated by spaces; returns the end. */
function fieldNames(marks: number, memory: Buffer, to: number): number {
	let at = to;
	for (let left = marks; left !== 0; left &= left - 1) {
		if (at > to) memory[at++] = SPACE;
		at = put(NAMES[31 - Math.clz32(left & -left)], memory, at);
	}
	return at;
}

/** Writes short bytes, for which a loop is cheaper than a call; returns the end. */
function put(bytes: Buffer, memory: Buffer, to: number): number {
	for (let i = 0; i < bytes.length; i++) memory[to + i] = bytes[i];
	return to + bytes.length;
}
