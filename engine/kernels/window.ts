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
			if (code >= low && code < high) out[end++] = row;
			else passed += +(code >= beforeLow) & +(code < beforeHigh);
		}
	}
	found.before = passed;
	found.rows = end;
}
