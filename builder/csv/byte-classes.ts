/** Classes of a CSV file's bytes, which the record scanner looks up byte by byte. */

export const QUOTE = 0x22;
export const LF = 0x0a;
export const CR = 0x0d;

/** Flags of a field by the bytes it contains. */
export const FIELD = { nonAscii: 1, control: 2, escapedQuote: 4 } as const;

/** Byte classes at and above STOP end a field; those below are the {@link FIELD} flags of the byte. */
export const STOP = 8;
export const CLASS = { delimiter: STOP, lineEnd: STOP + 1, quote: STOP + 2 } as const;

/** Classes of bytes other than delimiter and quote: plain, non-ASCII, control, line end. */
export function byteClasses(): Uint8Array {
	const classes = new Uint8Array(256);
	classes.fill(FIELD.control, 0, 0x20);
	classes[0x7f] = FIELD.control;
	classes.fill(FIELD.nonAscii, 0x80);
	classes[LF] = CLASS.lineEnd;
	classes[CR] = CLASS.lineEnd;
	return classes;
}

/** Whether bytes[start, end) are blanks and tabs, if anything. */
export function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end; i++) if (bytes[i] !== 0x20 && bytes[i] !== 0x09) return false;
	return true;
}
