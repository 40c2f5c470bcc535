/**
 * Stored rows to CSV lines by SIMD in WebAssembly, in a third of the time of the loop in csv-from-store.ts. The module's
 * source is ../kernels/stored-csv.wat.
 *
 * ```
 * memory: bytes of each label 256 ▸ forbidden first bytes 256 ▸ stored rows ▸ lines
 * ```
 */

import { COLUMNS, ROW_SEGMENT_SHIFT, ROWS_PER_SEGMENT, type RowStore } from "../../formats/index.js";
import { STORED_CSV_MODULE } from "../kernels/generated/stored-csv.js";
import { openModule } from "../kernels/open-module.js";
import { FORMULA } from "./csv.js";
import { LABEL_BYTES } from "./stored-layout.js";

/** stored-csv.wat says what the parameters are. */
export type ConvertRow = (at: number, end: number, to: number, columns: number, wanted: number) => number;

/** Selects every column. */
const ALL_COLUMNS = -1;

const FORBIDDEN_FIRST = 256;
/** Bytes at the beginning of the memory that the module reads. */
export const CONVERTER_BYTES = 512;
const ROWS = CONVERTER_BYTES;
/** Stored rows converted at a time: some thirty of ordinary length. */
const ROWS_BYTES = 24_576;
/** Bytes that the module reads past a row and writes past a line. */
const SLACK_BYTES = 16;
const LINES = ROWS + ROWS_BYTES + SLACK_BYTES;
const PAGE_BYTES = 65_536;

/** Bytes of the line end that follows each row's cells. */
export const LINE_END_BYTES = 2;

const CR = 0x0d;
const LF = 0x0a;

/** What the module returns for a row that has an escape. */
const NOT_CONVERTED = 0;

/** The module with a memory of its own, of which {@link CONVERTER_BYTES} are taken; null where this process cannot run it. */
export function openConverter(): { readonly memory: Buffer; readonly convert: ConvertRow } | null {
	const opened = openModule<{ readonly convert: ConvertRow }>(STORED_CSV_MODULE);
	if (opened === null) return null;
	const memory = Buffer.from(opened.memory, 0, PAGE_BYTES);
	memory.set(LABEL_BYTES, 0);
	memory.set(FORMULA, FORBIDDEN_FIRST);
	return { memory, convert: opened.exports.convert };
}

/** Converts stored rows, some at a time. Lines are in `memory` from {@link from} to {@link end} until the next call. */
export class StoredCsv {
	readonly from = LINES;
	end = LINES;

	private constructor(
		readonly memory: Buffer,
		private readonly run: ConvertRow,
	) {}

	/** Null where this process cannot run the module. */
	static open(): StoredCsv | null {
		const opened = openConverter();
		return opened === null ? null : new StoredCsv(opened.memory, opened.convert);
	}

	/**
	 * Converts rows[first…) as far as they are consecutive, fit, and have no escape. Returns how many; zero: the first
	 * must be rendered from the columns.
	 */
	convert(store: RowStore, rows: Uint32Array, first: number): number {
		const row = rows[first];
		const { offsets, heap } = store.segments[row >>> ROW_SEGMENT_SHIFT];
		const base = row & (ROWS_PER_SEGMENT - 1);
		const start = offsets[base];
		if (start > heap.length) return 0;
		const most = Math.min(rows.length - first, ROWS_PER_SEGMENT - base);
		let count = 0;
		while (
			count < most &&
			rows[first + count] === row + count &&
			offsets[base + count + 1] - start <= ROWS_BYTES
		)
			count++;
		this.end = LINES;
		// Fewer where an offset is corrupt, whose row is then not converted.
		const bytes = count === 0 ? 0 : store.copyRun(row, row + count, this.memory, ROWS);
		for (let i = 0; i < count; i++) {
			const at = offsets[base + i] - start;
			// The comma after the row is not part of it.
			const end = offsets[base + i + 1] - start - 1;
			if (at < 0 || end > bytes || !this.convertRow(ROWS + at, ROWS + end)) return i;
		}
		return count;
	}

	private convertRow(at: number, end: number): boolean {
		const { memory } = this;
		const to = this.run(at, end, this.end, COLUMNS.length, ALL_COLUMNS);
		if (to === NOT_CONVERTED) return false;
		memory[to] = CR;
		memory[to + 1] = LF;
		this.end = to + LINE_END_BYTES;
		return true;
	}
}
