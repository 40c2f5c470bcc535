/**
 * Whether the rows of a geography grant have a value in a range of codes, by one binary search in each granted
 * state's order of the column.
 *
 * Invariant: a range that no granted row is in takes the same searches whether it is empty or has rows outside of
 * the grant, so the time does not distinguish these.
 */

import type { Codes, Range, StateRun } from "../../formats/index.js";
import { firstPositionAtLeast, firstRowAtLeast } from "../kernels/codes.js";
import { STATE_SEARCH_ROWS } from "../tuning.js";

/** Ranges of codes that granted rows are in. */
export interface GrantedRanges {
	/** Whether a granted row has a code in the range. */
	hasAny(range: Range): boolean;
}

/** As {@link GrantedRanges}, of single codes too. */
export interface GrantedValues extends GrantedRanges {
	/** Whether a granted row has the code. */
	has(code: number): boolean;
}

export class GrantSearch implements GrantedRanges {
	/** Searches that together cost less than one pass over the rows. */
	private left: number;

	constructor(
		private readonly states: readonly StateRun[],
		/** The column's order within each state; null if that is the row order itself. */
		private readonly byState: Uint32Array | null,
		private readonly codes: Codes,
	) {
		let rows = 0;
		for (const state of states) rows += state.rows;
		this.left = states.length === 0 ? 0 : rows / (states.length * STATE_SEARCH_ROWS);
	}

	/** Whether the set of all values is worth its cost. */
	get isSpent(): boolean {
		return this.left < 1;
	}

	/** `range` begins and ends between folds. Cost O(states × log rows). */
	hasAny({ from, to }: Range): boolean {
		this.left--;
		// An empty range is searched for like any other: see the invariant above.
		for (const { first, rows } of this.states) {
			const at = this.firstAtLeast(first, first + rows, from);
			if (at < first + rows && this.codeAt(at) < to) return true;
		}
		return false;
	}

	private firstAtLeast(from: number, to: number, code: number): number {
		const { byState, codes } = this;
		return byState === null
			? firstRowAtLeast(codes, from, to, code)
			: firstPositionAtLeast(byState, codes, from, to, code);
	}

	private codeAt(position: number): number {
		return this.codes[this.byState === null ? position : this.byState[position]];
	}
}
