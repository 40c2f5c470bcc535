/** Of rows that match a name, those that have each of its words. */

import { MATCH_COST } from "../names/asked-name.js";
import type { Selection } from "./selection.js";

/**
 * How many rows of a selection by name have each of its words, alone or joined as the name joins them; undefined for no rows
 * and for any other selection. Cost O(rows), a nanosecond each.
 */
export function exactMatches(selection: Selection): number | undefined {
	if (selection.kind !== "names" || selection.count === 0) return undefined;
	const { list, count, costs } = selection;
	let exact = 0;
	for (let i = 0; i < count; i++) if (costs[list[i]] === MATCH_COST.exact) exact++;
	return exact;
}
