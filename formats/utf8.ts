/**
 * UTF-8 of one text at a time, in a reused buffer. `TextEncoder.encode` allocates memory outside of V8's heap for every
 * text: it takes five times as long, and starts garbage collections, since V8 counts the mapped months as such memory
 * too.
 */

const encoder = new TextEncoder();

/** UTF-8 has at most this many bytes for a code unit of UTF-16. */
const BYTES_PER_UNIT = 3;
/** Texts with more units are encoded in memory of their own. */
const UNITS_MAX = 4096;

export class Utf8Text {
	private bytes = new Uint8Array(BYTES_PER_UNIT * 64);

	/** The bytes of `text`, with U+FFFD for a lone surrogate; valid until the next call. */
	encode(text: string): Uint8Array {
		if (text.length > UNITS_MAX) return encoder.encode(text);
		const bytes = BYTES_PER_UNIT * text.length;
		if (bytes > this.bytes.length) this.bytes = new Uint8Array(bytes);
		return this.bytes.subarray(0, encoder.encodeInto(text, this.bytes).written);
	}
}
