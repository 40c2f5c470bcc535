/**
 * Trims UTF-8 bytes exactly like String.prototype.trim(): ASCII white space by byte, other white space (NBSP, the
 * spaces of U+2000, line separators, the byte-order mark …) by byte sequence.
 */

/** Whether an ASCII byte is white space to String.trim(). */
function isAsciiSpace(byte: number): boolean {
	return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** Length of the white space character at the start of `bytes[start, end)`, or 0. */
export function spaceAt(bytes: Uint8Array, start: number, end: number): number {
	const first = bytes[start];
	if (first < 0x80) return isAsciiSpace(first) ? 1 : 0;
	if (first === 0xc2) return start + 1 < end && bytes[start + 1] === 0xa0 ? 2 : 0;
	return start + 2 < end && isWideSpace(first, bytes[start + 1], bytes[start + 2]) ? 3 : 0;
}

/** Whether three bytes are a white space character: U+1680, U+2000 to 200A, 2028, 2029, 202F, 205F, 3000, FEFF. */
function isWideSpace(first: number, second: number, third: number): boolean {
	if (first === 0xe2) {
		if (second === 0x80)
			return (third >= 0x80 && third <= 0x8a) || third === 0xa8 || third === 0xa9 || third === 0xaf;
		return second === 0x81 && third === 0x9f;
	}
	if (first === 0xe3) return second === 0x80 && third === 0x80;
	if (first === 0xe1) return second === 0x9a && third === 0x80;
	return first === 0xef && second === 0xbb && third === 0xbf;
}

/** Length of the white space character at the end of `bytes[start, end)`, or 0. */
function spaceBefore(bytes: Uint8Array, start: number, end: number): number {
	const last = bytes[end - 1];
	if (last < 0x80) return isAsciiSpace(last) ? 1 : 0;
	if (end - start >= 2 && bytes[end - 2] === 0xc2) return last === 0xa0 ? 2 : 0;
	return end - start >= 3 && isWideSpace(bytes[end - 3], bytes[end - 2], last) ? 3 : 0;
}

/** Start of the trimmed text of `bytes[start, end)`, valid UTF-8; `end` if it is empty. */
export function trimmedStart(bytes: Uint8Array, start: number, end: number): number {
	let at = start;
	while (at < end) {
		const length = spaceAt(bytes, at, end);
		if (length === 0) break;
		at += length;
	}
	return at;
}

/** End of the trimmed text of `bytes[start, end)`, valid UTF-8; `start` if it is empty. */
export function trimmedEnd(bytes: Uint8Array, start: number, end: number): number {
	let at = end;
	while (at > start) {
		const length = spaceBefore(bytes, start, at);
		if (length === 0) break;
		at -= length;
	}
	return at;
}
