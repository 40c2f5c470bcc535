/**
 * Writes rows as a CSV drop that builds to the same rows: every stored column under its own name, values byte for
 * byte, null as an empty cell. Unlike the API's CSV, values are not escaped for spreadsheets by an apostrophe.
 */

import type { ByteSink } from "../../engine/index.js";
import {
	type Codes,
	INPUT_COLUMNS,
	type Profile,
	profileName,
	type SnapshotFiles,
} from "../../formats/index.js";

const COMMA = 0x2c;
const LF = 0x0a;
const QUOTE = 0x22;

/** 1 for the bytes that make a cell need quotes. */
const QUOTED = new Uint8Array(256);
for (const byte of [COMMA, LF, 0x0d, QUOTE]) QUOTED[byte] = 1;

/** Access to a column's cells: by code, or row by row if `codes` is null. */
interface CellSource {
	readonly codes: Codes | null;
	/** Code of null. */
	readonly distinct: number;
	readonly offsets: Uint32Array;
	readonly heap: Uint8Array;
}

export class ExactCsv {
	private readonly sources: readonly CellSource[];

	constructor(files: SnapshotFiles) {
		this.sources = INPUT_COLUMNS.map((column) => {
			if (column.kind === "string") return { codes: null, distinct: -1, ...viewsOf(files.text(column)) };
			const dictionary = files.dictionary(column);
			return { codes: files.codes(column), distinct: dictionary.distinct, ...viewsOf(dictionary) };
		});
	}

	/** Appends the header line. */
	header(sink: ByteSink, profile: Profile | null = null): void {
		sink.text(`${INPUT_COLUMNS.map(({ name }) => profileName(name, profile)).join(",")}\n`);
	}

	/** Appends a row's line. */
	row(row: number, sink: ByteSink): void {
		this.sources.forEach(({ codes, distinct, offsets, heap }, i) => {
			if (i > 0) sink.byte(COMMA);
			const at = codes === null ? row : codes[row];
			if (at !== distinct) writeCell(heap, offsets[at], offsets[at + 1], sink);
		});
		sink.byte(LF);
	}
}

function viewsOf({ offsets, heap }: { readonly offsets: Uint32Array; readonly heap: Uint8Array }) {
	return { offsets, heap };
}

function writeCell(heap: Uint8Array, start: number, end: number, sink: ByteSink): void {
	let quoted = false;
	for (let i = start; i < end && !quoted; i++) quoted = QUOTED[heap[i]] === 1;
	// Room for both quotes and every byte doubled.
	sink.reserve((end - start) * 2 + 2);
	const { bytes } = sink;
	let at = sink.length;
	if (quoted) bytes[at++] = QUOTE;
	for (let i = start; i < end; i++) {
		if (heap[i] === QUOTE) bytes[at++] = QUOTE;
		bytes[at++] = heap[i];
	}
	if (quoted) bytes[at++] = QUOTE;
	sink.length = at;
}
