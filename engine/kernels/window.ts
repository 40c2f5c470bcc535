/** Loops over the set bits of a bitmap that look at each row's code. None allocates. */

import type { CodeRange, Codes } from "../../formats/index.js";

/** Writes the set rows of one word in `step` of words [from, to) to `out`; returns how many. */
export function sampleRows(
	words: Uint32Array,
	from: number,
	to: number,
	step: number,
	out: Uint32Array,
): number {
	let end = 0;
	for (let i = from; i < to; i += step) {
		let word = words[i];
		const base = i << 5;
		while (word !== 0) {
			const lowest = word & -word;
			out[end++] = base + 31 - Math.clz32(lowest);
			word ^= lowest;
		}
	}
	return end;
}

/** Counts the set rows of words [from, to) whose code lies in `before`; lists those whose code lies in `window`. */
export function rowsAmongCodes(
	words: Uint32Array,
	from: number,
	to: number,
	codes: Codes,
	before: CodeRange,
	window: CodeRange,
	out: Uint32Array,
	found: { before: number; rows: number },
): void {
	const { low, high } = window;
	const beforeLow = before.low;
	const beforeHigh = before.high;
	let passed = 0;
	let end = 0;
	for (let i = from; i < to; i++) {
		let word = words[i];
		const base = i << 5;
		while (word !== 0) {
			const lowest = word & -word;
			const row = base + 31 - Math.clz32(lowest);
			word ^= lowest;
			const code = codes[row];
			out[end] = row;
			end += +(code >= low) & +(code < high);
			passed += +(code >= beforeLow) & +(code < beforeHigh);
		}
	}
	found.before = passed;
	found.rows = end;
}

/** Counts in `histogram` the keys of list[0, count), a key being its row's code: bucket (key - low) >>> shift. */
export function countKeysUp(
	list: Uint32Array,
	count: number,
	codes: Codes,
	low: number,
	shift: number,
	histogram: Uint32Array,
): void {
	for (let i = 0; i < count; i++) histogram[(codes[list[i]] - low) >>> shift]++;
}

/** As {@link countKeysUp}, a key being the distance from the last code; the code of null, `distinct`, stays last. */
export function countKeysDown(
	list: Uint32Array,
	count: number,
	codes: Codes,
	distinct: number,
	low: number,
	shift: number,
	histogram: Uint32Array,
): void {
	for (let i = 0; i < count; i++) {
		const code = codes[list[i]];
		const key = code === distinct ? distinct : distinct - 1 - code;
		histogram[(key - low) >>> shift]++;
	}
}

/**
 * Counts the rows of list[0, count) whose code lies in `before`; writes those whose code lies in
 * `window` to `out`, which may be the list itself.
 */
export function keepWindow(
	list: Uint32Array,
	count: number,
	codes: Codes,
	before: CodeRange,
	window: CodeRange,
	out: Uint32Array,
	found: { before: number; rows: number },
): void {
	const { low, high } = window;
	const beforeLow = before.low;
	const beforeHigh = before.high;
	let passed = 0;
	let end = 0;
	for (let i = 0; i < count; i++) {
		const row = list[i];
		const code = codes[row];
		out[end] = row;
		end += +(code >= low) & +(code < high);
		passed += +(code >= beforeLow) & +(code < beforeHigh);
	}
	found.before = passed;
	found.rows = end;
}
