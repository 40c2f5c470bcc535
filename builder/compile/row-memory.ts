/**
 * WebAssembly memory in which kernels/encode-rows.wat encodes stored rows: a copy of a month's dictionaries, and rooms for
 * the codes and texts of the rows that are staged. A worker keeps it for the next segment of the month.
 */

import { isMainThread } from "node:worker_threads";
import type { ByteSink } from "../../engine/index.js";
import { writeId } from "../../engine/render/digits.js";
import {
	COLUMNS,
	type Codes,
	type Column,
	LONG_VALUE,
	monthNumber,
	type SnapshotFiles,
} from "../../formats/index.js";
import { MemoryLayout, openKernel } from "../kernel-memory.js";
import { ENCODE_ROWS_MODULE } from "./kernels/generated/encode-rows.js";

/** Rows that are staged at once, and those of them whose values the module locates at once. */
export const STAGED_ROWS = 1024;
const BLOCK_ROWS = 64;
/** Words of a column's description, which of them has the bytes of its heap, and bytes of what is noted of a value. */
const DESCRIPTION_WORDS = 8;
const HEAP_BYTES_WORD = 4;
const RANGE_BYTES = 8;
/** Bytes that the module reads past the end of a value, and writes past a row. */
const SLACK_BYTES = 272;
/** Room for the encoded rows, and for the staged texts of a column: where these are more, one is too long for the module. */
const ENCODED_BYTES = STAGED_ROWS * COLUMNS.length * LONG_VALUE;
const TEXT_BYTES = STAGED_ROWS * LONG_VALUE;
/** The most memory of a worker. The dictionaries of 2.5 million rows take 108 MB, the rooms 9 MB. */
const MEMORY_BYTES_MAX = 512 << 20;

interface Exports {
	/** encode-rows.wat says what it does. */
	readonly encode: (...addressesAndCounts: number[]) => number;
}

/** The values of a column by code, which are copied once; `codes` is null where all rows have the code 0. */
interface Dictionary {
	readonly codes: Codes | null;
	readonly offsets: Uint32Array;
	readonly heap: Uint8Array;
	/** Number of values, which is also the code of null. */
	readonly distinct: number;
}

/** The values of a column by row, which are staged. */
interface Texts {
	readonly offsets: Uint32Array;
	readonly heap: Uint8Array;
}

/** A column, with the addresses of its copy. */
interface Place {
	/** Null for ids, which are computed. */
	readonly source: Dictionary | Texts | null;
	readonly description: number;
	readonly codes: number;
	readonly offsets: number;
	readonly heap: number;
}

/** What a worker keeps. The CRC is the catalog's, which has those of all sections. */
let kept: { readonly folder: string; readonly crc: number; readonly memory: RowMemory } | null = null;

export class RowMemory {
	private readonly bytes: Buffer;
	private readonly words: Uint32Array;
	private readonly month: number;

	private constructor(
		files: SnapshotFiles,
		private readonly layout: Layout,
		memory: ArrayBuffer,
		private readonly exports: Exports,
	) {
		this.bytes = Buffer.from(memory);
		this.words = new Uint32Array(memory);
		this.month = monthNumber(files.catalog.month);
		for (const { source, description, codes, offsets, heap } of layout.places) {
			const words = isDictionary(source)
				? [codes, widthOf(source), offsets, heap, source.heap.length, source.distinct]
				: [0, 0, offsets, heap, 0, STAGED_ROWS];
			this.words.set(words, description / 4);
			if (!isDictionary(source)) continue;
			const at = offsets / 4;
			this.words.set(source.offsets, at);
			// Null, the code after the last, is a value without bytes.
			this.words[at + source.distinct + 1] = this.words[at + source.distinct];
			this.bytes.set(source.heap, heap);
		}
	}

	/** Memory with the dictionaries of `files`; null where this process cannot run the module or they take too much. */
	static of(files: SnapshotFiles): RowMemory | null {
		const { folder, crc } = files;
		if (kept !== null && kept.folder === folder && kept.crc === crc) return kept.memory;
		kept = null;
		const layout = layoutOf(files);
		if (layout.bytes > MEMORY_BYTES_MAX) return null;
		const opened = openKernel<Exports>(ENCODE_ROWS_MODULE, layout.bytes);
		if (opened === null) return null;
		const memory = new RowMemory(files, layout, opened.memory, opened.exports);
		if (!isMainThread) kept = { folder, crc, memory };
		return memory;
	}

	/**
	 * Copies codes and texts of rows [from, to), at most {@link STAGED_ROWS}; false if a text is too long for the module, or
	 * an offset is corrupt.
	 */
	stage(from: number, to: number): boolean {
		for (const place of this.layout.places) {
			const { source } = place;
			if (source === null) this.stageIds(place, from, to);
			else if (!isDictionary(source)) {
				if (!this.stageTexts(place, source, from, to)) return false;
			} else if (source.codes !== null) {
				const { buffer, byteOffset, byteLength } = source.codes.subarray(from, to);
				this.bytes.set(new Uint8Array(buffer, byteOffset, byteLength), place.codes);
			}
		}
		return true;
	}

	/**
	 * Appends the staged rows from number `first` on, up to `count`, to `sink`; writes where each ends there to `ends`.
	 * Returns the first row that is left out: one with a value of {@link LONG_VALUE} bytes, or with a byte that JSON
	 * escapes; else `count`.
	 */
	encode(first: number, count: number, sink: ByteSink, ends: Uint32Array): number {
		const { descriptions, codes, ranges, encoded, ends: endsAt, places } = this.layout;
		const rooms = [encoded, endsAt, codes, ranges];
		const stop = this.exports.encode(descriptions, places.length, first, count, ...rooms, BLOCK_ROWS);
		if (stop === first) return stop;
		const shift = sink.length - encoded;
		const from = endsAt / 4;
		for (let i = 0; i < stop - first; i++) ends[i] = this.words[from + i] + shift;
		sink.copy(this.bytes.subarray(encoded, this.words[from + stop - first - 1]));
		return stop;
	}

	private stageIds({ description, offsets, heap }: Place, from: number, to: number): void {
		const at = offsets / 4;
		let end = heap;
		this.words[at] = 0;
		for (let row = from; row < to; row++) {
			end = writeId(this.month, row, this.bytes, end);
			this.words[at + row - from + 1] = end - heap;
		}
		this.words[description / 4 + HEAP_BYTES_WORD] = end - heap;
	}

	private stageTexts(place: Place, { offsets, heap }: Texts, from: number, to: number): boolean {
		const [start, end] = [offsets[from], offsets[to]];
		if (end < start || end > heap.length || end - start > TEXT_BYTES) return false;
		this.bytes.set(heap.subarray(start, end), place.heap);
		// A corrupt offset past these texts is not to read what was staged before.
		this.words[place.description / 4 + HEAP_BYTES_WORD] = end - start;
		const at = place.offsets / 4 - from;
		// A corrupt offset below the first wraps to one above all.
		for (let row = from; row <= to; row++) this.words[at + row] = offsets[row] - start;
		return true;
	}
}

function isDictionary(source: Dictionary | Texts | null): source is Dictionary {
	return source !== null && "distinct" in source;
}

function widthOf({ codes }: Dictionary): number {
	return codes?.BYTES_PER_ELEMENT ?? 1;
}

type Layout = ReturnType<typeof layoutOf>;

function layoutOf(files: SnapshotFiles) {
	const layout = new MemoryLayout();
	const descriptions = layout.place(4 * DESCRIPTION_WORDS * COLUMNS.length);
	const codes = layout.place(4 * BLOCK_ROWS);
	const ranges = layout.place(RANGE_BYTES * BLOCK_ROWS * COLUMNS.length);
	const ends = layout.place(4 * STAGED_ROWS);
	const places = COLUMNS.map((column, i): Place => {
		const source = sourceOf(files, column);
		const description = descriptions + 4 * DESCRIPTION_WORDS * i;
		return isDictionary(source)
			? {
					...{ source, description },
					codes: layout.place(widthOf(source) * STAGED_ROWS),
					offsets: layout.place(4 * (source.distinct + 2)),
					heap: layout.place(source.heap.length + SLACK_BYTES),
				}
			: {
					...{ source, description },
					codes: 0,
					offsets: layout.place(4 * (STAGED_ROWS + 1)),
					heap: layout.place(TEXT_BYTES + SLACK_BYTES),
				};
	});
	const encoded = layout.place(ENCODED_BYTES + SLACK_BYTES);
	return { descriptions, codes, ranges, ends, places, encoded, bytes: layout.bytes };
}

function sourceOf(files: SnapshotFiles, column: Column): Dictionary | Texts | null {
	if (column.kind === "id") return null;
	if (column.kind === "string") return files.text(column);
	if (column.kind === "snapshot") {
		const heap = Buffer.from(files.catalog.month);
		return { codes: null, offsets: Uint32Array.of(0, heap.length), heap, distinct: 1 };
	}
	const { offsets, heap, distinct } = files.dictionary(column);
	return { codes: files.codes(column), offsets, heap, distinct };
}
