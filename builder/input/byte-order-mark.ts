/** Byte-order marks, by which a text says its encoding. */

export type MarkedEncoding = "utf-8" | "utf-16le" | "utf-16be";

/** Bytes of the mark of UTF-8, and of UTF-16. */
export const UTF8_MARK_BYTES = 3;
export const UTF16_MARK_BYTES = 2;

/** The encoding whose mark is at `at` of `bytes`; null: none. */
export function markedEncoding(bytes: Uint8Array, at = 0): MarkedEncoding | null {
	const [first, second, third] = [bytes[at], bytes[at + 1], bytes[at + 2]];
	if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
	if (first === 0xff && second === 0xfe) return "utf-16le";
	return first === 0xfe && second === 0xff ? "utf-16be" : null;
}
