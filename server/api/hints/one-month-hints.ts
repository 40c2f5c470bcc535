/**
 * Hints on states of which only one of two months has any row, such as where a state's source came too late for the older
 * one: all of their rows pass for growth, new licenses, or the reverse.
 */

import type { Filters, Geography, Snapshot } from "../../../engine/index.js";
import { coversState } from "../../../formats/index.js";
import { isInPlace } from "./hint.js";
import { rowsText, statesText } from "./wording.js";

/** What a key asks of two months. */
interface Asked {
	readonly filters: Filters;
	readonly geography: Geography | null;
}

/**
 * The message on the states asked for which `without` has no row of, and how many rows of theirs match in `month`, of which
 * `effect` says what they pass for; null: there are none. Cost O(states), and where there are such states of a count.
 */
export function missingStatesText(
	{ filters, geography }: Asked,
	month: Snapshot,
	without: Snapshot,
	effect: string,
): string | null {
	const present = new Set(without.states.filter(({ rows }) => rows > 0).map(({ state }) => state));
	const states = month.states
		.filter(
			({ state, country, rows }) => rows > 0 && !present.has(state) && coversState(geography, state, country),
		)
		.map(({ state }) => state)
		.filter((state) => isInPlace(state, filters));
	if (states.length === 0) return null;
	const rows = month.count({ ...filters, state: states }, geography);
	if (rows === 0) return null;
	return `${without.month} has no row of ${statesText(states)}, so ${effect} the ${rowsText(rows)} there in ${month.month}`;
}
