/**
 * Bitmaps of the rows of a code, and of those whose text is empty, by SIMD in WebAssembly (equal-codes.wat) or, where a
 * process cannot run that, by a loop. The module takes a tenth of the loop's time or less, copying the codes included;
 * the loop is slower still once V8 has seen codes of several sizes.
 */

import type { Codes } from "../../formats/index.js";
import { type CodeSize, sizeOf } from "./codes.js";
import { EQUAL_CODES_MODULE } from "./generated/equal-codes.js";
import { openModule } from "./open-module.js";

/** Rows in the module's memory at a time: whole words of the bitmap. */
const CHUNK_ROWS = 8192;
const WORD_ROWS = 32;
/** Where the module writes, behind the codes of a chunk and one offset more. */
const OUT_BYTES = 4 * CHUNK_ROWS + 64;

/** Sets bits by `code` of [at, end) in the module's memory. */
type Mark = (at: number, end: number, code: number, out: number) => void;
type Module = Readonly<Record<CodeSize | "empty", Mark>>;

const opened = openModule<Module>(EQUAL_CODES_MODULE);
const memory = opened === null ? null : new Uint8Array(opened.memory);

/** Sets the bits of the rows that have `code`; `words` has none before. Cost O(rows). */
export function markCode(codes: Codes, code: number, words: Uint32Array): void {
	// A code that the codes are too small for has no row, and would be another one in the module.
	const isCode = code < 256 ** codes.BYTES_PER_ELEMENT;
	const done = isCode ? markInModule(sizeOf(codes), codes, codes.length, 0, code, words) : 0;
	for (let row = done; row < codes.length; row++) words[row >>> 5] |= +(codes[row] === code) << (row & 31);
}

/** Sets the bits of the rows of [0, rows) whose text is empty: its offset is the next one's. As {@link markCode}. */
export function markEmpty(offsets: Uint32Array, rows: number, words: Uint32Array): void {
	const done = markInModule("empty", offsets, rows, 1, 0, words);
	for (let row = done; row < rows; row++)
		words[row >>> 5] |= +(offsets[row] === offsets[row + 1]) << (row & 31);
}

/** Marks whole words of `words` from `rows` codes, each chunk with `more` codes after it; returns the rows that are done. */
function markInModule(
	by: keyof Module,
	codes: Codes,
	rows: number,
	more: number,
	code: number,
	words: Uint32Array,
): number {
	if (opened === null || memory === null) return 0;
	const mark = opened.exports[by];
	const bytes = codes.BYTES_PER_ELEMENT;
	const whole = rows - (rows % WORD_ROWS);
	const source = new Uint8Array(codes.buffer, codes.byteOffset, codes.byteLength);
	const target = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
	for (let from = 0; from < whole; from += CHUNK_ROWS) {
		const count = Math.min(CHUNK_ROWS, whole - from);
		memory.set(source.subarray(from * bytes, (from + count + more) * bytes));
		mark(0, count * bytes, code, OUT_BYTES);
		target.set(memory.subarray(OUT_BYTES, OUT_BYTES + count / 8), from / 8);
	}
	return whole;
}
