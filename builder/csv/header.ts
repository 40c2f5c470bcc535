/** Reads a source's header line, which precedes everything that workers parse. */

import { findColumn, REQUIRED_COLUMNS } from "../../formats/domain/columns.js";
import { BuildError } from "../errors.js";
import { markedEncoding, UTF8_MARK_BYTES } from "../input/byte-order-mark.js";
import type { Chunk, ChunkReader } from "../input/chunk-reader.js";
import { comparedName } from "../input/header-name.js";
import { likelyEncoding } from "../input/likely-encoding.js";
import { DELIMITERS } from "../input/likely-names.js";
import type { SourceMap } from "../input/map-file.js";
import { mappedColumns } from "../input/required-columns.js";
import { QUOTE } from "./byte-classes.js";
import { type FieldTable, fieldTable } from "./field-table.js";
import { refuseContainer, refuseWideText } from "./foreign-files.js";
import { COLUMNS_MAX, RecordScanner } from "./record-scanner.js";

export interface Header {
	/** Names as in the file, not trimmed. */
	readonly names: readonly string[];
	/** Physical line of the header; null if the map lists the names. */
	readonly line: number | null;
	/** Position of the first record, and its physical line. */
	readonly end: number;
	readonly nextLine: number;
	/** Lines before the header that were skipped. */
	readonly preamble: number;
	/** Their bytes and the header's, at most {@link HEADER_SEARCH_BYTES}; empty if there are none. */
	readonly preambleBytes: Uint8Array;
	readonly byteOrderMark: boolean;
}

const LF = 0x0a;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads the header of the source that begins with `first`; blank lines before it are skipped. Throws {@link
 * BuildError} `no_header` for a source of blank lines only, `malformed_header`.
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

/** The header in `chunk`; null if the buffer ends before it does. */
function headerOf(file: string, { buffer, held, final }: Chunk, map: SourceMap): Header | null {
	if (held < UTF8_MARK_BYTES && !final) return null;
	const bytes = new Uint8Array(held + 1);
	bytes.set(new Uint8Array(buffer, 0, held));
	bytes[held] = LF;
	refuseWideText(file, bytes);
	refuseContainer(file, bytes);
	const byteOrderMark = markedEncoding(bytes) === "utf-8";
	const begin = byteOrderMark ? UTF8_MARK_BYTES : 0;
	const search = new HeaderSearch(file, map, bytes, held, final);
	const position = search.skipLines(begin, map.skipLines);
	if (position < 0) return null;
	const found = headerFrom(search, position, map);
	if (found === null) return null;
	const preambleEnd = found.preamble === 0 ? begin : Math.min(found.end, begin + HEADER_SEARCH_BYTES);
	return { ...found, byteOrderMark, preambleBytes: bytes.slice(begin, preambleEnd) };
}

/** A header as its search finds it. */
type FoundHeader = Omit<Header, "byteOrderMark" | "preambleBytes">;

/** The header at or after `position`, which is past the lines to skip; null if the buffer ends before it does. */
function headerFrom(search: HeaderSearch, position: number, map: SourceMap): FoundHeader | null {
	const { header: names, skipLines, headerMatch } = map;
	const nextLine = 1 + skipLines;
	if (names !== true)
		return search.refuseHeaderAsRecord({ names, line: null, end: position, nextLine, preamble: skipLines });
	return headerMatch ? search.match(position) : search.first(position, nextLine);
}

/**
 * Searches for the header in the first bytes of a source, of which there are `held`; `bytes[held]` is a line
 * feed.
 */
class HeaderSearch {
	private readonly table = fieldTable(1, COLUMNS_MAX);
	private readonly scanner: RecordScanner;

	constructor(
		private readonly file: string,
		private readonly map: SourceMap,
		private readonly bytes: Uint8Array,
		private readonly held: number,
		private readonly final: boolean,
	) {
		this.scanner = new RecordScanner(map.delimiter.charCodeAt(0), null, this.table, map.quotes);
	}

	/** Position after `lines` physical lines; -1 if the buffer ends before. Throws if the source does. */
	skipLines(begin: number, lines: number): number {
		let position = begin;
		for (let line = 0; line < lines; line++) {
			if (position >= this.held) {
				if (!this.final) return -1;
				throw this.noHeader(`"skipLines" is ${lines}, but the file has only ${line} lines`);
			}
			position = this.scanner.lineAfter(this.bytes, position, this.held, this.final);
			if (position < 0) return -1;
		}
		return position;
	}

	/** The first record at or after `begin`, on physical line `firstLine`; null if the buffer ends before it does. */
	first(begin: number, firstLine: number): FoundHeader | null {
		const { file, bytes, held, final, scanner } = this;
		let position = begin;
		let line = firstLine;
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
				const names = namesOf(bytes, this.table, scanner.fields, file, line);
				const nextLine = line + scanner.lines;
				const found = { names, line, end: scanner.next, nextLine, preamble: this.map.skipLines };
				return this.refusePreamble(found) ? found : null;
			}
			line += scanner.lines;
			position = scanner.next;
		}
		if (!final) return null;
		throw this.noHeader("the file has nothing but blank lines");
	}

	/** The first line that has every mapped column; null if the buffer ends before one. */
	match(begin: number): FoundHeader | null {
		const found = this.find(begin, 1, (names) => lackingNames(names, this.map).length === 0);
		if (found !== null) return found;
		if (!this.final && this.held < HEADER_SEARCH_BYTES) return null;
		throw this.noHeader(
			`"headerMatch" found no line with every mapped column among the first lines${this.nearest(begin)}; check the ` +
				'names in "columns" and the delimiter, or set "skipLines"',
		);
	}

	/** Which line from `begin` on has the most known names, and what it lacks; empty if none has several. */
	private nearest(begin: number): string {
		let most = KNOWN_NAMES_MIN - 1;
		let text = "";
		this.find(begin, 1, (names, line) => {
			const known = knownNames(names, this.map);
			if (known > most) text = `; line ${line} lacks ${lackingNames(names, this.map).join(", ")}`;
			most = Math.max(most, known);
			return false;
		});
		return text;
	}

	/** The first line from `begin` on (physical line `firstLine`) whose names `fits` accepts; null if none does. */
	private find(
		begin: number,
		firstLine: number,
		fits: (names: readonly string[], line: number) => boolean,
	): FoundHeader | null {
		const { bytes, held, final, scanner } = this;
		let position = begin;
		for (let line = firstLine; position < Math.min(held, HEADER_SEARCH_BYTES); line++) {
			const outcome = scanner.scan(bytes, position, held, final, 0);
			if (outcome === "record" && scanner.fields <= COLUMNS_MAX) {
				const names = lenientNames(bytes, this.table, scanner.fields);
				const nextLine = line + scanner.lines;
				if (fits(names, line)) return { names, line, end: scanner.next, nextLine, preamble: line - 1 };
			}
			// Preambles may contain unclosed quotes, so lines are tried one by one.
			position = scanner.lineAfter(bytes, position, held, final);
			if (position < 0) return null;
		}
		return null;
	}

	/**
	 * Rejects a first line without a known column if another has some, with advice on how to skip to it; false if the
	 * buffer ends before that can be decided.
	 */
	private refusePreamble({ names, line, end, nextLine }: FoundHeader): boolean {
		if (knownNames(names, this.map) > 0) return true;
		const isHeader = (other: readonly string[]) => knownNames(other, this.map) >= KNOWN_NAMES_MIN;
		const skipped = this.map.skipLines === 0 ? null : this.find(0, 1, isHeader);
		const isSkipped = skipped !== null && (skipped.line ?? 0) <= this.map.skipLines;
		const better = isSkipped ? skipped : this.find(end, nextLine, isHeader);
		if (better === null) {
			if (!this.final && this.held < HEADER_SEARCH_BYTES) return false;
			this.refuseOtherDelimiter(line, end, nextLine, isHeader);
			return true;
		}
		throw new BuildError(
			"no_header",
			`the first line${isSkipped ? " not skipped" : ""} names no known column, but line ${better.line} does: ` +
				`set "skipLines" to ${(better.line ?? 1) - 1}, or "headerMatch" to true, in a --map file`,
			{ file: this.file, line },
		);
	}

	/** Rejects a first line without a known column if a later one has some by another delimiter. */
	private refuseOtherDelimiter(
		line: number | null,
		end: number,
		nextLine: number,
		isHeader: (names: readonly string[]) => boolean,
	): void {
		const { file, map, bytes, held, final } = this;
		for (const delimiter of DELIMITERS.filter((each) => each !== map.delimiter)) {
			const search = new HeaderSearch(file, { ...map, delimiter }, bytes, held, final);
			const header = search.find(end, nextLine, isHeader);
			if (header === null) continue;
			throw new BuildError(
				"no_header",
				`the first line names no known column, but line ${header.line} does by another delimiter: set "delimiter" to ` +
					`${JSON.stringify(delimiter)}, and "skipLines" to ${(header.line ?? 1) - 1}, in a --map file`,
				{ file, line },
			);
		}
	}

	/**
	 * Rejects a first record that repeats the names listed by the map as the header: the file has a header
	 * itself.
	 */
	refuseHeaderAsRecord(found: FoundHeader): FoundHeader | null {
		const { bytes, held, final, scanner } = this;
		if (found.end >= held) return found;
		const outcome = scanner.scan(bytes, found.end, held, final, 0);
		if (outcome === "short") return null;
		if (outcome !== "record") return found;
		const cells = lenientNames(bytes, this.table, Math.min(scanner.fields, COLUMNS_MAX)).map(plainName);
		const repeated = found.names.filter((name, i) => plainName(name) !== "" && plainName(name) === cells[i]);
		const known = knownNames(cells, this.map);
		if (repeated.length < KNOWN_NAMES_MIN && known < KNOWN_NAMES_MIN) return found;
		throw new BuildError(
			"malformed_header",
			'the map lists the names as "header", but this line names columns itself: leave "header" out, ' +
				`or skip the line with "skipLines": ${found.nextLine}`,
			{ file: this.file, line: found.nextLine },
		);
	}

	private noHeader(message: string): BuildError {
		return new BuildError("no_header", message, { file: this.file });
	}
}

/** Bytes at the start of a source that are searched for its header. */
const HEADER_SEARCH_BYTES = 1 << 20;
/** Known names that make a line a header. */
const KNOWN_NAMES_MIN = 2;

/** Lower-case letters and digits of a name. */
function plainName(name: string): string {
	return comparedName(name)
		.toLowerCase()
		.replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Number of names that the map or the table of columns knows. */
function knownNames(names: readonly string[], map: SourceMap): number {
	const trimmed = names.map(comparedName);
	return trimmed.filter(
		(name) => mappedColumns(name, trimmed, map) !== undefined || findColumn(name) !== undefined,
	).length;
}

/** Names that the map reads, and required columns, that the header has not; alternatives for a column in one text. */
function lackingNames(header: readonly string[], map: SourceMap): string[] {
	const names = new Set(header.map(comparedName));
	const wanted = new Map<string, string[]>();
	const want = (column: string, name: string) => wanted.set(column, [...(wanted.get(column) ?? []), name]);
	for (const [name, columns] of map.columns) for (const column of columns) want(column, name);
	for (const { name, into } of map.split) for (const { column } of into) want(column, name);
	for (const column of REQUIRED_COLUMNS) {
		const isCombined = map.combine.some((rule) => rule.column === column);
		const isFilled = map.constants[column] !== undefined || isCombined;
		if (!wanted.has(column) && !isFilled) want(column, column);
	}
	const combined = map.combine.flatMap((rule) => rule.names.map((name) => [name]));
	const lacking = [...wanted.values(), ...combined].filter((each) => !each.some((name) => names.has(name)));
	return [...new Set(lacking.map((each) => each.map((name) => JSON.stringify(name)).join(" or ")))];
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
			return unescaped(decoder.decode(bytes.subarray(starts[field], ends[field])), bytes, starts[field]);
		} catch {
			const likely = likelyEncoding(bytes.subarray(starts[field], ends[field]));
			const which = likely === null ? "such as" : "probably";
			const rule = `the name is not UTF-8; set "encoding" in a --map file, ${which} to ${likely ?? "windows-1252"}`;
			throw new BuildError("malformed_header", rule, { file, line, column: String(field + 1) });
		}
	});
}

/** Names of a line that may not be a header: bytes that are not UTF-8 become U+FFFD. */
function lenientNames(bytes: Uint8Array, { starts, ends }: FieldTable, fields: number): string[] {
	return Array.from({ length: fields }, (_, field) => {
		const text = Buffer.from(bytes.subarray(starts[field], ends[field])).toString("utf8");
		return unescaped(text, bytes, starts[field]);
	});
}

/** The text of a field that begins at `start`: in quotes, two of them are one. */
function unescaped(text: string, bytes: Uint8Array, start: number): string {
	return bytes[start - 1] === QUOTE ? text.replaceAll('""', '"') : text;
}
