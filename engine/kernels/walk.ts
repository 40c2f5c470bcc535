/**
 * Loops that walk a permutation and keep the rows of a bitmap, skipping the first `skip` matches
 * and taking up to `limit`. Cost about two nanoseconds a step, bounded by cache misses.
 */

import type { PageCursor } from "./bitmap.js";

/** Walks rows[from, to) upwards. */
export function walkUp(
	rows: Uint32Array,
	bits: Uint32Array,
	from: number,
	to: number,
	limit: number,
	cursor: PageCursor,
	out: Uint32Array,
): void {
	let { skip, taken } = cursor;
	for (let position = from; position < to && taken < limit; position++) {
		const row = rows[position];
		if (((bits[row >>> 5] >>> (row & 31)) & 1) === 0) continue;
		if (skip > 0) skip--;
		else out[taken++] = row;
	}
	cursor.skip = skip;
	cursor.taken = taken;
}

/** Walks rows[from, to) downwards. */
export function walkDown(
	rows: Uint32Array,
	bits: Uint32Array,
	from: number,
	to: number,
	limit: number,
	cursor: PageCursor,
	out: Uint32Array,
): void {
	let { skip, taken } = cursor;
	for (let position = to - 1; position >= from && taken < limit; position--) {
		const row = rows[position];
		if (((bits[row >>> 5] >>> (row & 31)) & 1) === 0) continue;
		if (skip > 0) skip--;
		else out[taken++] = row;
	}
	cursor.skip = skip;
	cursor.taken = taken;
}

/** Matches among rows[from, to). */
export function countMatches(rows: Uint32Array, bits: Uint32Array, from: number, to: number): number {
	let matches = 0;
	for (let position = from; position < to; position++) {
		const row = rows[position];
		matches += (bits[row >>> 5] >>> (row & 31)) & 1;
	}
	return matches;
}

/** Appends the matches among rows[from, to) to out[at…); returns the end. */
export function listMatches(
	rows: Uint32Array,
	bits: Uint32Array,
	from: number,
	to: number,
	out: Uint32Array,
	at: number,
): number {
	let end = at;
	for (let position = from; position < to; position++) {
		const row = rows[position];
		if (((bits[row >>> 5] >>> (row & 31)) & 1) === 1) out[end++] = row;
	}
	return end;
}
