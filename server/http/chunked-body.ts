/**
 * A strict decoder of a body in chunks (RFC 9112 §7.1). It accepts one spelling: a size of one to eight hexadecimal digits
 * and CR LF, the data and CR LF, and a last chunk of size 0 with no trailers. Chunk extensions are refused: nothing here
 * knows any, and they have hidden requests from proxies.
 */

const CR = 0x0d;
const LF = 0x0a;
const SIZE_DIGITS_MAX = 8;

/** `more`: the body goes on. `done`: {@link ChunkedBody.unread} is what follows it. */
export type ChunkOutcome = "more" | "done" | "malformed" | "too_large";

/** What is expected next; `empty` and `emptyEnd` are the line without trailers that ends the body. */
type Expected = "size" | "sizeEnd" | "data" | "dataCr" | "dataEnd" | "empty" | "emptyEnd";

export class ChunkedBody {
	/** What followed the body in the bytes that ended it; null: nothing. */
	unread: Buffer | null = null;
	private received: Buffer | null = null;
	private length = 0;
	private expected: Expected = "size";
	private size = 0;
	private digits = 0;

	/** `maxBytes`: of the data of all chunks. Memory: as many, from the first byte of data. */
	constructor(private readonly maxBytes: number) {}

	/** The data received so far. */
	get data(): Buffer {
		return this.received === null ? Buffer.alloc(0) : this.received.subarray(0, this.length);
	}

	/** Reads on. Cost: O(bytes). REQUIRES: every outcome so far was `more`. */
	add(bytes: Buffer): ChunkOutcome {
		for (let at = 0; at < bytes.length; ) {
			if (this.expected === "data") {
				const end = Math.min(bytes.length, at + this.size);
				if (this.length + this.size > this.maxBytes) return "too_large";
				this.received ??= Buffer.allocUnsafe(this.maxBytes);
				bytes.copy(this.received, this.length, at, end);
				this.length += end - at;
				this.size -= end - at;
				at = end;
				if (this.size === 0) this.expected = "dataCr";
				continue;
			}
			const next = this.after(bytes[at++]);
			if (next === null) return "malformed";
			if (next === "done") {
				if (at < bytes.length) this.unread = bytes.subarray(at);
				return "done";
			}
			this.expected = next;
		}
		return "more";
	}

	/** What follows `byte` outside of data; null: it is malformed. */
	private after(byte: number): Expected | "done" | null {
		switch (this.expected) {
			case "size":
				return this.addDigit(byte);
			case "sizeEnd":
				if (byte !== LF) return null;
				return this.size === 0 ? "empty" : "data";
			case "dataCr":
				return byte === CR ? "dataEnd" : null;
			case "dataEnd":
				this.digits = 0;
				return byte === LF ? "size" : null;
			case "empty":
				return byte === CR ? "emptyEnd" : null;
			default:
				return byte === LF ? "done" : null;
		}
	}

	private addDigit(byte: number): Expected | null {
		if (byte === CR) return this.digits > 0 ? "sizeEnd" : null;
		const digit = hexDigit(byte);
		if (digit < 0 || this.digits === SIZE_DIGITS_MAX) return null;
		this.size = this.size * 16 + digit;
		this.digits++;
		return "size";
	}
}

/** The value of a hexadecimal digit; -1: it is none. By arithmetic, since chunks of one byte have eight digits each. */
function hexDigit(byte: number): number {
	if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
	// In small letters.
	const letter = byte | 0x20;
	return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
