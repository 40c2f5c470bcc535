/** Recognises sources that are no CSV in UTF-8 by their first bytes, to say what they are. */

import { BuildError } from "../errors.js";
import { markedEncoding, UTF8_MARK_BYTES } from "../input/byte-order-mark.js";

/** Signatures of files that are not CSV, in hexadecimal, and their formats. */
const CONTAINER_BYTES: readonly (readonly [beginning: string, what: string])[] = [
	["504b0506", "an empty .zip archive"],
	[
		"504b0304",
		"a .zip archive inside a gzip or zstd file, or in a pipe: unpack it once (gunzip), and give the archive itself",
	],
	[
		"d0cf11e0",
		"an Excel workbook (.xls, or one with a password): save the sheet as .xlsx without it, or as CSV",
	],
	["25504446", "a PDF document: convert it to CSV"],
	["53514c69746520666f726d61742033", "an SQLite database: export the table as CSV"],
	["50415231", "a Parquet file: convert it to CSV"],
	["377abcaf", "a 7z archive: unpack it"],
	["52617221", "a RAR archive: unpack it"],
	["425a68", "a bzip2 file: unpack it, or compress it with gzip or zstd"],
	["1f8b08", "a gzip file inside a compressed one: unpack it once"],
	["28b52ffd", "a zstd file inside a compressed one: unpack it once"],
	["fd377a58", "an xz file: unpack it, or compress it with gzip or zstd"],
];
/** Where a tar archive has its signature. */
const TAR_AT = 257;
const TAR = "ustar";
const CONTAINER_TEXTS: readonly (readonly [beginning: RegExp, what: string])[] = [
	[
		/^\s*<(!--|(!doctype|\?xml|html|head|meta|style|script|body|div|font|center|table)\b)/i,
		"an HTML or XML document, perhaps the error page of a download",
	],
	[/^MIME-Version:/i, "a web archive (MHTML): save the sheet as CSV"],
	[/^\s*(\{\s*"|\[\s*[{[])/, "JSON: convert it to CSV"],
];

/** Throws {@link BuildError} `malformed_header` for a source that begins with `bytes` of another format. */
export function refuseContainer(file: string, bytes: Uint8Array): void {
	const begin = markedEncoding(bytes) === "utf-8" ? UTF8_MARK_BYTES : 0;
	const beginning = Buffer.from(bytes.subarray(begin, begin + 256));
	const hex = beginning.toString("hex");
	const text = beginning.toString("latin1");
	const isTar = Buffer.from(bytes.subarray(TAR_AT, TAR_AT + TAR.length)).toString("latin1") === TAR;
	const found =
		CONTAINER_BYTES.find(([start]) => hex.startsWith(start)) ??
		CONTAINER_TEXTS.find(([pattern]) => pattern.test(text)) ??
		(isTar ? ["", "a tar archive: unpack it"] : undefined);
	if (found !== undefined)
		throw new BuildError("malformed_header", `the file is no CSV but ${found[1]}`, { file, line: 1 });
}

/** Throws {@link BuildError} `malformed_header` for a source in UTF-16 or UTF-32 that was not recoded. */
export function refuseWideText(file: string, bytes: Uint8Array): void {
	const [first, second, third, fourth] = bytes;
	if (third === 0 && fourth === 0 && first === 0xff && second === 0xfe) {
		throw new BuildError("malformed_header", "the file is UTF-32: save it as UTF-8", { file, line: 1 });
	}
	if (markedEncoding(bytes)?.startsWith("utf-16") === true) {
		const rule = 'the file is UTF-16; set "encoding" to "utf-16" in a --map file, or save it as UTF-8';
		throw new BuildError("malformed_header", rule, { file, line: 1 });
	}
	// Without a mark, every other byte of ASCII characters is zero.
	const zeros = [0, 1, 2].map((at) => bytes[at] === 0);
	if (zeros[0] !== zeros[1] && zeros[0] === zeros[2]) {
		const encoding = zeros[1] ? "utf-16le" : "utf-16be";
		const rule = `the file looks like UTF-16; set "encoding" to "${encoding}" in a --map file, or save it as UTF-8`;
		throw new BuildError("malformed_header", rule, { file, line: 1 });
	}
}
