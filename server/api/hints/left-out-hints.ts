/**
 * Hints for a query that rows match, on rows that its filters leave out and that a client may expect (docs/API.md
 * §7.8.6): those of each kind in a file of its own.
 */

import type { Filters, Snapshot } from "../../../engine/index.js";
import { type Hint, type HintSource, mayMention } from "./hint.js";
import { longPostalCodeHints } from "./postal-code-hints.js";
import { excludedCityHints, spellingHints } from "./spelling-hints.js";
import { unmatchedValueHints } from "./unmatched-value-hints.js";
import { valuelessStateHints } from "./valueless-state-hints.js";
import { excludedWordingHints, wordingHints } from "./vocabulary-hints.js";

/**
 * Hints for the first page of a query that rows match. `alsoIn`: another month in which values are looked for; `older`: that of
 * which rows are counted as well ({@link valuelessStateHints}). Cost: as of the functions it calls.
 */
export function leftOutHints(
	filters: Filters,
	source: HintSource,
	alsoIn?: Snapshot,
	older?: HintSource,
): Hint[] {
	const hints: Hint[] = [];
	add(hints, unmatchedValueHints(filters, source, alsoIn));
	add(hints, spellingHints(filters, source));
	add(hints, longPostalCodeHints(filters, source));
	add(hints, wordingHints(filters, source));
	add(hints, excludedCityHints(filters, source));
	add(hints, excludedWordingHints(filters, source));
	if (mayMention(source, "state")) add(hints, valuelessStateHints(filters, source, older));
	return hints;
}

/** Spreading arrays, most of which are empty, took a microsecond of each page. */
function add(hints: Hint[], more: readonly Hint[]): void {
	for (let i = 0; i < more.length; i++) hints.push(more[i]);
}
