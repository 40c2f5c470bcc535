/** Phrases that several hints have in common. */

import type { Filters, Geography } from "../../../engine/index.js";
import { type CountryCode, findJurisdiction, groupDigits } from "../../../formats/index.js";

/** Maximum states that a hint names. */
const NAMED_STATES_MAX = 5;

const COUNTRY_TEXTS: Readonly<Record<CountryCode, string>> = { US: "the United States", CA: "Canada" };

/** `1 row`, `2,000 rows`. */
export function counted(count: number, noun: string): string {
	return `${groupDigits(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function rowsText(rows: number): string {
	return counted(rows, "row");
}

/** `1 row in TX has`, `2 rows in TX have`; `where` is `in TX`. */
export function rowsHave(rows: number, where: string): string {
	return `${rowsText(rows)} ${where} ${rows === 1 ? "has" : "have"}`;
}

/** `1 row matches`, `2 rows match`. */
export function matching(total: number, noun: string): string {
	return `${counted(total, noun)} ${total === 1 ? "matches" : "match"}`;
}

/** The first `most` of some texts, and how many more there are: `CA, TX and 2 more states`; without a noun, `and 2 more`. */
export function firstOf(texts: readonly string[], most: number, noun?: string): string {
	const shown = texts.slice(0, most).join(", ");
	const more = texts.length - most;
	if (more <= 0) return shown;
	return `${shown} and ${noun === undefined ? `${groupDigits(more)} more` : counted(more, `more ${noun}`)}`;
}

export function statesText(states: readonly string[]): string {
	return firstOf(states, NAMED_STATES_MAX, "state");
}

/** What hints call the rows of the states and country of filters: of a narrowed key, rows that it does not read may match. */
export function rowsOf({ state, country }: Filters, geography: Geography | null): string {
	if (state !== undefined) return statesOf(state, country).join(", ");
	// Its code, CA, would be read as that of California.
	const rows = country === undefined ? "this snapshot" : COUNTRY_TEXTS[country];
	return geography === null ? rows : `${rows} that this key reads`;
}

/** Those of states that are of the country asked for, since no row of another matches; all of them where none is. */
function statesOf(states: readonly string[], country: string | undefined): readonly string[] {
	const own = states.filter((state) => country === undefined || findJurisdiction(state)?.country === country);
	return own.length === 0 ? states : own;
}

/** What leaves a group out: asking for the other `groups` that rows have, which leaves out the rows of no group, too. */
export function groupsInstead(grouped: string, groups: readonly string[], ungroupedRows: number): string {
	const asked = `ask for ${grouped} ${groups.join(", ")}`;
	return ungroupedRows === 0
		? `${asked} instead`
		: `${asked}, which leaves out ${rowsText(ungroupedRows)} of no ${grouped}`;
}
