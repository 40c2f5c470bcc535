/**
 * Loops that test rows by their codes. A predicate on a dictionary column is a half-open range of
 * codes, so one comparison answers it. None of the loops allocates.
 *
 * Rows are written before it is known whether they match, and the end moves on only if they do: a branch
 * that is guessed wrong would throw away the reads that were under way for the rows after it.
 */

import type { Codes } from "../../formats/index.js";

/** Keeps the rows of list[0, count) whose code lies in [low, high), in place; returns how many. */
export function keepCodes(list: Uint32Array, count: number, codes: Codes, low: number, high: number): number {
	let kept = 0;
	for (let i = 0; i < count; i++) {
		const row = list[i];
		const code = codes[row];
		list[kept] = row;
		kept += +(code >= low) & +(code < high);
	}
	return kept;
}

/** Appends the rows of [first, end) whose code lies in [low, high) to out[at…); returns the end. */
export function scanCodes(
	codes: Codes,
	first: number,
	end: number,
	low: number,
	high: number,
	out: Uint32Array,
	at: number,
): number {
	let to = at;
	for (let row = first; row < end; row++) {
		const code = codes[row];
		out[to] = row;
		to += +(code >= low) & +(code < high);
	}
	return to;
}

/** First row of [first, end) whose code is at least `low`, where codes do not fall below it again after. Cost O(log rows). */
export function firstRowAtLeast(codes: Codes, first: number, end: number, low: number): number {
	let from = first;
	let to = end;
	while (from < to) {
		const middle = (from + to) >>> 1;
		if (codes[middle] < low) from = middle + 1;
		else to = middle;
	}
	return from;
}

/** First position of positions [first, end) whose row's code is at least `low`. Cost O(log rows). */
export function firstPositionAtLeast(
	rows: Uint32Array,
	codes: Codes,
	first: number,
	end: number,
	low: number,
): number {
	let from = first;
	let to = end;
	while (from < to) {
		const middle = (from + to) >>> 1;
		if (codes[rows[middle]] < low) from = middle + 1;
		else to = middle;
	}
	return from;
}

/** First index of ascending rows[first, end) at or after `row`. Cost O(log rows). */
export function firstIndexAtLeast(rows: Uint32Array, first: number, end: number, row: number): number {
	let from = first;
	let to = end;
	while (from < to) {
		const middle = (from + to) >>> 1;
		if (rows[middle] < row) from = middle + 1;
		else to = middle;
	}
	return from;
}
