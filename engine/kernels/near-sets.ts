/**
 * Search for letter sets (formats/names/letter-set.ts) near to one set, by SIMD in WebAssembly (near-sets.wat) or,
 * where a process cannot run that, by a loop. The module takes a third of the loop's time, copying the sets
 * included.
 */

import type { Range } from "../../formats/index.js";
import { popcount } from "./bitmap.js";
import { NEAR_SETS_MODULE } from "./generated/near-sets.js";
import { openModule } from "./open-module.js";

/**
 * Writes the positions in `range` of the sets near to `set` to `out` in ascending order: those that lack at
 * most `most` of its letters, and have at most `most` that it lacks. Returns how many.
 */
export type NearSets = (
	set: number,
	most: number,
	sets: Uint32Array,
	range: Range,
	out: Uint32Array,
) => number;

/** Sets in the module's memory at a time, and positions found among these; one more may be overwritten. */
const CHUNK = 8_000;
const LANES = 4;

type Near = (set: number, most: number, bytes: number, out: number) => number;

export const nearSets: NearSets = nearInModule() ?? nearInLoop;

/** By a loop in JavaScript. */
export function nearInLoop(
	set: number,
	most: number,
	sets: Uint32Array,
	{ from, to }: Range,
	out: Uint32Array,
): number {
	let found = 0;
	for (let i = from; i < to; i++) {
		const difference = set ^ sets[i];
		if (popcount(difference & set) > most || popcount(difference & ~set) > most) continue;
		out[found++] = i;
	}
	return found;
}

/** By the module; null where this process cannot run it. */
function nearInModule(): NearSets | null {
	const opened = openModule<{ readonly near: Near }>(NEAR_SETS_MODULE);
	if (opened === null) return null;
	const { near } = opened.exports;
	const memory = new Uint32Array(opened.memory);
	return (set, most, sets, { from, to }, out) => {
		let found = 0;
		for (let start = from; start < to; start += CHUNK) {
			const end = Math.min(start + CHUNK, to);
			const padded = Math.ceil((end - start) / LANES) * LANES;
			memory.set(sets.subarray(start, end));
			// No set is farther than its complement.
			memory.fill(~set, end - start, padded);
			const last = near(set, most, padded * 4, CHUNK * 4) / 4;
			for (let i = CHUNK; i < last; i++) out[found++] = start + memory[i];
		}
		return found;
	};
}
