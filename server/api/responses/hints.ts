/**
 * Hints (`meta.hints`, docs/API.md §7.8.6) for a response or page without rows: the filter that excluded all rows, and
 * existing values similar to the given one.
 *
 * Invariants: a hint depends only on rows of the key's geography and on columns that the request names, so it
 * reveals nothing that the key could not query; its wording suits both query strings and arguments of tools.
 */

import type { Filters, Geography, Page, Snapshot } from "../../../engine/index.js";
import {
	type CountryCode,
	depthFault,
	FILTERS,
	type Filter,
	type FilterName,
	findJurisdiction,
	type GivenAliases,
	groupDigits,
	quoted,
} from "../../../formats/index.js";
import type { StatsCache } from "../caches/stats-cache.js";
import { HintWork } from "./hint-work.js";
import { type Findings, findNear, type NearValues } from "./near-values.js";

export interface Hint {
	readonly param: string;
	/** The given value; "" for several. */
	readonly value: string;
	readonly message: string;
	readonly nearest: readonly string[];
}

/** Where similar values are searched. */
export interface HintSource {
	readonly snapshot: Snapshot;
	readonly geography: Geography | null;
	readonly stats: StatsCache;
	/** Names of filters that are given by another than their own. */
	readonly aliases?: GivenAliases;
	/** Shared by the hints of one answer; absent: one for each function that asks. */
	readonly work?: HintWork;
}

/** Maximum values of one filter that get a hint each; another hint tells of the rest. */
const HINTED_VALUES_MAX = 5;

/** Maximum states that a hint names. */
const NAMED_STATES_MAX = 5;

const COUNTRY_TEXTS: Readonly<Record<CountryCode, string>> = { US: "the United States", CA: "Canada" };

/** Filters by what tells people, offices and places apart: whoever looks for one may have the wrong state. */
const SOUGHT: ReadonlySet<FilterName> = new Set([
	...(["name", "first_name", "last_name", "license_number", "office_name", "office_name_is"] as const),
	...(["city", "postal_code", "postal_prefix"] as const),
]);

type FilterValue = string | readonly string[];

export function listOf(value: FilterValue): readonly string[] {
	return typeof value === "string" ? [value] : value;
}

/** Hints for a page without rows: what no row matches, or which page is the last. Cost: as {@link hintsFor}. */
export function emptyPageHints({ query, total }: Page, source: HintSource): Hint[] {
	const { filters, page, limit } = query;
	const matched = total ?? (page === 1 ? 0 : source.snapshot.count(filters, source.geography));
	return matched === 0 ? hintsFor(filters, source) : [lastPageHint(page, limit, matched, "row")];
}

/** For a page after the last one of `total` rows or other entries, named by `noun`. */
export function lastPageHint(page: number, limit: number, total: number, noun: string): Hint {
	const last = String(Math.ceil(total / limit));
	const message = `${matching(total, noun)}, so the last page of ${groupDigits(limit)} is page ${last}`;
	return { param: "page", value: String(page), message, nearest: [last] };
}

/**
 * Where entries follow the page of this number and limit that neither pages nor a cursor reach: what to do. `reach`:
 * number of entries that can be paged to; `noun` names them, in the plural.
 */
export function unreachableHints(
	page: number,
	limit: number,
	reach: number,
	noun: string,
): Hint[] | undefined {
	if (depthFault(page + 1, limit) === null) return undefined;
	const message =
		`${noun} after the first ${groupDigits(reach)} are not reached by pages: narrow the filters, or ask the ` +
		"operator for the bulk entitlement, whose keys go on by cursor";
	return [{ param: "page", value: String(page + 1), message, nearest: [] }];
}

/** How many rows or other entries match, named by `noun`. */
export function matching(total: number, noun: string): string {
	return total === 1 ? `1 ${noun} matches` : `${groupDigits(total)} ${noun}s match`;
}

/**
 * Why no row matches `filters`. REQUIRES: none does. Cost: counting each filter alone and, if each alone has
 * rows, all filters except each, as far as {@link HintWork} reaches.
 */
export function hintsFor(filters: Filters, source: HintSource): Hint[] {
	const { snapshot, geography } = source;
	const work = source.work ?? new HintWork(snapshot);
	const place = placeOf(filters);
	const values = filters as Readonly<Record<string, FilterValue>>;
	const given = FILTERS.filter(({ param }) => values[param] !== undefined);
	const others = given.filter(({ kind }) => kind !== "state" && kind !== "country");
	if (others.length === 0 || snapshot.count(place, geography) === 0) return placeHints(place, snapshot.month);
	const unmet = others.filter(
		({ param }) =>
			others.length === 1 ||
			(!work.isSpent && snapshot.count({ [param]: values[param], ...place }, geography) === 0),
	);
	if (unmet.length === 0) return combinedHints(given, values, work, source);
	return unmet.flatMap((filter) => unmetHints(filter, values[filter.param], place, { ...source, work }));
}

/** Only the filters on state and country. */
export function placeOf({ state, country }: Filters): Filters {
	return { ...(state === undefined ? {} : { state }), ...(country === undefined ? {} : { country }) };
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

/** Those of states that are of the country asked for, since no row of another matches; all of them where none is. */
function statesOf(states: readonly string[], country: string | undefined): readonly string[] {
	const own = states.filter((state) => country === undefined || findJurisdiction(state)?.country === country);
	return own.length === 0 ? states : own;
}

/** What hints call the rows of `place`: of a narrowed key, rows that it does not read may match. */
export function rowsOf({ state, country }: Filters, geography: Geography | null): string {
	if (state !== undefined) return statesOf(state, country).join(", ");
	// Its code, CA, would be read as that of California.
	const rows = country === undefined ? "this snapshot" : COUNTRY_TEXTS[country];
	return geography === null ? rows : `${rows} that this key reads`;
}

export function rowsText(rows: number): string {
	return `${groupDigits(rows)} ${rows === 1 ? "row" : "rows"}`;
}

/** States in the text of a hint: the first of them, and how many more there are. */
export function statesText(states: readonly string[]): string {
	const named = states.slice(0, NAMED_STATES_MAX);
	const more = states.length - named.length;
	return `${named.join(", ")}${more === 0 ? "" : ` and ${groupDigits(more)} more ${more === 1 ? "state" : "states"}`}`;
}

/** For values of a filter that no row in the states of the query matches: similar existing values. */
export function unmetHints(
	filter: Filter,
	given: FilterValue,
	place: Filters,
	{ snapshot, geography, stats, aliases, work = new HintWork(snapshot) }: HintSource,
): Hint[] {
	const { kind, column } = filter;
	const param = aliases?.[filter.param] ?? filter.param;
	const where = rowsOf(place, geography);
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
	const findings: Findings = { snapshot, place, geography, stats, work };
	return hintsOfEach(param, values, where, (value) => {
		if (work.isSpent)
			return { param, value, message: `no row in ${where} has ${param} ${quoted(value)}`, nearest: [] };
		const listed = listedValues(filter, value, findings);
		const { nearest, note } = listed ?? findNear(kind, column, value, findings);
		const what = `no row in ${where} has ${param} ${quoted(value)}${elsewhereText(filter.param, value, findings)}`;
		return { param, value, message: note === "" ? what : `${what}; ${note}`, nearest };
	});
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
	{ snapshot, place, geography }: Findings,
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
function elsewhereText(param: FilterName, value: string, { snapshot, place, geography }: Findings): string {
	if (place.state === undefined || !SOUGHT.has(param)) return "";
	const rows = snapshot.count({ [param]: value }, geography);
	if (rows === 0) return "";
	return `, but ${groupDigits(rows)} ${rows === 1 ? "row of another state does" : "rows of other states do"}`;
}

/** For filters that match rows individually but not together: the number of rows without each. */
function combinedHints(
	given: readonly Filter[],
	values: Readonly<Record<string, FilterValue>>,
	work: HintWork,
	{ snapshot, geography, aliases }: HintSource,
): Hint[] {
	const hints: Hint[] = [];
	const names = given.map(({ param }) => aliases?.[param] ?? param);
	for (const [i, { param: filter }] of given.entries()) {
		if (work.isSpent) break;
		const { [filter]: value, ...rest } = values;
		const param = names[i];
		const rows = snapshot.count(rest as Filters, geography);
		if (rows === 0) continue;
		const message = `without ${param}, ${groupDigits(rows)} ${rows === 1 ? "row matches" : "rows match"}`;
		hints.push({ param, value: typeof value === "string" ? value : value.join(", "), message, nearest: [] });
	}
	if (hints.length > 0) return hints;
	const most = work.isSpent ? "" : ", nor all but one";
	const each = work.isSpent ? "" : `each of ${names.join(", ")} has rows, but `;
	const message = `${each}no row meets all of ${work.isSpent ? names.join(", ") : "them"}${most}; leave out several`;
	return [{ param: names[0], value: "", message, nearest: [] }];
}
