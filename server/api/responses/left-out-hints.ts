/**
 * Hints for a question that rows match, about rows that its filters leave out and that whoever asks may expect: of other
 * letter cases of a city, and of states that do not publish what a filter reads (docs/API.md §7.8.6).
 *
 * Invariant: as in hints.ts, a hint depends only on rows of the key's geography and on columns that the request names.
 */

import type { Filters } from "../../../engine/index.js";
import { type ColumnName, FILTERS, type Filter, groupDigits, quoted } from "../../../formats/index.js";
import { type Hint, type HintSource, listOf, placeOf, rowsOf } from "./hints.js";

/** Maximum values of one filter that get a hint each, of other letter cases of one, and of states that are named. */
const HINTED_MAX = 5;

/** Columns that some licensing bodies publish and others do not. */
const NOT_EVERYWHERE: readonly (ColumnName | null)[] = [
	...(["member_license_status", "license_status_group", "member_type", "member_type_group"] as const),
	...(["member_license_issued", "member_license_expires", "member_license_first_issued"] as const),
];

/** Kinds of filters that no row without a value matches. */
const NEEDS_VALUE: readonly Filter["kind"][] = ["exact", "group", "from", "to"];

/** The filters that leave out all rows of a state that does not publish their column. */
const LEAVING_OUT = FILTERS.filter(
	({ kind, column }) => NOT_EVERYWHERE.includes(column) && NEEDS_VALUE.includes(kind),
);

/** Hints for the first page of a question that rows match; `undefined`: none. Cost: as of the functions it calls. */
export function leftOutHints(filters: Filters, source: HintSource): Hint[] | undefined {
	const hints = [...caseVariantHints(filters, source), ...valuelessStateHints(filters, source)];
	return hints.length === 0 ? undefined : hints;
}

/**
 * Where rows match a city: its names in another letter case, whose rows are left out. Cost of a city that has one name:
 * O(1) beside looking it up.
 */
export function caseVariantHints(filters: Filters, source: HintSource): Hint[] {
	if (filters.city === undefined) return [];
	const cities = listOf(filters.city);
	return cities.slice(0, HINTED_MAX).flatMap((city) => caseVariantsOf(city, cities, filters, source));
}

function caseVariantsOf(
	city: string,
	asked: readonly string[],
	filters: Filters,
	{ snapshot, geography }: HintSource,
): Hint[] {
	const others = snapshot.caseVariants("member_city", city).filter((each) => !asked.includes(each));
	const place = placeOf(filters);
	const nearest: string[] = [];
	let rows = 0;
	for (const other of others) {
		const found = snapshot.count({ city: other, ...place }, geography);
		if (found > 0 && nearest.length < HINTED_MAX) nearest.push(other);
		rows += found;
	}
	if (rows === 0) return [];
	const count = `${groupDigits(rows)} ${rows === 1 ? "row" : "rows"} in ${rowsOf(place, geography)}`;
	const names = nearest.map(quoted).join(", ");
	const message = `${count} ${rows === 1 ? "has" : "have"} city ${names}: matching is exact, so give each of these names too`;
	return [{ param: "city", value: city, message, nearest }];
}

/**
 * For each filter on statuses, types or dates: the states asked for in which no row has a value, so that the filter
 * leaves out all of their rows. Cost O(states without values).
 */
function valuelessStateHints(filters: Filters, { snapshot, geography, aliases }: HintSource): Hint[] {
	const hints: Hint[] = [];
	let told: ColumnName | null = null;
	for (const { param, column } of LEAVING_OUT) {
		const value = filters[param];
		// Both bounds of a date, one after the other, leave out the same rows.
		if (value === undefined || column === null || column === told) continue;
		told = column;
		const states = snapshot.statesWithout(column, filters, geography);
		if (states.length === 0) continue;
		const rows = states.reduce((sum, run) => sum + run.rows, 0);
		const named = states.slice(0, HINTED_MAX).map(({ state }) => state);
		const more = states.length > named.length ? ` and ${states.length - named.length} more states` : "";
		const name = aliases?.[param] ?? param;
		const message =
			`no row of ${named.join(", ")}${more} has a value in ${column}, so ${name} leaves out all ` +
			`${groupDigits(rows)} ${rows === 1 ? "row" : "rows"} there`;
		hints.push({ param: name, value: listOf(value).join(", "), message, nearest: [] });
	}
	return hints;
}
