/**
 * Hints for a question that rows match, about rows that its filters leave out and that whoever asks may expect: of other
 * spellings of a city, of ZIP+4 codes, and of states that word a filter's value otherwise or do not publish what it reads
 * (docs/API.md §7.8.6). Values that no row has are told as well (unmatched-values.ts).
 *
 * Invariant: as in hints.ts, a hint depends only on rows of the key's geography and on columns that the request names.
 */

import type { Filters } from "../../../engine/index.js";
import { type ColumnName, FILTERS, type Filter, groupDigits, quoted } from "../../../formats/index.js";
import { type Hint, type HintSource, listOf, placeOf, rowsOf, statesText } from "./hints.js";
import { keptHints } from "./kept-hints.js";
import { otherFirstWord } from "./near-values.js";
import { wordingHints } from "./state-wordings.js";
import { unmatchedValueHints } from "./unmatched-values.js";

/** Maximum values of one filter that get a hint each, and of other spellings of one. */
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
	const hints = [
		...unmatchedValueHints(filters, source),
		...spellingHints(filters, source),
		...longPostalCodeHints(filters, source),
		...wordingHints(filters, source),
		...valuelessStateHints(filters, source),
	];
	return hints.length === 0 ? undefined : hints;
}

/**
 * Where rows match a city: other spellings of its name, whose rows are left out: in another letter case, with accents or
 * without, with `St.` or the like written otherwise. Cost: of each city as of {@link Snapshot.otherSpellings}.
 */
export function spellingHints(filters: Filters, source: HintSource): readonly Hint[] {
	if (filters.city === undefined) return [];
	const cities = listOf(filters.city);
	return keptHints(source, "city", cities, filters, () =>
		cities.slice(0, HINTED_MAX).flatMap((city) => spellingsOf(city, cities, filters, source)),
	);
}

function spellingsOf(
	city: string,
	asked: readonly string[],
	filters: Filters,
	{ snapshot, geography }: HintSource,
): Hint[] {
	const place = placeOf(filters);
	const other = otherFirstWord(city);
	const spellings = new Set([
		...snapshot.otherSpellings("member_city", city),
		...(other === null ? [] : snapshot.otherSpellings("member_city", other)),
	]);
	for (const each of asked) spellings.delete(each);
	if (spellings.size === 0) return [];
	const counted = snapshot.valueRows("member_city", place, geography);
	// A city that no row has is told with what is near it.
	if (asked.length > 1 && counted.ofValue(city) === 0) return [];
	const nearest: string[] = [];
	let rows = 0;
	let more = 0;
	for (const spelling of spellings) {
		const found = counted.ofValue(spelling);
		if (found === 0) continue;
		if (nearest.length < HINTED_MAX) nearest.push(spelling);
		else more++;
		rows += found;
	}
	if (rows === 0) return [];
	const others = more === 0 ? "" : ` and ${groupDigits(more)} more ${more === 1 ? "spelling" : "spellings"}`;
	const names = `${nearest.map(quoted).join(", ")}${others}`;
	const message =
		`${rowsText(rows)} in ${rowsOf(place, geography)} ${rows === 1 ? "has" : "have"} city ${names}: ` +
		"matching is exact, so give each of these names too";
	return [{ param: "city", value: city, message, nearest }];
}

function rowsText(rows: number): string {
	return `${groupDigits(rows)} ${rows === 1 ? "row" : "rows"}`;
}

/** A ZIP code of five digits; those that it begins are of four digits more. */
const SHORT_ZIP = /^\d{5}$/;

/** Where rows match a ZIP code: those of its ZIP+4 codes, which are left out. Cost: a count for each of these. */
function longPostalCodeHints(filters: Filters, { snapshot, geography, aliases }: HintSource): Hint[] {
	if (filters.postal_code === undefined || filters.postal_prefix !== undefined) return [];
	const codes = listOf(filters.postal_code).filter((code) => SHORT_ZIP.test(code));
	if (codes.length === 0) return [];
	const place = placeOf(filters);
	const param = aliases?.postal_code ?? "postal_code";
	const counted = snapshot.valueRows("member_postal_code", place, geography);
	return codes.slice(0, HINTED_MAX).flatMap((code) => {
		const short = counted.ofValue(code);
		const rows = short === 0 ? 0 : counted.withPrefix(code) - short;
		if (rows === 0) return [];
		const message = `${rowsText(rows)} more in ${rowsOf(place, geography)} ${rows === 1 ? "has a code" : "have codes"} that begin${rows === 1 ? "s" : ""} with ${code}: postal_prefix ${code} has them all`;
		return [{ param, value: code, message, nearest: [] }];
	});
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
		const name = aliases?.[param] ?? param;
		const named = statesText(states.map(({ state }) => state));
		const message = `no row of ${named} has a value in ${column}, so ${name} leaves out all ${rowsText(rows)} there`;
		hints.push({ param: name, value: listOf(value).join(", "), message, nearest: [] });
	}
	return hints;
}
