/**
 * Folding: how text is compared for prefixes and for sort order.
 *
 * fold(s) is s normalised to Unicode NFC, then lower-cased by the Unicode default mapping, both with the tables
 * of {@link UNICODE_VERSION}, independent of the Node version. Folded values compare by code point, which is the
 * order of their UTF-8 bytes. ASCII text, nearly all of the data, is folded byte by byte without allocating a
 * string.
 */

import { invariant } from "./errors.js";
import { lowerCased } from "./unicode/lower-case.js";
import { composed } from "./unicode/normalize.js";
import { requireUnicodeTables, UNICODE_VERSION } from "./unicode/tables.js";

export { UNICODE_VERSION };

const encoder = new TextEncoder();

/** Code units below this neither decompose nor combine, and every Node lower-cases them alike. */
const FIRST_COMBINING = 0x300;

/** The fold of `text`. Cost O(length); text without code units from U+0300 on uses Node's native functions. */
export function fold(text: string): string {
	for (let i = 0; i < text.length; i++) {
		if (text.charCodeAt(i) >= FIRST_COMBINING) return lowerCased(composed(text));
	}
	return text.toLowerCase();
}

/**
 * Checks what the fold relies on: that the tables are as generated, and that this Node lower-cases the code
 * units left to it as they do. Call before building or opening a month. Throws InvariantError. Cost: 0.1 ms.
 */
export function requirePinnedFold(): void {
	requireUnicodeTables();
	for (let code = 0; code < FIRST_COMBINING; code++) {
		const character = String.fromCharCode(code);
		const pinned = lowerCased([code]);
		invariant(
			character.toLowerCase() === pinned,
			`this Node lower-cases U+${code.toString(16)} otherwise than Unicode ${UNICODE_VERSION}`,
		);
	}
}

/** The UTF-8 text `bytes[start, end)`. Unlike TextDecoder it reads shared memory and keeps a leading U+FEFF. */
export function decodeUtf8(bytes: Uint8Array, start: number, end: number): string {
	return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("utf8");
}

/** UTF-8 bytes of the fold of `text`. */
export function foldToBytes(text: string): Uint8Array {
	return encoder.encode(fold(text));
}

/** Whether every byte of `bytes[start, end)` is ASCII. Cost O(length). */
export function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end; i++) if (bytes[i] >= 0x80) return false;
	return true;
}

/** Lower case of one ASCII byte; other bytes unchanged. */
export function lowerAsciiByte(byte: number): number {
	return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}

/** UTF-8 bytes of the fold of the UTF-8 text `bytes[start, end)`. Allocates; for values that are not ASCII. */
export function foldBytes(bytes: Uint8Array, start: number, end: number): Uint8Array {
	return foldToBytes(decodeUtf8(bytes, start, end));
}

/** Order of two byte strings: negative, 0 or positive. Equals code point order for UTF-8. */
export function compareBytes(
	a: Uint8Array,
	aStart: number,
	aEnd: number,
	b: Uint8Array,
	bStart: number,
	bEnd: number,
): number {
	const length = Math.min(aEnd - aStart, bEnd - bStart);
	for (let i = 0; i < length; i++) {
		const difference = a[aStart + i] - b[bStart + i];
		if (difference !== 0) return difference;
	}
	return aEnd - aStart - (bEnd - bStart);
}

/**
 * Compares the fold of `bytes[start, end)` with an already folded `key`: negative if the value's fold is less.
 * With `prefixOnly`, 0 means that the value's fold starts with the key.
 */
export function compareFolded(
	bytes: Uint8Array,
	start: number,
	end: number,
	key: Uint8Array,
	prefixOnly: boolean,
): number {
	const length = Math.min(end - start, key.length);
	let i = 0;
	while (i < length) {
		const byte = bytes[start + i];
		if (byte >= 0x80) return compareFoldedSlow(bytes, start, end, key, prefixOnly);
		const difference = lowerAsciiByte(byte) - key[i];
		// A non-ASCII byte that follows may compose with this one (NFC), so the order is decided here only if the
		// next byte is ASCII too.
		if (difference !== 0) {
			if (start + i + 1 < end && bytes[start + i + 1] >= 0x80) {
				return compareFoldedSlow(bytes, start, end, key, prefixOnly);
			}
			return difference;
		}
		i++;
	}
	if (start + i < end && bytes[start + i] >= 0x80)
		return compareFoldedSlow(bytes, start, end, key, prefixOnly);
	if (i === key.length && prefixOnly) return 0;
	return end - start - key.length;
}

function compareFoldedSlow(
	bytes: Uint8Array,
	start: number,
	end: number,
	key: Uint8Array,
	prefixOnly: boolean,
): number {
	const folded = foldBytes(bytes, start, end);
	const stop = prefixOnly ? Math.min(folded.length, key.length) : folded.length;
	return compareBytes(folded, 0, stop, key, 0, key.length);
}
