/**
 * Writes CSV (RFC 4180, LF) into two large buffers alternately: one is filled while the other is written to
 * disk.
 *
 * Invariants: every field ends with a comma until {@link CsvBuffer.endRow} replaces the row's last one by a
 * line feed; a row is never split between buffers, since {@link ROW_BYTES_MAX} bytes are kept free.
 */

import type { TextTable } from "./text-table.js";

const BUFFER_BYTES = 4 * 1024 * 1024;
/** Maximum bytes of a row; names, addresses and offices together are far shorter. */
const ROW_BYTES_MAX = 64 * 1024;

const COMMA = 0x2c;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const DIGIT_0 = 0x30;
const DASH = 0x2d;

export class CsvBuffer {
	private bytes = new Uint8Array(BUFFER_BYTES);
	private other = new Uint8Array(BUFFER_BYTES);
	private position = 0;
	/** Start of the field being written. */
	private field = 0;

	/** Whether the buffer must be taken before another row is written. */
	get full(): boolean {
		return this.position > BUFFER_BYTES - ROW_BYTES_MAX;
	}

	/** The bytes written since the last call: a view that is valid until the call after the next. */
	take(): Uint8Array {
		const taken = this.bytes.subarray(0, this.position);
		[this.bytes, this.other] = [this.other, this.bytes];
		this.position = 0;
		this.field = 0;
		return taken;
	}

	byte(byte: number): void {
		this.bytes[this.position++] = byte;
	}

	text(table: TextTable, index: number): void {
		const { heap, offsets } = table;
		const { bytes } = this;
		const end = offsets[index + 1];
		let to = this.position;
		for (let from = offsets[index]; from < end; from++) bytes[to++] = heap[from];
		this.position = to;
	}

	/** Writes the first letter of a text and returns true; false if that letter is not ASCII. */
	asciiInitial(table: TextTable, index: number): boolean {
		const byte = table.heap[table.offsets[index]];
		if (byte >= 0x80) return false;
		this.bytes[this.position++] = byte;
		return true;
	}

	/** Constant ASCII bytes. */
	literal(literal: Uint8Array): void {
		for (let i = 0; i < literal.length; i++) this.bytes[this.position++] = literal[i];
	}

	/** A whole number below 10^15, with leading zeros up to `width`. */
	number(value: number, width = 1): void {
		let digits = width;
		let bound = 10 ** width;
		while (value >= bound) {
			bound *= 10;
			digits++;
		}
		const { bytes, position } = this;
		let rest = value;
		for (let i = position + digits - 1; i >= position; i--) {
			const next = Math.floor(rest / 10);
			bytes[i] = DIGIT_0 + (rest - next * 10);
			rest = next;
		}
		this.position = position + digits;
	}

	/** `YYYY-MM-DD`; `month` counts from January of year 0. */
	date(month: number, day: number): void {
		const year = Math.floor(month / 12);
		this.number(year, 4);
		this.byte(DASH);
		this.number(month - year * 12 + 1, 2);
		this.byte(DASH);
		this.number(day, 2);
	}

	/** Ends a field without commas, quotes or line breaks. */
	endPlain(): void {
		this.bytes[this.position++] = COMMA;
		this.field = this.position;
	}

	/** Ends a field, quoted if necessary. */
	endText(): void {
		const { bytes, field, position } = this;
		let quotes = 0;
		let special = false;
		for (let i = field; i < position; i++) {
			const byte = bytes[i];
			if (byte === QUOTE) quotes++;
			else if (byte === COMMA || byte === LINE_FEED || byte === CARRIAGE_RETURN) special = true;
		}
		if (special || quotes > 0) this.quote(quotes);
		this.endPlain();
	}

	endRow(): void {
		this.bytes[this.position - 1] = LINE_FEED;
	}

	/** Quotes the field in place, from its end on. */
	private quote(quotes: number): void {
		const { bytes, field } = this;
		let to = this.position + quotes + 1;
		this.position = to + 1;
		bytes[to--] = QUOTE;
		for (let from = to - quotes - 1; from >= field; from--) {
			bytes[to--] = bytes[from];
			if (bytes[from] === QUOTE) bytes[to--] = QUOTE;
		}
		bytes[field] = QUOTE;
	}
}
