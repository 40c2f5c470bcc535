/**
 * Hints on states that do not publish the column that a filter or the order reads (docs/API.md §7.8.6): all of their rows are
 * left out, or come last, whether or not other rows match.
 */

import type { Filters } from "../../../engine/index.js";
import {
	type ColumnName,
	FILTERS,
	type Filter,
	type FilterName,
	groupDigits,
} from "../../../formats/index.js";
import { addHints, type Hint, type HintSource, listOf, mayMention, nameOf } from "./hint.js";
import { ofBothMonths } from "./unpublished-hints.js";
import { isPartOfName, NEEDS_VALUE, otherDateNote } from "./value-notes.js";
import { rowsText, statesText } from "./wording.js";

/** Columns that some licensing bodies publish and others do not. */
const NOT_EVERYWHERE: readonly (ColumnName | null)[] = [
	...(["member_license_status", "license_status_group", "member_type", "member_type_group"] as const),
	...(["member_license_issued", "member_license_expires", "member_license_first_issued"] as const),
	...(["member_last_name", "member_first_name", "office_name", "member_city", "member_postal_code"] as const),
];

/** The filters that leave out all rows of a state that does not publish their column, by name. */
const LEAVING_OUT: ReadonlyMap<string, Filter> = new Map(
	FILTERS.filter(({ kind, column }) => NOT_EVERYWHERE.includes(column) && NEEDS_VALUE.includes(kind)).map(
		(filter) => [filter.param, filter],
	),
);

/** Whether a filter gets hints of {@link valuelessStateHints}. */
export function leavesOutStates({ param }: Filter): boolean {
	return LEAVING_OUT.has(param);
}

/**
 * For each filter on what licensing bodies need not publish, and for each column of `present`: the states asked for in which
 * no row has a value, so that the filter leaves out all of their rows; and of each filter those in which most have none. Cost
 * O(states named), and of `Snapshot.sparseStates`.
 */
export function valuelessStateHints(filters: Filters, source: HintSource, older?: HintSource): Hint[] {
	const hints: Hint[] = [];
	let last: ColumnName | null = null;
	for (const given in filters) {
		const column = LEAVING_OUT.get(given)?.column ?? null;
		const value = filters[given as FilterName];
		// Two filters on one column, one after the other, leave out the same rows.
		if (value === undefined || column === null || column === last) continue;
		last = column;
		const [name, text] = [nameOf(given as FilterName, source), listOf(value).join(", ")];
		const hintsOf = (each: HintSource) =>
			valuelessStateHint(column, name, text, filters, each).concat(
				sparseStateHint(column, name, text, filters, each),
			);
		addHints(hints, ofBothMonths(column, filters, source, older, hintsOf));
	}
	for (const column of filters.present ?? []) {
		if (isFiltered(column, filters)) continue;
		const hintsOf = (each: HintSource) => valuelessStateHint(column, "present", column, filters, each);
		addHints(hints, ofBothMonths(column, filters, source, older, hintsOf));
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
	const codes = states.map(({ state }) => state);
	const named = statesText(codes);
	const other = param === "present" ? "" : otherDateNote(column, param, { state: codes }, source);
	const message =
		`no row of ${named} has a value in ${column}, so ${param} leaves out all ${rowsText(rows)} there` +
		(isPartOfName(column) && mayMention(source, "member_full_name") ? "; name searches full names" : other);
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
	for (const given in filters)
		if (LEAVING_OUT.get(given)?.column === column && filters[given as FilterName] !== undefined) return true;
	return false;
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
