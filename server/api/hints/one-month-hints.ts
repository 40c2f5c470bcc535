/**
 * Hints on states of which only one of two months has any row, such as where a state's source came too late for the older
 * one: all of their rows pass for growth, new licenses, or the reverse.
 */

import type { Filters, Geography, Snapshot } from "../../../engine/index.js";
import { coversState } from "../../../formats/index.js";
import { type Hint, isInPlace } from "./hint.js";
import { rowsText, statesText } from "./wording.js";

/** What a key asks of two months. */
interface Asked {
	readonly filters: Filters;
	readonly geography: Geography | null;
}

/** To which parameter a hint belongs, and what rows that one month alone has pass for: continues `so`. */
interface Use {
	readonly param: string;
	readonly value: string;
	readonly effect: string;
}

/**
 * A hint on the states asked for which `without` has no row of, and how many rows of theirs match in `month`; none where
 * there are no such states. Cost O(states), and where there are such states of a count.
 */
export function missingStatesHints(
	{ filters, geography }: Asked,
	month: Snapshot,
	without: Snapshot,
	{ param, value, effect }: Use,
): Hint[] {
	const present = new Set(without.states.filter(({ rows }) => rows > 0).map(({ state }) => state));
	const states = month.states
		.filter(
			({ state, country, rows }) => rows > 0 && !present.has(state) && coversState(geography, state, country),
		)
		.map(({ state }) => state)
		.filter((state) => isInPlace(state, filters));
	if (states.length === 0) return [];
	const rows = month.count({ ...filters, state: states }, geography);
	if (rows === 0) return [];
	const message = `${without.month} has no row of ${statesText(states)}, so ${effect} the ${rowsText(rows)} there in ${month.month}`;
	return [{ param, value, message, nearest: [] }];
}
