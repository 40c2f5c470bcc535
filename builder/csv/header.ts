/** Reads a source's header line, which comes before everything that workers parse. */

import { BuildError } from "../errors.js";
import type { Chunk, ChunkReader } from "../input/chunk-reader.js";
import type { SourceMap } from "../input/map-file.js";
import { COLUMNS_MAX, type FieldTable, fieldTable, QUOTE, RecordScanner } from "./record-scanner.js";

export interface Header {
	/** Names as they stand there, not trimmed. */
	readonly names: readonly string[];
	/** Physical line of the header; null where the map lists the names. */
	readonly line: number | null;
	/** Position of the first record, and its physical line. */
	readonly end: number;
	readonly nextLine: number;
	readonly byteOrderMark: boolean;
}

const LF = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads the header off the source that begins with `first`; blank lines before it are skipped. Throws
 * {@link BuildError} `no_header` for a source of nothing but blank lines, `malformed_header`.
 */
export async function readHeader(
	file: string,
	first: Chunk,
	reader: ChunkReader,
	map: SourceMap,
): Promise<Header> {
	let chunk = first;
	for (;;) {
		const header = headerOf(file, chunk, map);
		if (header !== null) return header;
		chunk = await reader.lengthen(chunk);
	}
}

/** The header in `chunk`; null where the buffer ends before it does. */
function headerOf(file: string, { buffer, held, final }: Chunk, map: SourceMap): Header | null {
	if (held < BYTE_ORDER_MARK.length && !final) return null;
	const bytes = new Uint8Array(held + 1);
	bytes.set(new Uint8Array(buffer, 0, held));
	bytes[held] = LF;
	refuseUtf16(file, bytes);
	const byteOrderMark = BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte);
	let position = byteOrderMark ? BYTE_ORDER_MARK.length : 0;
	let line = 1;
	if (map.header !== true)
		return { names: map.header, line: null, end: position, nextLine: 1, byteOrderMark };
	const table = fieldTable(1, COLUMNS_MAX);
	const scanner = new RecordScanner(map.delimiter.charCodeAt(0), null, table);
	while (position < held) {
		const outcome = scanner.scan(bytes, position, held, final, 0);
		if (outcome === "short") return null;
		if (outcome === "overlong" || outcome === "malformed" || scanner.fields > COLUMNS_MAX) {
			const why =
				scanner.fields > COLUMNS_MAX
					? `it has more than ${COLUMNS_MAX} columns`
					: scanner.fault.replace("_", " ");
			throw new BuildError("malformed_header", `the header cannot be read: ${why}`, { file, line });
		}
		if (outcome === "record") {
			const names = namesOf(bytes, table, scanner.fields, file, line);
			return { names, line, end: scanner.next, nextLine: line + scanner.lines, byteOrderMark };
		}
		line += scanner.lines;
		position = scanner.next;
	}
	if (!final) return null;
	throw new BuildError("no_header", "the file has nothing but blank lines", { file });
}

function namesOf(
	bytes: Uint8Array,
	{ starts, ends }: FieldTable,
	fields: number,
	file: string,
	line: number,
): string[] {
	return Array.from({ length: fields }, (_, field) => {
		try {
			const text = decoder.decode(bytes.subarray(starts[field], ends[field]));
			return bytes[starts[field] - 1] === QUOTE ? text.replaceAll('""', '"') : text;
		} catch {
			const rule =
				"the name is not UTF-8; if the file is latin1, windows-1252 or cp850, say so in a --map file";
			throw new BuildError("malformed_header", rule, { file, line, column: String(field + 1) });
		}
	});
}

function refuseUtf16(file: string, bytes: Uint8Array): void {
	if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
		throw new BuildError("malformed_header", "the file is UTF-16; save it as UTF-8", { file, line: 1 });
	}
}
