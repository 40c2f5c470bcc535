/**
 * Probing a bitmap along an index: kernels that read a permutation, or the rows themselves where it is
 * null, and test each row's bit. Blocks of positions are counted and listed in WebAssembly where the bitmap is in its
 * memory (simd.ts), in 0.6 to 0.8 nanoseconds a position whatever matches; elsewhere by loops of 1 to 4.
 *
 * Seeking has loops of its own up and down, and for a permutation and the rows themselves: so that the inner loops have
 * no test of the direction or of the kind of index.
 */

import type { Range } from "../../formats/index.js";
import { PROBE_BLOCK, PROBED_ROWS, PROBED_ROWS_MIN } from "../tuning.js";
import { countRun, type PageFill, popcount, type SkipCursor, skipBlocks } from "./bitmap.js";
import { type BitmapMemory, memoryOf } from "./simd.js";

/**
 * Position of the match with `cursor.skip` matches before it among rows[from, to), or `to` if there are
 * fewer matches. Leaves in `skip` how many were still to be skipped.
 */
export function seekUp(
	rows: Uint32Array | null,
	bits: Uint32Array,
	from: number,
	to: number,
	cursor: SkipCursor,
): number {
	if (rows === null) return seekRowsUp(bits, from, to, cursor);
	let position = skipPositions(rows, bits, from, to, false, cursor);
	let { skip } = cursor;
	for (; position < to; position++) {
		const row = rows[position];
		if (((bits[row >>> 5] >>> (row & 31)) & 1) === 0) continue;
		if (skip === 0) break;
		skip--;
	}
	cursor.skip = skip;
	return position;
}

/** As {@link seekUp}, downwards; `from - 1` if there are fewer matches. */
export function seekDown(
	rows: Uint32Array | null,
	bits: Uint32Array,
	from: number,
	to: number,
	cursor: SkipCursor,
): number {
	if (rows === null) return seekRowsDown(bits, from, to, cursor);
	let position = skipPositions(rows, bits, from, to, true, cursor) - 1;
	let { skip } = cursor;
	for (; position >= from; position--) {
		const row = rows[position];
		if (((bits[row >>> 5] >>> (row & 31)) & 1) === 0) continue;
		if (skip === 0) break;
		skip--;
	}
	cursor.skip = skip;
	return position;
}

/** Where seeking a match goes on one by one, upwards or downwards. */
function skipPositions(
	rows: Uint32Array,
	bits: Uint32Array,
	from: number,
	to: number,
	isDown: boolean,
	cursor: SkipCursor,
): number {
	const sizes = { least: PROBE_BLOCK, most: PROBED_ROWS };
	return skipBlocks(from, to, isDown, sizes, cursor, (first, end) => countMatches(rows, bits, first, end));
}

function seekRowsUp(bits: Uint32Array, from: number, to: number, cursor: SkipCursor): number {
	let row = from;
	let { skip } = cursor;
	while (row < to) {
		// The rest of the word from the row on.
		const word = bits[row >>> 5] >>> (row & 31);
		const matches = popcount(word);
		if (matches > skip) break;
		skip -= matches;
		row = ((row >>> 5) + 1) << 5;
	}
	for (; row < to; row++) {
		if (((bits[row >>> 5] >>> (row & 31)) & 1) === 0) continue;
		if (skip === 0) break;
		skip--;
	}
	// Bits past `to` within its word were counted too; subtract them.
	if (row > to) skip += countRun(bits, to, row);
	cursor.skip = skip;
	return Math.min(row, to);
}

function seekRowsDown(bits: Uint32Array, from: number, to: number, cursor: SkipCursor): number {
	let row = to - 1;
	let { skip } = cursor;
	while (row >= from) {
		// The word up to and including the row.
		const word = bits[row >>> 5] << (31 - (row & 31));
		const matches = popcount(word);
		if (matches > skip) break;
		skip -= matches;
		row = ((row >>> 5) << 5) - 1;
	}
	for (; row >= from; row--) {
		if (((bits[row >>> 5] >>> (row & 31)) & 1) === 0) continue;
		if (skip === 0) break;
		skip--;
	}
	if (row < from - 1) skip += countRun(bits, row + 1, from);
	cursor.skip = skip;
	return Math.max(row, from - 1);
}

/**
 * Reads the rows at some positions, upwards or downwards, skips `page.skip` matches and takes matches until the page is
 * full: of a block of positions after the other, which grow.
 */
export function takeMatches(
	rows: Uint32Array,
	bits: Uint32Array,
	{ from, to }: Range,
	isDown: boolean,
	page: PageFill,
): void {
	let first = from;
	let end = to;
	if (page.skip > 0) {
		if (isDown) end = seekDown(rows, bits, from, to, page) + 1;
		else first = seekUp(rows, bits, from, to, page);
	}
	const memory = memoryFor(bits, first, end);
	const most = memory?.rowsMax ?? end - first;
	for (
		let size = memory === undefined ? most : PROBE_BLOCK;
		first < end && page.taken < page.end;
		size *= 2
	) {
		const step = Math.min(size, most, end - first);
		const begin = isDown ? end - step : first;
		const kept = memory?.keepRows(bits, rows, begin, begin + step) ?? null;
		if (kept !== null) takeRows(kept, isDown, page);
		else takeInLoop(rows, bits, begin, begin + step, isDown, page);
		if (isDown) end = begin;
		else first = begin + step;
	}
}

/** Takes rows, the last first if downwards, until the page is full. */
function takeRows(rows: Uint32Array, isDown: boolean, page: PageFill): void {
	const { taken, end, out } = page;
	const count = Math.min(rows.length, end - taken);
	const last = rows.length - 1;
	for (let i = 0; i < count; i++) out[taken + i] = rows[isDown ? last - i : i];
	page.taken = taken + count;
}

function takeInLoop(
	rows: Uint32Array,
	bits: Uint32Array,
	from: number,
	to: number,
	isDown: boolean,
	page: PageFill,
): void {
	const { end, out } = page;
	let { taken } = page;
	const step = isDown ? -1 : 1;
	let position = isDown ? to - 1 : from;
	for (let left = to - from; left > 0 && taken < end; left--, position += step) {
		const row = rows[position];
		if (((bits[row >>> 5] >>> (row & 31)) & 1) === 1) out[taken++] = row;
	}
	page.taken = taken;
}

/** The memory in which rows[from, to) are looked up in a bitmap; undefined where that takes longer than a loop. */
function memoryFor(bits: Uint32Array, from: number, to: number): BitmapMemory | undefined {
	return to - from < PROBED_ROWS_MIN ? undefined : memoryOf(bits);
}

/** Matches among rows[from, to). */
export function countMatches(rows: Uint32Array | null, bits: Uint32Array, from: number, to: number): number {
	if (rows === null) return countRun(bits, from, to);
	const memory = memoryFor(bits, from, to);
	if (memory === undefined) return countInLoop(rows, bits, from, to);
	let matches = 0;
	for (let at = from; at < to; at += memory.rowsMax) {
		const end = Math.min(to, at + memory.rowsMax);
		const counted = memory.countRows(bits, rows, at, end);
		matches += counted === -1 ? countInLoop(rows, bits, at, end) : counted;
	}
	return matches;
}

function countInLoop(rows: Uint32Array, bits: Uint32Array, from: number, to: number): number {
	let matches = 0;
	let position = from;
	// Unrolled, so that four cache misses overlap.
	for (; position + 4 <= to; position += 4) {
		const a = rows[position];
		const b = rows[position + 1];
		const c = rows[position + 2];
		const d = rows[position + 3];
		const inFirst = ((bits[a >>> 5] >>> (a & 31)) & 1) + ((bits[b >>> 5] >>> (b & 31)) & 1);
		const inLast = ((bits[c >>> 5] >>> (c & 31)) & 1) + ((bits[d >>> 5] >>> (d & 31)) & 1);
		matches += inFirst + inLast;
	}
	for (; position < to; position++) matches += (bits[rows[position] >>> 5] >>> (rows[position] & 31)) & 1;
	return matches;
}

/** Appends the matches among rows[from, to) to out[at…); returns the end. */
export function listMatches(
	rows: Uint32Array | null,
	bits: Uint32Array,
	from: number,
	to: number,
	out: Uint32Array,
	at: number,
): number {
	const memory = rows === null ? undefined : memoryFor(bits, from, to);
	if (memory === undefined || rows === null) return listInLoop(rows, bits, from, to, out, at);
	let end = at;
	for (let first = from; first < to; first += memory.rowsMax) {
		const last = Math.min(to, first + memory.rowsMax);
		const kept = memory.keepRows(bits, rows, first, last);
		if (kept === null) {
			end = listInLoop(rows, bits, first, last, out, end);
			continue;
		}
		// A corrupt index may have more rows than `out` has room for.
		const room = Math.max(0, out.length - end);
		out.set(kept.length <= room ? kept : kept.subarray(0, room), Math.min(end, out.length));
		end += kept.length;
	}
	return end;
}

function listInLoop(
	rows: Uint32Array | null,
	bits: Uint32Array,
	from: number,
	to: number,
	out: Uint32Array,
	at: number,
): number {
	let end = at;
	for (let position = from; position < to; position++) {
		const row = rows === null ? position : rows[position];
		out[end] = row;
		end += (bits[row >>> 5] >>> (row & 31)) & 1;
	}
	return end;
}

/** Keeps the rows of list[0, count) whose bit is `bit`, in place; returns how many. */
export function keepBits(list: Uint32Array, count: number, bits: Uint32Array, bit: 0 | 1): number {
	let kept = 0;
	let i = 0;
	// Four words are read before the first row is written, whose place depends on them: so that their cache misses overlap.
	for (; i + 4 <= count; i += 4) {
		const a = list[i];
		const b = list[i + 1];
		const c = list[i + 2];
		const d = list[i + 3];
		const bitA = (bits[a >>> 5] >>> (a & 31)) & 1;
		const bitB = (bits[b >>> 5] >>> (b & 31)) & 1;
		const bitC = (bits[c >>> 5] >>> (c & 31)) & 1;
		const bitD = (bits[d >>> 5] >>> (d & 31)) & 1;
		list[kept] = a;
		kept += +(bitA === bit);
		list[kept] = b;
		kept += +(bitB === bit);
		list[kept] = c;
		kept += +(bitC === bit);
		list[kept] = d;
		kept += +(bitD === bit);
	}
	for (; i < count; i++) {
		const row = list[i];
		list[kept] = row;
		kept += +(((bits[row >>> 5] >>> (row & 31)) & 1) === bit);
	}
	return kept;
}
