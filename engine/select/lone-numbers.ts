/**
 * Finds the row of a license number that one row has, as nearly every number: a word of the hash index leads to the row, and
 * the number is compared with the row's stored values, which are rendered next. Planning would read the dictionary, the postings
 * and then the row, one after the other, each somewhere else in memory.
 *
 * Invariant: a row that is found is the whole answer; whatever else is asked must be planned.
 */

import {
	COLUMNS,
	columnNamed,
	type HashIndex,
	hashBytes,
	LONG_VALUE,
	NUMBER_COLUMN,
	ROW_SEGMENT_SHIFT,
	ROWS_PER_SEGMENT,
	type RowStore,
	type SnapshotFiles,
} from "../../formats/index.js";
import type { StateTable } from "../columns/state-table.js";
import type { Query } from "../query.js";

/** Place of the number among the values of a stored row. */
const NUMBER = COLUMNS.findIndex(({ name }) => name === NUMBER_COLUMN);
const NUMBER_BYTES_MAX = 64;
const LINE_BYTES = 64;

const ASCII_MAX = 0x7f;
const BACKSLASH = 0x5c;

/** Accumulates what was read ahead, so that the compiler does not remove the reads. */
const ahead = { sum: 0 };

export class LoneNumbers {
	/** Undefined until the first number is asked for; null: the month has no rows by word. */
	private index: HashIndex | null | undefined;
	private rows: Uint32Array = new Uint32Array(0);
	private readonly asked = new Uint8Array(NUMBER_BYTES_MAX);
	private bytes = 0;
	private readonly holds = (row: number) => this.isOf(row);

	/** `store`: of the month; without one, nothing is found. */
	constructor(
		private readonly files: SnapshotFiles,
		private readonly states: StateTable,
		private readonly store: RowStore | null,
	) {}

	/**
	 * The one row of `query`, which asks for one license number, in one state or in all; -1: it must be planned. Cost O(length),
	 * and three cache misses.
	 */
	find({ filters, geography }: Query): number {
		const { license_number: number, state } = filters;
		if (number === undefined || geography !== null || this.store === null) return -1;
		if (!asksNoMore(filters, state === undefined ? 1 : 2)) return -1;
		const text = onlyOf(number);
		if (text === null || !this.take(text)) return -1;
		if (this.index === undefined) this.index = this.open();
		if (this.index === null) return -1;
		const row = this.index.findRow(hashBytes(this.asked, 0, this.bytes), this.rows, this.holds);
		return row === -1 || state === undefined || this.isIn(row, onlyOf(state)) ? row : -1;
	}

	private open(): HashIndex | null {
		const column = columnNamed(NUMBER_COLUMN);
		const rows = this.files.hashRows(column);
		if (rows === null) return null;
		this.rows = rows;
		this.store?.use();
		return this.files.hashIndex(column);
	}

	/**
	 * Takes the number to look for; false where its stored bytes may be others than its characters, and its characters the
	 * stored bytes of another. JSON escapes more than backslashes, but each escape has one.
	 */
	private take(text: string): boolean {
		if (text.length > NUMBER_BYTES_MAX) return false;
		for (let i = 0; i < text.length; i++) {
			const unit = text.charCodeAt(i);
			if (unit > ASCII_MAX || unit === BACKSLASH) return false;
			this.asked[i] = unit;
		}
		this.bytes = text.length;
		return true;
	}

	/** Whether a stored row has the number. A row with a long value before it, or a corrupt one, is taken to have another. */
	private isOf(row: number): boolean {
		const segment = (this.store as RowStore).segments[row >>> ROW_SEGMENT_SHIFT];
		if (segment === undefined) return false;
		const { offsets, heap } = segment;
		const base = row & (ROWS_PER_SEGMENT - 1);
		const start = offsets[base];
		const end = offsets[base + 1];
		const { asked, bytes } = this;
		if (heap[start + NUMBER] !== bytes) return false;
		let at = start + COLUMNS.length;
		for (let i = 0; i < NUMBER; i++) {
			const length = heap[start + i];
			if (length === LONG_VALUE) return false;
			at += length;
		}
		if (at + bytes > end) return false;
		for (let i = 0; i < bytes; i++) if (heap[at + i] !== asked[i]) return false;
		// Rendering reads the rest.
		for (let line = at + LINE_BYTES; line < end; line += LINE_BYTES) ahead.sum ^= heap[line];
		return true;
	}

	private isIn(row: number, state: string | null): boolean {
		const number = state === null ? -1 : this.states.numberOf(state);
		if (number === -1) return false;
		const { first, rows } = this.states.runs[number];
		return row >= first && row < first + rows;
	}
}

/** Whether there are so many filters. */
function asksNoMore(filters: Query["filters"], count: number): boolean {
	let given = 0;
	for (const name in filters) if (filters[name as keyof typeof filters] !== undefined) given++;
	return given === count;
}

function onlyOf(value: string | readonly string[]): string | null {
	if (typeof value === "string") return value;
	return value.length === 1 ? value[0] : null;
}
