/**
 * Hints for a question that rows match, about values of its filters that no row has: of several values of one filter those
 * that find nothing, which a page with the rows of others does not show, and those that a filter leaves out in vain.
 *
 * Invariant: as in hints.ts, a hint depends only on rows of the key's geography and on columns that the request names.
 */

import type { Filters, Geography, Snapshot } from "../../../engine/index.js";
import { FILTERS, type Filter, filtersOn, groupDigits, quoted } from "../../../formats/index.js";
import { HintWork } from "./hint-work.js";
import { type Hint, type HintSource, hintsOfEach, listOf, placeOf, rowsOf, unmetHints } from "./hints.js";
import { findNear } from "./near-values.js";

/** Kinds of filters whose values rows have. */
const VALUE_KINDS: readonly Filter["kind"][] = ["exact", "prefix", "group", "fold"];

/** Values that are looked for, of all filters together; the most that one filter takes. A value takes 1 to 5 microseconds. */
const LOOKED_FOR_MAX = 100;

/** The filters that take several values, any of which a row may have, or leave some out. */
const LOOKED_FOR = FILTERS.filter(
	({ kind, repeatable }) => kind === "not" || (repeatable && VALUE_KINDS.includes(kind)),
);

/**
 * `alsoIn`: another month, whose values are not told either. Cost: a count for each of the first {@link LOOKED_FOR_MAX} values
 * of filters that have several or leave some out, and what {@link unmetHints} costs for those that no row has.
 */
export function unmatchedValueHints(filters: Filters, source: HintSource, alsoIn?: Snapshot): Hint[] {
	const hints: Hint[] = [];
	let sharing: HintSource | null = null;
	let left = LOOKED_FOR_MAX;
	let unlooked = 0;
	const params: string[] = [];
	for (const filter of LOOKED_FOR) {
		const given = filters[filter.param];
		if (given === undefined || (filter.kind !== "not" && !isOfSeveral(given))) continue;
		const values = listOf(given);
		sharing ??= { ...source, work: source.work ?? new HintWork(source.snapshot) };
		const looked = values.slice(0, left);
		left -= looked.length;
		if (looked.length > 0) hints.push(...hintsOf(filter, looked, placeOf(filters), sharing, alsoIn));
		if (looked.length === values.length) continue;
		unlooked += values.length - looked.length;
		params.push(source.aliases?.[filter.param] ?? filter.param);
	}
	return unlooked === 0 ? hints : [...hints, unlookedHint(unlooked, params)];
}

function unlookedHint(unlooked: number, params: readonly string[]): Hint {
	const values = unlooked === 1 ? "value" : "values";
	const message =
		`whether rows have ${groupDigits(unlooked)} more ${values} of ${params.join(", ")} was not looked at: ` +
		`hints look for the first ${LOOKED_FOR_MAX} values of a request`;
	return { param: params[0], value: "", message, nearest: [] };
}

function isOfSeveral(given: string | readonly string[]): boolean {
	return typeof given !== "string" && given.length > 1;
}

function hintsOf(
	filter: Filter,
	values: readonly string[],
	place: Filters,
	source: HintSource,
	alsoIn: Snapshot | undefined,
): Hint[] {
	const { snapshot, geography } = source;
	// A filter that leaves values out has rows wherever one of the same column does that looks for them.
	const [finder] = filter.kind === "not" ? filtersOfValue(filter) : [filter];
	const months = alsoIn === undefined ? [snapshot] : [snapshot, alsoIn];
	const finds = months.map((month) => finderIn(month, finder, place, geography));
	const unmatched = values.filter((value) => !finds.some((isFound) => isFound(value)));
	if (unmatched.length === 0) return [];
	if (filter.kind !== "not") return unmetHints(filter, unmatched, place, source);
	const param = source.aliases?.[filter.param] ?? filter.param;
	return hintsOfEach(param, unmatched, rowsOf(place, geography), (value) =>
		vainHint(filter, finder, value, place, source),
	);
}

/** Whether rows of `place` have a value, as a filter compares values. */
function finderIn(
	snapshot: Snapshot,
	{ param, kind, column, spellings }: Filter,
	place: Filters,
	geography: Geography | null,
): (value: string) => boolean {
	if (kind !== "exact" || column === null || spellings !== null)
		return (value) => snapshot.count({ [param]: value, ...place }, geography) > 0;
	const counted = snapshot.valueRows(column, place, geography);
	return (value) => counted.ofValue(value) > 0;
}

/** The filters that look for a value of the column of `filter` as it is stored. */
function filtersOfValue({ column }: Filter): readonly Filter[] {
	return column === null ? [] : filtersOn(column).filter(({ kind }) => kind === "exact");
}

/** For a value that a filter leaves out and no row has. */
function vainHint(
	filter: Filter,
	{ kind, column, param: finderParam }: Filter,
	value: string,
	place: Filters,
	{ snapshot, geography, stats, aliases, work = new HintWork(snapshot) }: HintSource,
): Hint {
	const param = aliases?.[filter.param] ?? filter.param;
	const { nearest, note } = findNear(kind, column, value, { snapshot, place, geography, stats, work });
	const what = `no row in ${rowsOf(place, geography)} has ${finderParam} ${quoted(value)}, so ${param} leaves none out`;
	return { param, value, message: note === "" ? what : `${what}; ${note}`, nearest };
}
