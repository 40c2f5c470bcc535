/**
 * A growing buffer that responses are rendered into, reused for every response. Invariants: `bytes[0,
 * length)` is what has been written; a view of it is valid until `reset`. What grew for a large response is
 * released by the first `reset` after a small one.
 */

import { FormatError } from "../../formats/index.js";
import { EngineError } from "../errors.js";

/** Code units of the longest text that is copied unit by unit. */
const SHORT_TEXT_MAX = 256;

/** Bytes reserved for the longest value: a mebibyte (builder/csv), each byte escaped as six, and its label. */
const VALUE_ROOM_MAX = 6 * (1 << 20) + 4096;

/** Memory that is kept from one response to the next: twice a page of 1,000 ordinary rows. */
const KEPT_BYTES = 2 << 20;

export class ByteSink {
	bytes: Buffer;
	/** Over the same memory as `bytes`, for writing whole words. */
	words: DataView;
	length = 0;

	/**
	 * `capacity`: bytes to begin with. `bytesMax`: rendering more ends in an {@link EngineError}
	 * `answer_too_large`; at most one value more is written by then.
	 */
	constructor(
		private readonly capacity = 1 << 18,
		private readonly bytesMax = Number.POSITIVE_INFINITY,
	) {
		this.bytes = Buffer.allocUnsafeSlow(capacity);
		this.words = viewOf(this.bytes);
	}

	/** Discards what was written, and releases memory that it did not need. */
	reset(): void {
		const kept = Math.max(this.capacity, KEPT_BYTES);
		if (this.bytes.length > kept && this.length <= kept) this.replace(this.capacity);
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

	/** Throws {@link EngineError} `answer_too_large` where at least `bytes` more are too many, before they are made. */
	requireRoom(bytes: number): void {
		if (this.length + bytes > this.bytesMax) throw this.tooLarge();
	}

	private tooLarge(): EngineError {
		return new EngineError("answer_too_large", `an answer takes more than ${this.bytesMax} bytes`);
	}

	private grow(more: number): void {
		const { length, bytes, bytesMax } = this;
		// Room is asked for by upper bounds, so only what is written, or more than a value's room, is too much.
		if (length > bytesMax || length + more > bytesMax + VALUE_ROOM_MAX) throw this.tooLarge();
		this.replace(Math.max(Math.min(bytes.length * 2, bytesMax), length + more));
		bytes.copy(this.bytes, 0, 0, length);
	}

	private replace(capacity: number): void {
		this.bytes = Buffer.allocUnsafeSlow(capacity);
		this.words = viewOf(this.bytes);
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
