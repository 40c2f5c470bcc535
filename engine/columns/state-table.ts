/** The states of a month by number and by code. A state's number is its place among them, in canonical order. */

import type { StateRun } from "../../formats/index.js";

export class StateTable {
	private readonly numbers: ReadonlyMap<string, number>;

	/** `runs`: the states in canonical order. */
	constructor(readonly runs: readonly StateRun[]) {
		this.numbers = new Map(runs.map(({ state }, number) => [state, number]));
	}

	/** The number of the state with this code, or -1. Cost O(1), one look-up in a hash table. */
	numberOf(code: string): number {
		return this.numbers.get(code) ?? -1;
	}
}
