/**
 * Hints for a query that rows match, on rows that its filters leave out and that a client may expect (docs/API.md
 * §7.8.6): those of each kind in a file of its own, and here those of states that do not publish what a filter or the order reads.
 */

import type { Filters, Snapshot } from "../../../engine/index.js";
import { type ColumnName, FILTERS, groupDigits } from "../../../formats/index.js";
import { type Hint, type HintSource, listOf, mayMention, nameOf } from "./hint.js";
import { longPostalCodeHints } from "./postal-code-hints.js";
import { excludedCityHints, spellingHints } from "./spelling-hints.js";
import { unmatchedValueHints } from "./unmatched-value-hints.js";
import { ofBothMonths } from "./unpublished-hints.js";
import { isPartOfName, NEEDS_VALUE } from "./value-notes.js";
import { excludedWordingHints, wordingHints } from "./vocabulary-hints.js";
import { rowsText, statesText } from "./wording.js";

/** Columns that some licensing bodies publish and others do not. */
const NOT_EVERYWHERE: readonly (ColumnName | null)[] = [
	...(["member_license_status", "license_status_group", "member_type", "member_type_group"] as const),
	...(["member_license_issued", "member_license_expires", "member_license_first_issued"] as const),
	...(["member_last_name", "member_first_name", "office_name", "member_city", "member_postal_code"] as const),
];

/** The filters that leave out all rows of a state that does not publish their column. */
const LEAVING_OUT = FILTERS.filter(
	({ kind, column }) => NOT_EVERYWHERE.includes(column) && NEEDS_VALUE.includes(kind),
);

/**
 * Hints for the first page of a query that rows match. `alsoIn`: another month in which values are looked for; `older`: that of
 * which rows are counted as well ({@link ofBothMonths}). Cost: as of the functions it calls.
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

/**
 * For each filter on what licensing bodies need not publish, and for each column of `present`: the states asked for in which
 * no row has a value, so that the filter leaves out all of their rows; and of each filter those in which most have none. Cost
 * O(states named), and of {@link Snapshot.sparseStates}.
 */
function valuelessStateHints(filters: Filters, source: HintSource, older?: HintSource): Hint[] {
	const hints: Hint[] = [];
	let last: ColumnName | null = null;
	for (const { param, column } of LEAVING_OUT) {
		const value = filters[param];
		// Two filters on one column, one after the other, leave out the same rows.
		if (value === undefined || column === null || column === last) continue;
		last = column;
		const [name, text] = [nameOf(param, source), listOf(value).join(", ")];
		const hintsOf = (each: HintSource) =>
			valuelessStateHint(column, name, text, filters, each).concat(
				sparseStateHint(column, name, text, filters, each),
			);
		add(hints, ofBothMonths(column, filters, source, older, hintsOf));
	}
	for (const column of filters.present ?? []) {
		if (isFiltered(column, filters)) continue;
		const hintsOf = (each: HintSource) => valuelessStateHint(column, "present", column, filters, each);
		add(hints, ofBothMonths(column, filters, source, older, hintsOf));
	}
	return hints;
}

/** The hint of {@link valuelessStateHints} for a filter `param` with `value` on `column`; empty: none is needed. */
function valuelessStateHint(
	column: ColumnName,
	param: string,
	value: string,
	filters: Filters,
	source: HintSource,
): Hint[] {
	const { snapshot, geography } = source;
	const states = snapshot.statesWithout(column, filters, geography);
	if (states.length === 0) return [];
	const rows = states.reduce((sum, run) => sum + run.rows, 0);
	const named = statesText(states.map(({ state }) => state));
	const message =
		`no row of ${named} has a value in ${column}, so ${param} leaves out all ${rowsText(rows)} there` +
		(isPartOfName(column) && mayMention(source, "member_full_name") ? "; name searches full names" : "");
	return [{ param, value, message, nearest: [] }];
}

/** Likewise for states of which most rows, but not all, have no value. */
function sparseStateHint(
	column: ColumnName,
	param: string,
	value: string,
	filters: Filters,
	{ snapshot, geography }: HintSource,
): Hint[] {
	const sparse = snapshot.sparseStates(column, filters, geography);
	if (sparse.length === 0) return [];
	let missing = 0;
	let rows = 0;
	for (const state of sparse) {
		missing += state.missing;
		rows += state.run.rows;
	}
	const named = statesText(sparse.map(({ run }) => run.state));
	const message = `${groupDigits(missing)} of the ${rowsText(rows)} of ${named} have no ${column}, so ${param} leaves them out`;
	return [{ param, value, message, nearest: [] }];
}

/** Whether a filter on `column` leaves out the rows without a value. */
function isFiltered(column: ColumnName, filters: Filters): boolean {
	return LEAVING_OUT.some((filter) => filter.column === column && filters[filter.param] !== undefined);
}

/** For each sort column, likewise: the states whose rows come last. None where a filter on the column leaves them out. */
export function valuelessSortHints(
	sort: readonly ColumnName[],
	filters: Filters,
	source: HintSource,
): Hint[] {
	const hints: Hint[] = [];
	if (!mayMention(source, "state")) return hints;
	const { snapshot, geography } = source;
	for (const sorted of sort) {
		if (!NOT_EVERYWHERE.includes(sorted)) continue;
		if (isFiltered(sorted, filters) || filters.present?.includes(sorted)) continue;
		const states = snapshot.statesWithout(sorted, filters, geography);
		if (states.length === 0) continue;
		const named = statesText(states.map(({ state }) => state));
		const message = `no row of ${named} has a value in ${sorted}, so sort puts all rows there last, in either order`;
		hints.push({ param: "sort", value: sorted, message, nearest: [] });
	}
	return hints;
}
