/**
 * The states in which the values of one column occur. They are found by binary searches in a value's postings, some
 * hundred reads that miss the caches, and kept: frequent values, which alone are asked for, are few.
 */

import type { Postings, StateRun } from "../../formats/index.js";
import { firstIndexAtLeast } from "../kernels/codes.js";

export class ValueStates {
	/** By code, of the values asked for so far. */
	private readonly known = new Map<number, readonly StateRun[]>();

	constructor(
		private readonly postings: Postings,
		/** All states, ascending. */
		private readonly states: readonly StateRun[],
	) {}

	/** The states with rows of a value, ascending. Cost O(states × log rows) for the first time, then O(1). */
	of(code: number): readonly StateRun[] {
		let found = this.known.get(code);
		if (found === undefined) {
			const { offsets, rows } = this.postings;
			const numbers = statesOfRows(this.states, rows, offsets[code], offsets[code + 1]);
			found = numbers.map((number) => this.states[number]);
			this.known.set(code, found);
		}
		return found;
	}
}

/**
 * The numbers of those of `states`, all of a month, that contain any of ascending rows[from, end). Corrupt bounds are cut
 * to the length of `rows`.
 */
export function statesOfRows(
	states: readonly StateRun[],
	rows: Uint32Array,
	from: number,
	end: number,
): readonly number[] {
	const to = Math.min(end, rows.length);
	const found: number[] = [];
	let at = from;
	for (let number = 0; number < states.length && at < to; number++) {
		const state = states[number];
		const stateEnd = state.first + state.rows;
		if (rows[at] >= stateEnd) continue;
		found.push(number);
		at = rows[to - 1] < stateEnd ? to : firstIndexAtLeast(rows, at, to, stateEnd);
	}
	return found;
}
