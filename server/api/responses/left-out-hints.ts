/**
 * Hints for a question that rows match, about rows that its filters leave out and that whoever asks may expect: of other
 * spellings of names, of ZIP+4 codes, and of states that word a filter's value otherwise or do not publish what it reads
 * (docs/API.md §7.8.6). Values that no row has are told as well (unmatched-values.ts).
 *
 * Invariant: as in hints.ts, a hint depends only on rows of the key's geography and on columns that the request names.
 */

import type { Filters, Snapshot } from "../../../engine/index.js";
import { type ColumnName, FILTERS, type Filter } from "../../../formats/index.js";
import { type Hint, type HintSource, listOf, rowsText, statesText } from "./hints.js";
import { isPartOfName } from "./near-values.js";
import { longPostalCodeHints } from "./postal-code-hints.js";
import { keptSpellingHints, spellingHints } from "./spelling-hints.js";
import { keptWordingHints, wordingHints } from "./state-wordings.js";
import { unmatchedValueHints } from "./unmatched-values.js";

/** Columns that some licensing bodies publish and others do not. */
const NOT_EVERYWHERE: readonly (ColumnName | null)[] = [
	...(["member_license_status", "license_status_group", "member_type", "member_type_group"] as const),
	...(["member_license_issued", "member_license_expires", "member_license_first_issued"] as const),
	...(["member_last_name", "member_first_name", "office_name", "member_city", "member_postal_code"] as const),
];

/** Kinds of filters that no row without a value matches. */
const NEEDS_VALUE: readonly Filter["kind"][] = ["exact", "group", "prefix", "fold", "from", "to"];

/** The filters that leave out all rows of a state that does not publish their column. */
const LEAVING_OUT = FILTERS.filter(
	({ kind, column }) => NOT_EVERYWHERE.includes(column) && NEEDS_VALUE.includes(kind),
);

/**
 * Hints for the first page of a question that rows match; `undefined`: none. `alsoIn`: another month in which values are
 * looked for. Cost: as of the functions it calls.
 */
export function leftOutHints(filters: Filters, source: HintSource, alsoIn?: Snapshot): Hint[] | undefined {
	const hints: Hint[] = [];
	add(hints, unmatchedValueHints(filters, source, alsoIn));
	add(hints, spellingHints(filters, source));
	add(hints, longPostalCodeHints(filters, source));
	add(hints, wordingHints(filters, source));
	add(hints, keptSpellingHints(filters, source));
	add(hints, keptWordingHints(filters, source));
	add(hints, valuelessStateHints(filters, source));
	return hints.length === 0 ? undefined : hints;
}

/** All of some hints, of which most answers have none; `undefined`: none. */
export function joined(
	first: readonly Hint[] | undefined,
	...others: readonly (readonly Hint[])[]
): readonly Hint[] | undefined {
	const more = others.flat();
	return more.length === 0 ? first : [...(first ?? []), ...more];
}

/** Spreading arrays, most of which are empty, took a microsecond of each page. */
function add(hints: Hint[], more: readonly Hint[]): void {
	for (let i = 0; i < more.length; i++) hints.push(more[i]);
}

/**
 * For each filter on what licensing bodies need not publish: the states asked for in which no row has a value, so that the
 * filter leaves out all of their rows. Cost O(states without values).
 */
function valuelessStateHints(filters: Filters, { snapshot, geography, aliases }: HintSource): Hint[] {
	const hints: Hint[] = [];
	let told: ColumnName | null = null;
	for (const { param, column } of LEAVING_OUT) {
		const value = filters[param];
		// Two filters on one column, one after the other, leave out the same rows.
		if (value === undefined || column === null || column === told) continue;
		told = column;
		const states = snapshot.statesWithout(column, filters, geography);
		if (states.length === 0) continue;
		const rows = states.reduce((sum, run) => sum + run.rows, 0);
		const name = aliases?.[param] ?? param;
		const named = statesText(states.map(({ state }) => state));
		const message =
			`no row of ${named} has a value in ${column}, so ${name} leaves out all ${rowsText(rows)} there` +
			(isPartOfName(column) ? "; name searches full names" : "");
		hints.push({ param: name, value: listOf(value).join(", "), message, nearest: [] });
	}
	return hints;
}
