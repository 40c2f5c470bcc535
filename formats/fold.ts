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
import { Utf8Text } from "./utf8.js";

export { UNICODE_VERSION };

const encoder = new TextEncoder();

/** Code units below this neither decompose nor combine, and every Node lower-cases them alike. */
const FIRST_COMBINING = 0x300;

/**
 * The end of the combining diacritical marks. What Latin letters and these compose to, and the lower case of that, is
 * stable by Unicode's policies on normalization and case, and so the same in every Node.
 */
const MARKS_END = 0x370;

/** The fold of `text`. Cost O(length); text without code units from U+0370 on uses Node's native functions. */
export function fold(text: string): string {
	let hasMarks = false;
	for (let i = 0; i < text.length; i++) {
		const unit = text.charCodeAt(i);
		if (unit >= MARKS_END) return lowerCased(composed(text));
		hasMarks ||= unit >= FIRST_COMBINING;
	}
	return (hasMarks ? text.normalize("NFC") : text).toLowerCase();
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

/** First byte of the letters U+00C0 to U+00FF in UTF-8; their second bytes are 0x80 to 0xBF. */
const LATIN_LEAD = 0xc3;

/** First bytes from here on may begin a character that composes with the one before (NFC). */
const FIRST_COMPOSING_LEAD = 0xc4;

/**
 * Compares the fold of `bytes[start, end)` with an already folded `key`: negative if the value's fold is less.
 * With `prefixOnly`, 0 means that the value's fold starts with the key. Cost O(length); ASCII and the letters up to
 * U+00FF, whose folds have as many bytes as they have, are compared in place.
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
		let folded = lowerAsciiByte(byte);
		let next = i + 1;
		if (byte >= 0x80) {
			if (byte === LATIN_LEAD) next = i + 2;
			else if (i > 0 && bytes[start + i - 1] === LATIN_LEAD) folded = lowerLatinByte(byte);
			else return compareFoldedSlow(bytes, start, end, key, prefixOnly);
		}
		const difference = folded - key[i];
		if (difference !== 0) {
			return mayCompose(bytes, start + next, end)
				? compareFoldedSlow(bytes, start, end, key, prefixOnly)
				: difference;
		}
		i++;
	}
	if (mayCompose(bytes, start + i, end)) return compareFoldedSlow(bytes, start, end, key, prefixOnly);
	if (i === key.length && prefixOnly) return 0;
	return end - start - key.length;
}

/** Whether the character at bytes[at…) may compose with the one before it, whose fold is then another. */
function mayCompose(bytes: Uint8Array, at: number, end: number): boolean {
	return at < end && bytes[at] >= FIRST_COMPOSING_LEAD;
}

/** Lower case of a letter U+00C0 to U+00FF by its second byte: all but U+00D7, the multiplication sign, to U+00DE. */
function lowerLatinByte(byte: number): number {
	return byte <= 0x9e && byte !== 0x97 ? byte + 0x20 : byte;
}

/** The fold of a value that is compared. */
const foldedValue = new Utf8Text();

function compareFoldedSlow(
	bytes: Uint8Array,
	start: number,
	end: number,
	key: Uint8Array,
	prefixOnly: boolean,
): number {
	const folded = foldedValue.encode(fold(decodeUtf8(bytes, start, end)));
	const stop = prefixOnly ? Math.min(folded.length, key.length) : folded.length;
	return compareBytes(folded, 0, stop, key, 0, key.length);
}
