/**
 * A hint for a page of rows that match a name, some of which match several of its words by one word of theirs: `S Smith` finds
 * every SMITH (docs/API.md §11.11).
 */

import type { Filters, MatchSummary } from "../../../engine/index.js";
import { type Hint, rowsText } from "./hints.js";

/** `hints`, and one more where rows of the page share words. Cost O(hints). */
export function withSharedWords(
	hints: Hint[] | undefined,
	matches: MatchSummary | null,
	{ name = "" }: Filters,
): Hint[] | undefined {
	const rows = matches?.sharingRows ?? 0;
	if (rows === 0) return hints;
	const message =
		`${rowsText(rows)} of this page ${rows === 1 ? "has" : "have"} one word for several of the words given, as ` +
		"AMANDA SMITH has for S Smith; without sort such rows come after all others";
	return [...(hints ?? []), { param: "name", value: name, message, nearest: [] }];
}
