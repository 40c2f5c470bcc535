/**
 * Hints for a query that no row matches: the filter that excluded all rows, and existing values similar to the given one
 * (docs/API.md §7.8.6).
 */

import { DEFAULT_QUERY, type Filters, type Page } from "../../../engine/index.js";
import {
	FILTERS,
	type Filter,
	type FilterName,
	findJurisdiction,
	groupDigits,
	quoted,
} from "../../../formats/index.js";
import {
	addHints,
	type FilterValue,
	type Hint,
	type HintSource,
	listOf,
	mayMention,
	nameOf,
} from "./hint.js";
import { type BoundedSource, boundedSource } from "./hint-work.js";
import { findNear, type NearValues } from "./near-values.js";
import { longPostalCodeHints } from "./postal-code-hints.js";
import { spellingHints } from "./spelling-hints.js";
import { NEEDS_VALUE, noneOfRowsHas, publishedColumn } from "./value-notes.js";
import { leavesOutStates, valuelessStateHints } from "./valueless-state-hints.js";
import { wordingHints } from "./vocabulary-hints.js";
import { matching, rowsOf, rowsText } from "./wording.js";

/** Maximum values of one filter that get a hint each; another hint names the rest. */
const HINTED_VALUES_MAX = 5;

/** For a first and a last name that rows have, but none both: Bob Smith may be listed as Robert. */
const NAME_NOTE = "; name takes both names, and forgives nicknames and spelling";

/** Filters that identify people, offices and places: whoever looks for one may have the wrong state. */
const IDENTIFYING: ReadonlySet<FilterName> = new Set([
	...(["name", "first_name", "last_name", "license_number", "office_name", "office_name_is"] as const),
	...(["city", "postal_code", "postal_prefix"] as const),
]);

/**
 * Why no row matches `filters`. REQUIRES: none does. Cost: counting each filter alone and, if each alone has
 * rows, all filters except each, then again with a value in its column, as far as {@link BoundedSource.work} reaches.
 */
export function hintsFor(filters: Filters, source: HintSource): Hint[] {
	const bounded = boundedSource(filters, source);
	const { snapshot, geography, place, work } = bounded;
	const values = filters as Readonly<Record<string, FilterValue>>;
	const given = FILTERS.filter(({ param }) => values[param] !== undefined);
	const others = given.filter(({ kind }) => kind !== "state" && kind !== "country");
	if (others.length === 0 || snapshot.count(place, geography) === 0) return placeHints(place, snapshot.month);
	const unmet = others.filter(
		({ param }) =>
			others.length === 1 ||
			(!work.isSpent && snapshot.count({ [param]: values[param], ...place }, geography) === 0),
	);
	if (unmet.length === 0) return combinedHints(given, values, bounded);
	const ofEach = unmet.flatMap((filter) => unmetHints(filter, values[filter.param], bounded));
	return [...ofEach, ...someValuelessHints(unmet, values, bounded)];
}

/**
 * Of filters that no row meets: the states asked for that do not publish their columns, whose rows may be the ones meant. None
 * of a column that no state publishes, of which the filter's own hint says so.
 */
function someValuelessHints(
	unmet: readonly Filter[],
	values: Readonly<Record<string, FilterValue>>,
	source: BoundedSource,
): Hint[] {
	const { snapshot, geography, place, work } = source;
	if (!mayMention(source, "state")) return [];
	const asked: Record<string, FilterValue> = { ...place };
	for (const { param, column } of unmet.filter(leavesOutStates)) {
		if (column === null || work.isSpent) continue;
		const published = publishedColumn(column);
		if (snapshot.count({ present: [published], ...place }, geography) > 0) asked[param] = values[param];
	}
	return valuelessStateHints(asked as Filters, source);
}

function placeHints({ state, country }: Filters, month: string): Hint[] {
	if (state === undefined && country === undefined) {
		const message = `no row of ${month} is in this key's geography`;
		return [{ param: "state", value: "", message, nearest: [] }];
	}
	const param = state === undefined ? "country" : "state";
	const value = state?.join(",") ?? country ?? "";
	const both = state !== undefined && country !== undefined;
	const message = both
		? `no row is of state ${value} and country ${country}${foreignState(state, country)}`
		: `no row that this key reads is of ${param} ${value}`;
	return [{ param, value, message, nearest: [] }];
}

/** Where states are of another country than the one asked for, such as California, that of the first; else "". */
function foreignState(states: readonly string[], country: string): string {
	const foreign = states.map(findJurisdiction).find((each) => each !== undefined && each.country !== country);
	return foreign === undefined ? "" : `: ${foreign.state} is ${foreign.name}, of ${foreign.country}`;
}

/** For values of a filter that no row in the states of the query matches: similar existing values. */
export function unmetHints(filter: Filter, given: FilterValue, source: BoundedSource): Hint[] {
	const { kind, column } = filter;
	const param = nameOf(filter.param, source);
	const where = rowsOf(source.place, source.geography);
	const values = listOf(given);
	if (kind === "not") {
		const message = `every row in ${where} has one of the values that ${param} leaves out`;
		return [{ param, value: values.join(", "), message, nearest: [] }];
	}
	if (kind === "present" || kind === "missing") {
		const message =
			kind === "present"
				? `no row in ${where} has a value in${values.length === 1 ? "" : " all of"}`
				: `every row in ${where} has a value in${values.length === 1 ? "" : " one of"}`;
		return [{ param, value: values.join(","), message: `${message} ${values.join(", ")}`, nearest: [] }];
	}
	return hintsOfEach(param, values, where, (value) => {
		const none = `no row in ${where} has ${param} ${quoted(value)}`;
		if (source.work.isSpent) return { param, value, message: none, nearest: [] };
		const found = listedValues(filter, value, source) ?? findNear(kind, column, value, source);
		return nearHint(param, value, `${none}${elsewhereText(filter.param, value, source)}`, found);
	});
}

/** That `what` is so of a value, and which existing ones are similar. */
export function nearHint(param: string, value: string, what: string, { nearest, note }: NearValues): Hint {
	return { param, value, message: note === "" ? what : `${what}; ${note}`, nearest };
}

/** For values that no row of `where` has: of the first a hint each by `hintOf`, and one on all after these. */
export function hintsOfEach(
	param: string,
	values: readonly string[],
	where: string,
	hintOf: (value: string) => Hint,
): Hint[] {
	const hints = values.slice(0, HINTED_VALUES_MAX).map(hintOf);
	const rest = values.slice(HINTED_VALUES_MAX);
	if (rest.length === 0) return hints;
	const count = groupDigits(rest.length);
	const message = `no row in ${where} has ${count} more of the values of ${param}: ${rest.map(quoted).join(", ")}`;
	return [...hints, { param, value: "", message, nearest: [] }];
}

/** For values between commas, each of which some row has: those values. Null for any other text. */
function listedValues(
	{ param, kind, repeatable }: Filter,
	value: string,
	{ snapshot, place, geography }: BoundedSource,
): NearValues | null {
	if (kind !== "exact" || !repeatable || !value.includes(",")) return null;
	const nearest = value
		.split(",", HINTED_VALUES_MAX)
		.map((part) => part.trim())
		.filter((part) => part !== "");
	const isList = nearest.every((part) => snapshot.count({ [param]: part, ...place }, geography) > 0);
	return isList && nearest.length > 1
		? { nearest, note: "values are given one by one, not between commas" }
		: null;
}

/** How many rows of other states have the value; empty where no state was asked for, or none has it. */
function elsewhereText(
	param: FilterName,
	value: string,
	{ snapshot, place, geography }: BoundedSource,
): string {
	if (place.state === undefined || !IDENTIFYING.has(param)) return "";
	const rows = snapshot.count({ [param]: value }, geography);
	if (rows === 0) return "";
	return `, but ${rowsText(rows)} of ${rows === 1 ? "another state does" : "other states do"}`;
}

/** Where none of the rows that match without a filter has a value in its column, so that no value of it would match: that. */
function valuelessText(
	{ kind, column }: Filter,
	{ query: { filters }, rows, total }: Page,
	{ snapshot, geography, work }: BoundedSource,
): string {
	if (column === null || !NEEDS_VALUE.includes(kind) || work.isSpent) return "";
	const published = publishedColumn(column);
	// Most often the first row has one, and the others need not be counted.
	if (snapshot.value(rows[0], published) !== null) return "";
	const present = [...(filters.present ?? []), published];
	return snapshot.count({ ...filters, present }, geography) === 0 ? noneOfRowsHas(published, total ?? 0) : "";
}

/**
 * For filters that match rows individually but not together: the number of rows without each, and the rows that have their
 * values in other spellings.
 */
function combinedHints(
	given: readonly Filter[],
	values: Readonly<Record<string, FilterValue>>,
	source: BoundedSource,
): Hint[] {
	const { snapshot, geography, work } = source;
	const hints: Hint[] = [];
	const names = given.map(({ param }) => nameOf(param, source));
	for (const [i, { param: filter }] of given.entries()) {
		if (work.isSpent) break;
		const { [filter]: value, ...rest } = values;
		const param = names[i];
		const found = snapshot.query({ ...DEFAULT_QUERY, filters: rest as Filters, geography, limit: 1 });
		const total = found.total ?? 0;
		if (total === 0) continue;
		const message = `without ${param}, ${matching(total, "row")}${valuelessText(given[i], found, source)}`;
		const isOfBoth = filter === "first_name" && values.last_name !== undefined;
		const note = isOfBoth && mayMention(source, "member_full_name") ? NAME_NOTE : "";
		hints.push({ param, value: listOf(value).join(", "), message: `${message}${note}`, nearest: [] });
	}
	const spelled = work.isSpent ? [] : otherSpellings(values as Filters, source);
	if (hints.length > 0) return [...hints, ...spelled];
	const most = work.isSpent ? "" : ", nor all but one";
	const each = work.isSpent ? "" : `each of ${names.join(", ")} has rows, but `;
	const message = `${each}no row meets all of ${work.isSpent ? names.join(", ") : "them"}${most}; leave out several`;
	return [{ param: names[0], value: "", message, nearest: [] }, ...spelled];
}

/** Rows that have the values of filters in other spellings, of which one may be the row that is meant. */
function otherSpellings(filters: Filters, source: HintSource): Hint[] {
	const hints: Hint[] = [];
	addHints(hints, spellingHints(filters, source));
	addHints(hints, longPostalCodeHints(filters, source));
	addHints(hints, wordingHints(filters, source));
	return hints;
}
