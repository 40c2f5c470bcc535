/** The states of a month by number and by code. A state's number is its place among them, in canonical order. */

import { coversState, type StateRun } from "../../formats/index.js";
import type { Geography } from "../query.js";

export class StateTable {
	private readonly numbers: ReadonlyMap<string, number>;
	private readonly byGeography = new WeakMap<Geography, readonly StateRun[]>();

	/** `runs`: the states in canonical order. */
	constructor(readonly runs: readonly StateRun[]) {
		this.numbers = new Map(runs.map(({ state }, number) => [state, number]));
	}

	/** The number of the state with this code, or -1. Cost O(1), one look-up in a hash table. */
	numberOf(code: string): number {
		return this.numbers.get(code) ?? -1;
	}

	/** The table of the states that have rows: this one where all have, so that what a grant covers is found once. */
	withRows(): StateTable {
		const filled = this.runs.filter(({ rows }) => rows > 0);
		return filled.length === this.runs.length ? this : new StateTable(filled);
	}

	/** The states that a grant covers, ascending. Cost O(states) for the first time, then O(1): a key keeps its grant. */
	granted(geography: Geography): readonly StateRun[] {
		let covered = this.byGeography.get(geography);
		if (covered === undefined) {
			covered = this.runs.filter(({ state, country }) => coversState(geography, state, country));
			this.byGeography.set(geography, covered);
		}
		return covered;
	}
}
