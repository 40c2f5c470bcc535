/**
 * Another reader's bytes, recoded from UTF-16 to UTF-8. Unpaired surrogates become bytes that are not valid
 * UTF-8.
 */

import { BuildError } from "../errors.js";
import { markedEncoding, UTF16_MARK_BYTES } from "./byte-order-mark.js";
import type { ByteReader } from "./byte-reader.js";
import { DerivedReader } from "./derived-reader.js";

/** Even, so that a piece contains whole code units. */
const PIECE_BYTES = 1 << 20;
/** Maximum UTF-8 bytes of a UTF-16 code unit. */
const UTF8_BYTES_PER_UNIT = 3;

export type Utf16 = "utf-16" | "utf-16le" | "utf-16be";

export class Utf16Reader extends DerivedReader {
	private readonly raw = new Uint8Array(PIECE_BYTES);
	private readonly recoded = new Uint8Array((PIECE_BYTES / 2 + 1) * UTF8_BYTES_PER_UNIT + 1);
	private littleEndian: boolean | null;
	/** A high surrogate whose pair is in the next piece; 0: none. */
	private high = 0;
	private isFirst = true;

	/** With `utf-16` the byte-order mark determines the order of bytes. */
	constructor(
		private readonly path: string,
		source: ByteReader,
		encoding: Utf16,
	) {
		super(source);
		this.littleEndian = encoding === "utf-16" ? null : encoding === "utf-16le";
	}

	protected async next(): Promise<Uint8Array | null> {
		const read = await this.source.read(this.raw);
		if (read === 0) return this.high === 0 ? null : this.recoded.subarray(0, this.writeHigh(0));
		// Every delimiter and line end has one; a mark alone is an empty file.
		if (this.isFirst && read > 2 && !this.raw.subarray(0, read).includes(0))
			throw this.unreadable('no UTF-16, for no byte is zero; leave "encoding" out of its map, or correct it');
		if (read % 2 === 1) throw this.unreadable("UTF-16 with an odd number of bytes: it was cut off");
		const units = new DataView(this.raw.buffer, 0, read);
		let at = 0;
		if (this.isFirst) {
			this.isFirst = false;
			const marked = markedEncoding(this.raw.subarray(0, read));
			const mark = marked === "utf-16le" ? true : marked === "utf-16be" ? false : null;
			if (mark !== null) at = UTF16_MARK_BYTES;
			this.littleEndian ??= mark;
			if (this.littleEndian === null)
				throw this.unreadable(
					'no UTF-16 byte-order mark; set "encoding" to "utf-16le" or "utf-16be" in the map file',
				);
			if (mark !== null && mark !== this.littleEndian)
				throw this.unreadable(
					'its byte-order mark is of the other order; set "encoding" to "utf-16" in its map',
				);
		}
		return this.recoded.subarray(0, this.recode(units, at, read < this.raw.length));
	}

	private unreadable(rule: string): BuildError {
		return new BuildError("unreadable_file", rule, { file: this.path });
	}

	/** Recodes the units from byte `at` on; returns the bytes written. `last`: no more units follow. */
	private recode(units: DataView, at: number, last: boolean): number {
		const { recoded: target, littleEndian } = this;
		let end = 0;
		for (let i = at; i < units.byteLength; i += 2) {
			const unit = units.getUint16(i, littleEndian === true);
			if (this.high !== 0 && (unit & 0xfc00) === 0xdc00) {
				const point = 0x10000 + ((this.high & 0x3ff) << 10) + (unit & 0x3ff);
				target[end++] = 0xf0 | (point >> 18);
				target[end++] = 0x80 | ((point >> 12) & 0x3f);
				target[end++] = 0x80 | ((point >> 6) & 0x3f);
				target[end++] = 0x80 | (point & 0x3f);
				this.high = 0;
				continue;
			}
			if (this.high !== 0) end = this.writeHigh(end);
			this.high = (unit & 0xfc00) === 0xd800 ? unit : 0;
			if (this.high === 0) end = writeUnit(target, end, unit);
		}
		return last ? this.writeHigh(end) : end;
	}

	/** Writes the high surrogate whose pair did not follow, if there is one. */
	private writeHigh(at: number): number {
		const { high } = this;
		this.high = 0;
		return high === 0 ? at : writeUnit(this.recoded, at, high);
	}
}

/**
 * Writes a code unit as UTF-8 of up to three bytes; an unpaired surrogate as three bytes that are not valid
 * UTF-8.
 */
function writeUnit(target: Uint8Array, at: number, unit: number): number {
	if (unit < 0x80) {
		target[at] = unit;
		return at + 1;
	}
	if (unit < 0x800) {
		target[at] = 0xc0 | (unit >> 6);
		target[at + 1] = 0x80 | (unit & 0x3f);
		return at + 2;
	}
	target[at] = 0xe0 | (unit >> 12);
	target[at + 1] = 0x80 | ((unit >> 6) & 0x3f);
	target[at + 2] = 0x80 | (unit & 0x3f);
	return at + 3;
}
