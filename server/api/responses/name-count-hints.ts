/**
 * Hints for counts of rows that match a name: how many have its words as they are given, since a count shows no row that
 * tells the others apart (docs/API.md §11.3).
 */

import type { Filters } from "../../../engine/index.js";
import { groupDigits } from "../../../formats/index.js";
import type { Hint } from "./hints.js";

/** What was counted. */
interface CountedByName {
	readonly rows: number;
	/** Those that have each word of the name; absent: no name was asked for. */
	readonly exactRows?: number;
}

/** For the groups of rows that match the filter on names, of which some do by other words than those given. Cost O(1). */
export function nameCountHints({ rows, exactRows }: CountedByName, { name }: Filters): Hint[] {
	if (name === undefined || exactRows === undefined || exactRows === rows) return [];
	const others = rows - exactRows;
	const message =
		`name forgives: ${groupDigits(exactRows)} of ${groupDigits(rows)} ${rows === 1 ? "row has" : "rows have"} each word ` +
		`as it is given, accents and punctuation aside, and ${groupDigits(others)} ${others === 1 ? "matches" : "match"} by ` +
		"a longer word, a nickname, an initial or a similar spelling";
	return [{ param: "name", value: name, message, nearest: [] }];
}
