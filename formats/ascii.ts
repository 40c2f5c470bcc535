/** Bytes of ASCII: digits and letters. */

/** Whether a byte is an ASCII digit. */
export function isDigit(byte: number): boolean {
	return byte >= 0x30 && byte <= 0x39;
}

/** Whether a byte is an ASCII letter. */
export function isLetter(byte: number): boolean {
	return (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
}

/** Whether bytes[from, to) are ASCII digits, of which there may be none. */
export function areDigits(bytes: Uint8Array, from: number, to: number): boolean {
	for (let at = from; at < to; at++) if (!isDigit(bytes[at])) return false;
	return true;
}
