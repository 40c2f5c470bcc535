/** Guesses for messages: in which single-byte encoding bytes that are not UTF-8 probably are. */

import { decoded, type SingleByteEncoding } from "./encodings.js";

/** In the order of how common they are among drops. */
const CANDIDATES: readonly SingleByteEncoding[] = ["windows-1252", "cp850", "macintosh"];

/** Letters with accents of the languages of the United States and Canada. */
const ACCENTED = /[áàâäãåéèêëíìîïóòôöõøúùûüñçæœ]/i;

/**
 * The encoding in which the most bytes above 7F are accented letters in the case of the letters beside them; null if
 * none are in any.
 */
export function likelyEncoding(bytes: Uint8Array): SingleByteEncoding | null {
	const scored = CANDIDATES.map((encoding) => ({
		encoding,
		letters: plausibleLetters(decoded(bytes, encoding)),
	}));
	const [best] = scored.sort((a, b) => b.letters - a.letters);
	return best.letters === 0 ? null : best.encoding;
}

function plausibleLetters(text: string): number {
	let count = 0;
	for (let i = 0; i < text.length; i++)
		if (ACCENTED.test(text[i]) && fitsCase(text[i], text[i - 1] ?? "", text[i + 1] ?? "")) count++;
	return count;
}

/** Whether a letter's case is that of a word with these letters, if they are letters, beside it. */
function fitsCase(letter: string, before: string, after: string): boolean {
	if (isLower(before)) return isLower(letter);
	if (isUpper(after)) return isUpper(letter);
	if (isLower(after)) return true;
	return !isUpper(before) || isUpper(letter);
}

function isLower(character: string): boolean {
	return character !== character.toUpperCase();
}

function isUpper(character: string): boolean {
	return character !== character.toLowerCase();
}

/** A byte above 7F in the text of {@link escapedBytes}. */
const ESCAPED = /\\x([89a-f][0-9a-f])/g;

/** Bytes as a text in quotes, with escapes as of JSON and for bytes above 7F: `"Ren\\x82"`. */
export function escapedBytes(bytes: Uint8Array): string {
	const text = JSON.stringify(Buffer.from(bytes).toString("latin1"));
	return text.replaceAll(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
}

/** The bytes of such a text. */
export function unescapedBytes(text: string): Uint8Array {
	return Buffer.from(
		text.replaceAll(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
		"latin1",
	);
}
