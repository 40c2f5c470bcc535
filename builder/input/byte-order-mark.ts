/** Byte-order marks, by which a text says its encoding. */

export type MarkedEncoding = "utf-8" | "utf-16le" | "utf-16be";

/** Bytes of the mark of UTF-8, and of UTF-16. */
export const UTF8_MARK_BYTES = 3;
export const UTF16_MARK_BYTES = 2;

/** The encoding whose mark `bytes` begin with; null: none. */
export function markedEncoding(bytes: Uint8Array): MarkedEncoding | null {
	if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
	if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
	return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : null;
}
