/**
 * The states of a month by number and by code, and those that grants cover. A state's number is its place among them, in
 * canonical order.
 */

import type { StateRun } from "../../formats/index.js";
import type { Geography } from "../query.js";

/** The states that a grant covers, ascending. One object for all grants that cover the same. */
export interface Coverage {
	readonly states: readonly StateRun[];
	/** Their numbers. */
	readonly numbers: readonly number[];
}

/** Coverages that are known by their states; the map is cleared when full. */
const COVERAGES_MAX = 1024;

export class StateTable {
	private readonly numbers: ReadonlyMap<string, number>;
	/** The numbers of a country's states. */
	private readonly byCountry = new Map<string, number[]>();
	private readonly byGeography = new WeakMap<Geography, Coverage>();
	/** By a code unit for each state. */
	private readonly byStates = new Map<string, Coverage>();

	/** `runs`: the states in canonical order. */
	constructor(readonly runs: readonly StateRun[]) {
		this.numbers = new Map(runs.map(({ state }, number) => [state, number]));
		for (const [number, { country }] of runs.entries()) {
			const numbers = this.byCountry.get(country);
			if (numbers === undefined) this.byCountry.set(country, [number]);
			else numbers.push(number);
		}
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

	/** What a grant covers. Cost O(states) for the first time, then O(1): a key keeps its grant. */
	coverageOf(geography: Geography): Coverage {
		const known = this.byGeography.get(geography);
		if (known !== undefined) return known;
		const numbers = this.numbersOf(geography);
		const key = String.fromCharCode(...numbers);
		let coverage = this.byStates.get(key);
		if (coverage === undefined) {
			coverage = { states: numbers.map((number) => this.runs[number]), numbers };
			if (this.byStates.size >= COVERAGES_MAX) this.byStates.clear();
			this.byStates.set(key, coverage);
		}
		this.byGeography.set(geography, coverage);
		return coverage;
	}

	/** The numbers of the states that a grant covers, ascending. Cost O(states of the month), and one look-up for each state that it names. */
	private numbersOf({ countries, states }: Geography): number[] {
		const covered = new Uint8Array(this.runs.length);
		for (const country of countries)
			for (const number of this.byCountry.get(country) ?? []) covered[number] = 1;
		for (const state of states) {
			const number = this.numberOf(state);
			if (number !== -1) covered[number] = 1;
		}
		const numbers: number[] = [];
		for (let number = 0; number < covered.length; number++) if (covered[number] === 1) numbers.push(number);
		return numbers;
	}
}
