/**
 * A growing buffer that responses are rendered into, reused for every response. Invariant: `bytes[0,
 * length)` is what has been written; a view of it is valid until `reset`.
 */

import { FormatError } from "../../formats/index.js";

/** Code units of the longest text that is copied unit by unit. */
const SHORT_TEXT_MAX = 256;

/** Bytes reserved for the longest value: a mebibyte (builder/csv), each byte escaped as six, and its label. */
const VALUE_ROOM_MAX = 6 * (1 << 20) + 4096;

export class ByteSink {
	bytes: Buffer;
	/** Over the same memory as `bytes`, for writing whole words. */
	words: DataView;
	length = 0;

	constructor(capacity = 1 << 18) {
		this.bytes = Buffer.allocUnsafeSlow(capacity);
		this.words = viewOf(this.bytes);
	}

	/** Discards what was written. */
	reset(): void {
		this.length = 0;
	}

	/** Makes room for `more` bytes. */
	reserve(more: number): void {
		if (this.length + more <= this.bytes.length) return;
		this.grow(more);
	}

	/**
	 * Makes room for a value. Throws FormatError if no value can be that long, so that corrupt offsets
	 * do not lead to reading billions of bytes.
	 */
	reserveValue(more: number): void {
		if (this.length + more <= this.bytes.length) return;
		if (more > VALUE_ROOM_MAX) {
			throw new FormatError("limit_exceeded", "a column", `a value wants ${more} bytes of room`);
		}
		this.grow(more);
	}

	private grow(more: number): void {
		const grown = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.length + more));
		this.bytes.copy(grown, 0, 0, this.length);
		this.bytes = grown;
		this.words = viewOf(grown);
	}

	/** Appends the UTF-8 bytes of `text`. */
	text(text: string): void {
		this.reserve(text.length * 3);
		if (text.length > SHORT_TEXT_MAX || !this.ascii(text)) {
			this.length += this.bytes.write(text, this.length, "utf8");
		}
	}

	/** Appends `text` if it is all ASCII; for short text this is cheaper than a call into native code. */
	private ascii(text: string): boolean {
		const { bytes, length } = this;
		for (let i = 0; i < text.length; i++) {
			const code = text.charCodeAt(i);
			if (code >= 0x80) return false;
			bytes[length + i] = code;
		}
		this.length = length + text.length;
		return true;
	}

	/** Appends bytes. */
	copy(source: Uint8Array): void {
		this.reserve(source.length);
		this.bytes.set(source, this.length);
		this.length += source.length;
	}

	/** Appends one byte. */
	byte(value: number): void {
		this.reserve(1);
		this.bytes[this.length++] = value;
	}

	/** What has been written, as a view. */
	view(): Buffer {
		return this.bytes.subarray(0, this.length);
	}
}

function viewOf(bytes: Buffer): DataView {
	return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
