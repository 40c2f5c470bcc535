/**
 * Probing a bitmap along an index: kernels that read a permutation, or the rows themselves where it is
 * null, and test each row's bit. Skipping counts whole blocks without branches, at about one nanosecond
 * a position.
 *
 * Ascending and descending orders have loops of their own, as do a permutation and the rows themselves: so that the
 * inner loops have a constant step and no test of the direction or of the kind of index.
 */

import { PROBE_BLOCK } from "../tuning.js";
import { type PageCursor, popcount } from "./bitmap.js";

/**
 * Position of the match with `cursor.skip` matches before it among rows[from, to), or `to` if there are
 * fewer matches. Leaves in `skip` how many were still to be skipped.
 */
export function seekUp(
	rows: Uint32Array | null,
	bits: Uint32Array,
	from: number,
	to: number,
	cursor: PageCursor,
): number {
	if (rows === null) return seekRowsUp(bits, from, to, cursor);
	let position = from;
	let { skip } = cursor;
	while (position + PROBE_BLOCK <= to) {
		const matches = countMatches(rows, bits, position, position + PROBE_BLOCK);
		if (matches > skip) break;
		skip -= matches;
		position += PROBE_BLOCK;
	}
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
	cursor: PageCursor,
): number {
	if (rows === null) return seekRowsDown(bits, from, to, cursor);
	let end = to;
	let { skip } = cursor;
	while (end - PROBE_BLOCK >= from) {
		const matches = countMatches(rows, bits, end - PROBE_BLOCK, end);
		if (matches > skip) break;
		skip -= matches;
		end -= PROBE_BLOCK;
	}
	let position = end - 1;
	for (; position >= from; position--) {
		const row = rows[position];
		if (((bits[row >>> 5] >>> (row & 31)) & 1) === 0) continue;
		if (skip === 0) break;
		skip--;
	}
	cursor.skip = skip;
	return position;
}

function seekRowsUp(bits: Uint32Array, from: number, to: number, cursor: PageCursor): number {
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
	if (row > to) skip += countRows(bits, to, row);
	cursor.skip = skip;
	return Math.min(row, to);
}

function seekRowsDown(bits: Uint32Array, from: number, to: number, cursor: PageCursor): number {
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
	if (row < from - 1) skip += countRows(bits, row + 1, from);
	cursor.skip = skip;
	return Math.max(row, from - 1);
}

/** Set bits among rows [from, to). */
function countRows(bits: Uint32Array, from: number, to: number): number {
	let matches = 0;
	for (let row = from; row < to; row++) matches += (bits[row >>> 5] >>> (row & 31)) & 1;
	return matches;
}

/** Reads rows[from, to) upwards, skips `cursor.skip` matches and takes matches until `limit` are taken. */
export function takeMatchesUp(
	rows: Uint32Array,
	bits: Uint32Array,
	from: number,
	to: number,
	limit: number,
	cursor: PageCursor,
	out: Uint32Array,
): void {
	let { taken } = cursor;
	for (let position = seekUp(rows, bits, from, to, cursor); position < to && taken < limit; position++) {
		const row = rows[position];
		if (((bits[row >>> 5] >>> (row & 31)) & 1) === 1) out[taken++] = row;
	}
	cursor.taken = taken;
}

/** As {@link takeMatchesUp}, downwards. */
export function takeMatchesDown(
	rows: Uint32Array,
	bits: Uint32Array,
	from: number,
	to: number,
	limit: number,
	cursor: PageCursor,
	out: Uint32Array,
): void {
	let { taken } = cursor;
	for (let position = seekDown(rows, bits, from, to, cursor); position >= from && taken < limit; position--) {
		const row = rows[position];
		if (((bits[row >>> 5] >>> (row & 31)) & 1) === 1) out[taken++] = row;
	}
	cursor.taken = taken;
}

/** Matches among rows[from, to). */
export function countMatches(rows: Uint32Array | null, bits: Uint32Array, from: number, to: number): number {
	if (rows === null) return countRows(bits, from, to);
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
	for (let i = 0; i < count; i++) {
		const row = list[i];
		list[kept] = row;
		kept += +(((bits[row >>> 5] >>> (row & 31)) & 1) === bit);
	}
	return kept;
}
