/** Hints on rows that match a name by other words than those given (docs/API.md §11.3, §11.11). */

import type { Filters, MatchSummary } from "../../../engine/index.js";
import { groupDigits } from "../../../formats/index.js";
import type { Hint, HintSource } from "./hint.js";
import { boundedSource } from "./hint-work.js";
import { otherFilterNote } from "./near-values.js";
import { rowsHave, rowsText } from "./wording.js";

/** What was counted. */
interface CountedByName {
	readonly rows: number;
	/** Those that have each word of the name; absent: no name was asked for. */
	readonly exactRows?: number;
}

/** For counts, which show no row: how many of the rows have the words of the name as they are given. Cost O(1). */
export function nameCountHints({ rows, exactRows }: CountedByName, { name }: Filters): Hint[] {
	if (name === undefined || exactRows === undefined || exactRows === rows) return [];
	const others = rows - exactRows;
	const message =
		`name forgives: ${groupDigits(exactRows)} of ${rowsText(rows)} ${rows === 1 ? "has" : "have"} each word ` +
		`as it is given, accents and punctuation aside, and ${groupDigits(others)} ${others === 1 ? "matches" : "match"} by ` +
		"a longer word, a nickname, an initial or a similar spelling";
	return [{ param: "name", value: name, message, nearest: [] }];
}

/** For a page of rows: how many match several words of the name by one of theirs, as `S Smith` finds every SMITH. */
export function sharedWordHints({ sharingRows }: MatchSummary, { name = "" }: Filters): Hint[] {
	if (sharingRows === 0) return [];
	const message =
		`${rowsHave(sharingRows, "of this page")} one word for several of the words given, as AMANDA SMITH has for S Smith; ` +
		"without sort such rows come after all others";
	return [{ param: "name", value: name, message, nearest: [] }];
}

/** Whether a word of a name matched words of similar spelling alone, in `meta.match` or before it is written. */
export function isSimilarOnly(words: MatchSummary["words"]): boolean {
	return words.some(({ matches }) => matches.every(({ by }) => by === "edit"));
}

/**
 * For a page of rows on which a word of the name has words of similar spelling alone: which filter has the whole text, as a search for
 * Keller Williams finds a William Feller. Cost as of {@link otherFilterNote} for such pages.
 */
export function similarNameHints({ words }: MatchSummary, filters: Filters, source: HintSource): Hint[] {
	const { name = "" } = filters;
	if (!isSimilarOnly(words)) return [];
	const note = otherFilterNote(name, boundedSource(filters, source));
	if (note === "") return [];
	return [{ param: "name", value: name, message: `rows match by similar spellings; ${note}`, nearest: [] }];
}
