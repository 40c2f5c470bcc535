/**
 * Kernels that test rows by their codes, and binary searches. A predicate on a dictionary column is a range
 * of codes, so one comparison evaluates it. None of them allocates.
 *
 * The filters are branch-free: a row is written before it is known to match, and the end advances only if it
 * does. A mispredicted branch would discard the loads already under way for the following rows.
 */

import type { Codes, Range } from "../../formats/index.js";

/** What modules call their functions of codes of one, two and four bytes. */
export type CodeSize = "bytes" | "pairs" | "words";

export function sizeOf({ BYTES_PER_ELEMENT: bytes }: Codes): CodeSize {
	return bytes === 1 ? "bytes" : bytes === 2 ? "pairs" : "words";
}

/** Keeps the rows of list[0, count) whose code is in the range, in place; returns how many. */
export function keepCodes(list: Uint32Array, count: number, codes: Codes, { from, to }: Range): number {
	let kept = 0;
	let i = 0;
	// Eight codes are read before the first row is written, whose place depends on them: so that their cache misses overlap.
	for (; i + 8 <= count; i += 8) {
		const a = list[i];
		const b = list[i + 1];
		const c = list[i + 2];
		const d = list[i + 3];
		const e = list[i + 4];
		const f = list[i + 5];
		const g = list[i + 6];
		const h = list[i + 7];
		const codeA = codes[a];
		const codeB = codes[b];
		const codeC = codes[c];
		const codeD = codes[d];
		const codeE = codes[e];
		const codeF = codes[f];
		const codeG = codes[g];
		const codeH = codes[h];
		list[kept] = a;
		kept += +(codeA >= from) & +(codeA < to);
		list[kept] = b;
		kept += +(codeB >= from) & +(codeB < to);
		list[kept] = c;
		kept += +(codeC >= from) & +(codeC < to);
		list[kept] = d;
		kept += +(codeD >= from) & +(codeD < to);
		list[kept] = e;
		kept += +(codeE >= from) & +(codeE < to);
		list[kept] = f;
		kept += +(codeF >= from) & +(codeF < to);
		list[kept] = g;
		kept += +(codeG >= from) & +(codeG < to);
		list[kept] = h;
		kept += +(codeH >= from) & +(codeH < to);
	}
	for (; i < count; i++) {
		const row = list[i];
		const code = codes[row];
		list[kept] = row;
		kept += +(code >= from) & +(code < to);
	}
	return kept;
}

/** Keeps the rows of list[0, count) whose code is in `set`, a bitmap of codes, in place; returns how many. */
export function keepCodeSet(list: Uint32Array, count: number, codes: Codes, set: Uint32Array): number {
	let kept = 0;
	let i = 0;
	// As above, four at a time, since their places in the set are read too.
	for (; i + 4 <= count; i += 4) {
		const a = list[i];
		const b = list[i + 1];
		const c = list[i + 2];
		const d = list[i + 3];
		const codeA = codes[a];
		const codeB = codes[b];
		const codeC = codes[c];
		const codeD = codes[d];
		list[kept] = a;
		kept += (set[codeA >>> 5] >>> (codeA & 31)) & 1;
		list[kept] = b;
		kept += (set[codeB >>> 5] >>> (codeB & 31)) & 1;
		list[kept] = c;
		kept += (set[codeC >>> 5] >>> (codeC & 31)) & 1;
		list[kept] = d;
		kept += (set[codeD >>> 5] >>> (codeD & 31)) & 1;
	}
	for (; i < count; i++) {
		const row = list[i];
		const code = codes[row];
		list[kept] = row;
		kept += (set[code >>> 5] >>> (code & 31)) & 1;
	}
	return kept;
}

/** Appends the rows of a run whose code is in the range to out[at…); returns the end. */
export function scanCodes(codes: Codes, run: Range, range: Range, out: Uint32Array, at: number): number {
	const { from, to } = range;
	let end = at;
	for (let row = run.from; row < run.to; row++) {
		const code = codes[row];
		out[end] = row;
		end += +(code >= from) & +(code < to);
	}
	return end;
}

/** Appends the rows of a run whose code is in `set`, a bitmap of codes, to out[at…); returns the end. */
export function scanCodeSet(
	codes: Codes,
	run: Range,
	set: Uint32Array,
	out: Uint32Array,
	at: number,
): number {
	let end = at;
	for (let row = run.from; row < run.to; row++) {
		const code = codes[row];
		out[end] = row;
		end += (set[code >>> 5] >>> (code & 31)) & 1;
	}
	return end;
}

/** First of rows [from, to) whose code is at least `code`, where codes ascend. Cost O(log rows). */
export function firstRowAtLeast(codes: Codes, from: number, to: number, code: number): number {
	let low = from;
	let high = to;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (codes[middle] < code) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** The first step of a gallop, in rows: a guess is rarely nearer, and 8 codes share a cache line. */
const GALLOP_STEP = 8;

/**
 * As {@link firstRowAtLeast}, by galloping from `guess` in the direction of the row. Where guesses are good, a search
 * of a large run reads some adjacent cache lines instead of one a step. Any guess is right, in range or not. Cost
 * O(log of the distance from the guess).
 */
export function firstRowAtLeastNear(
	codes: Codes,
	from: number,
	to: number,
	code: number,
	guess: number,
): number {
	if (from >= to) return from;
	let low = from;
	let high = to;
	let step = GALLOP_STEP;
	let probe = Math.max(from, Math.min(guess, to - 1));
	if (codes[probe] < code) {
		while (probe < to && codes[probe] < code) {
			low = probe + 1;
			probe += step;
			step *= 2;
		}
		high = Math.min(probe, to);
	} else {
		while (probe >= from && codes[probe] >= code) {
			high = probe;
			probe -= step;
			step *= 2;
		}
		low = Math.max(from, probe + 1);
	}
	return firstRowAtLeast(codes, low, high, code);
}

/** First of positions [from, to) whose row's code is at least `code`, where these ascend. Cost O(log positions). */
export function firstPositionAtLeast(
	rows: Uint32Array,
	codes: Codes,
	from: number,
	to: number,
	code: number,
): number {
	let low = from;
	let high = to;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (codes[rows[middle]] < code) low = middle + 1;
		else high = middle;
	}
	return low;
}

/**
 * First index of ascending rows[from, to) that is `row` or more. Cost O(log rows). {@link firstRowAtLeast} for words
 * alone: a loop that reads arrays of three widths takes an eighth longer.
 */
export function firstIndexAtLeast(rows: Uint32Array, from: number, to: number, row: number): number {
	let low = from;
	let high = to;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (rows[middle] < row) low = middle + 1;
		else high = middle;
	}
	return low;
}
