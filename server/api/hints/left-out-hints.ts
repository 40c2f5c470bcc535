/**
 * Hints for a query that rows match, on rows that its filters leave out and that a client may expect (docs/API.md
 * §7.8.6): those of each kind in a file of its own.
 */

import type { Filters, Snapshot } from "../../../engine/index.js";
import { addHints, type Hint, type HintSource, mayMention } from "./hint.js";
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
	addHints(hints, unmatchedValueHints(filters, source, alsoIn));
	addHints(hints, spellingHints(filters, source));
	addHints(hints, longPostalCodeHints(filters, source));
	addHints(hints, wordingHints(filters, source));
	addHints(hints, excludedCityHints(filters, source));
	addHints(hints, excludedWordingHints(filters, source));
	if (mayMention(source, "state")) addHints(hints, valuelessStateHints(filters, source, older));
	return hints;
}
