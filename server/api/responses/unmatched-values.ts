/**
 * Hints for a question that rows match, about values of its filters that no row has: of several values of one filter those
 * that find nothing, which a page with the rows of others does not show, and those that a filter leaves out in vain.
 *
 * Invariant: as in hints.ts, a hint depends only on rows of the key's geography and on columns that the request names.
 */

import type { Filters } from "../../../engine/index.js";
import { FILTERS, type Filter, filtersOn, groupDigits, quoted } from "../../../formats/index.js";
import {
	HINTED_VALUES_MAX,
	type Hint,
	type HintSource,
	listOf,
	placeOf,
	rowsOf,
	unmetHints,
} from "./hints.js";
import { findNear } from "./near-values.js";

/** Kinds of filters whose values rows have. */
const VALUE_KINDS: readonly Filter["kind"][] = ["exact", "prefix", "group", "fold"];

/** Values that are looked for, of all filters together; each takes a count, and a list may have a hundred. */
const LOOKED_FOR_MAX = 20;

/** The filters that take several values, any of which a row may have, or leave some out. */
const LOOKED_FOR = FILTERS.filter(
	({ kind, repeatable }) => kind === "not" || (repeatable && VALUE_KINDS.includes(kind)),
);

/**
 * Cost: a count for each of the first {@link LOOKED_FOR_MAX} values of filters that have several or leave some out, and what
 * {@link unmetHints} costs for those that no row has.
 */
export function unmatchedValueHints(filters: Filters, source: HintSource): Hint[] {
	const hints: Hint[] = [];
	let left = LOOKED_FOR_MAX;
	for (const filter of LOOKED_FOR) {
		const given = filters[filter.param];
		if (given === undefined || (filter.kind !== "not" && !isOfSeveral(given))) continue;
		const values = listOf(given).slice(0, left);
		left -= values.length;
		if (values.length > 0) hints.push(...hintsOf(filter, values, placeOf(filters), source));
	}
	return hints;
}

function isOfSeveral(given: string | readonly string[]): boolean {
	return typeof given !== "string" && given.length > 1;
}

function hintsOf(filter: Filter, values: readonly string[], place: Filters, source: HintSource): Hint[] {
	const { snapshot, geography } = source;
	// A filter that leaves values out has rows wherever one of the same column does that looks for them.
	const [finder] = filter.kind === "not" ? filtersOfValue(filter) : [filter];
	const unmatched = values.filter(
		(value) => snapshot.count({ [finder.param]: value, ...place }, geography) === 0,
	);
	const hints =
		filter.kind === "not"
			? unmatched.slice(0, HINTED_VALUES_MAX).map((value) => vainHint(filter, finder, value, place, source))
			: unmetHints(filter, unmatched, place, source);
	const more = unmatched.length - hints.length;
	if (more === 0) return hints;
	const { param } = hints[0];
	const rest = unmatched.slice(hints.length).map(quoted).join(", ");
	const message = `no row in ${rowsOf(place, geography)} has ${groupDigits(more)} more of the values of ${param}: ${rest}`;
	return [...hints, { param, value: "", message, nearest: [] }];
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
	{ snapshot, geography, stats, aliases }: HintSource,
): Hint {
	const param = aliases?.[filter.param] ?? filter.param;
	const { nearest, note } = findNear(kind, column, value, { snapshot, place, geography, stats });
	const what = `no row in ${rowsOf(place, geography)} has ${finderParam} ${quoted(value)}, so ${param} leaves none out`;
	return { param, value, message: note === "" ? what : `${what}; ${note}`, nearest };
}
