/**
 * Whether the rows of a geography grant have a value, by one binary search in the set of each granted state: a grant
 * that asks few questions needs no set of its own.
 *
 * Invariant: what no granted row has takes the same searches whether it occurs in no row at all or in rows outside of
 * the grant, so the time does not distinguish these.
 */

import type { Column, Range } from "../../formats/index.js";
import { SET_SEARCH_ELEMENTS } from "../tuning.js";
import type { GrantedValues } from "./grant-search.js";
import type { StateSets } from "./state-sets.js";

export class SetSearch implements GrantedValues {
	/** Searches that together cost less than the union of the sets. */
	private left: number;

	constructor(
		private readonly sets: StateSets,
		private readonly column: Column,
		/** The granted states. */
		private readonly numbers: readonly number[],
	) {
		let elements = 0;
		for (const number of numbers) elements += sets.size(column, number);
		this.left = numbers.length === 0 ? 0 : elements / (numbers.length * SET_SEARCH_ELEMENTS);
	}

	/** Whether the union is worth its cost. */
	get isSpent(): boolean {
		return this.left < 1;
	}

	/** Cost O(states × log values). */
	has(code: number): boolean {
		return this.hasAny({ from: code, to: code + 1 });
	}

	/** Cost O(states × log values). */
	hasAny({ from, to }: Range): boolean {
		this.left--;
		const { sets, column } = this;
		// An empty range is searched for like any other: see the invariant above.
		for (const number of this.numbers) {
			// A union keeps what took a pass over the rows where the states' sets are evicted before they are searched again.
			if (!sets.isMade(column, number)) this.left = 0;
			if (sets.firstCode(column, number, from) < to) return true;
		}
		return false;
	}
}
