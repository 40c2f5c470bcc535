/**
 * The encodings a source may be in, and the recoding of single-byte ones to UTF-8 (UTF-16: utf16-reader.ts).
 *
 * Every byte is one character regardless of its context, so a source is recoded block by block.
 * `latin1` is ISO 8859-1 to the letter; files of Windows programs, whose bytes 80 to 9F are quotes and
 * dashes, are `windows-1252`.
 */

export const ENCODINGS = [
	"utf-8",
	"latin1",
	"windows-1252",
	"cp850",
	"macintosh",
	"utf-16",
	"utf-16le",
	"utf-16be",
] as const;

export type Encoding = (typeof ENCODINGS)[number];

/** Characters of the bytes 80 to FF of CP850, as IBM and Unicode's CP850.TXT give them. */
const CP850_HIGH =
	"ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤" +
	"ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0";

/** Characters of the bytes 80 to FF of Mac OS Roman (WHATWG's `macintosh`). */
const MACINTOSH_HIGH =
	"ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ" +
	"–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ";

/** Characters of the bytes 80 to 9F of windows-1252 (WHATWG). Some versions of Node's own decoder read them as latin1. */
const WINDOWS_1252_HIGH = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** Most UTF-8 bytes that one byte of a single-byte encoding becomes. */
export const RECODED_BYTES_PER_BYTE = 3;

/** UTF-8 of every byte of an encoding: byte b becomes `bytes[3 b, 3 b + lengths[b])`. */
export interface RecodingTable {
	readonly lengths: Uint8Array;
	readonly bytes: Uint8Array;
}

/** The encodings whose bytes are one character each. */
export type SingleByteEncoding = "latin1" | "windows-1252" | "cp850" | "macintosh";

/** The table of `encoding`. */
export function recodingTable(encoding: SingleByteEncoding): RecodingTable {
	const lengths = new Uint8Array(256).fill(1);
	const bytes = new Uint8Array(256 * RECODED_BYTES_PER_BYTE);
	const encoder = new TextEncoder();
	for (let byte = 0; byte < 256; byte++) {
		const utf8 = encoder.encode(characterOf(encoding, byte));
		lengths[byte] = utf8.length;
		bytes.set(utf8, RECODED_BYTES_PER_BYTE * byte);
	}
	return { lengths, bytes };
}

function characterOf(encoding: SingleByteEncoding, byte: number): string {
	if (encoding === "windows-1252" && byte >= 0x80 && byte <= 0x9f) return WINDOWS_1252_HIGH[byte - 0x80];
	if (encoding === "cp850" && byte >= 0x80) return CP850_HIGH[byte - 0x80];
	if (encoding === "macintosh" && byte >= 0x80) return MACINTOSH_HIGH[byte - 0x80];
	return String.fromCharCode(byte);
}

/** The text of bytes in a single-byte encoding. */
export function decoded(bytes: Uint8Array, encoding: SingleByteEncoding): string {
	return Array.from(bytes, (byte) => characterOf(encoding, byte)).join("");
}

/**
 * Recodes `source` into `target`, which must have room for {@link RECODED_BYTES_PER_BYTE} times its
 * length. Returns the bytes written. Cost O(length).
 */
export function recode(source: Uint8Array, target: Uint8Array, table: RecodingTable): number {
	let end = 0;
	for (let i = 0; i < source.length; i++) {
		const byte = source[i];
		if (byte < 0x80) {
			target[end++] = byte;
			continue;
		}
		const at = RECODED_BYTES_PER_BYTE * byte;
		for (let k = 0; k < table.lengths[byte]; k++) target[end++] = table.bytes[at + k];
	}
	return end;
}
