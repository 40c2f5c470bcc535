/**
 * Hints for a query that rows match, on values of its filters that no row has: of several values of one filter those
 * that find nothing, which a page with the rows of others does not show, and those whose exclusion has no effect.
 */

import type { Filters, Snapshot } from "../../../engine/index.js";
import { FILTERS, type Filter, type FilterName, quoted } from "../../../formats/index.js";
import { type Hint, type HintSource, listOf, nameOf } from "./hint.js";
import { type BoundedSource, boundedSource } from "./hint-work.js";
import { findNear } from "./near-values.js";
import { hintsOfEach, nearHint, unmetHints } from "./no-row-hints.js";
import { counted, rowsOf } from "./wording.js";

/** Kinds of filters whose values rows have. */
const VALUE_KINDS: readonly Filter["kind"][] = ["exact", "prefix", "group", "fold"];

/** Maximum values counted, of all filters together: as many as one filter takes, 1 to 5 microseconds each. */
const LOOKED_FOR_MAX = 100;

/** The filters that take several values, any of which a row may have, or exclude some; `finder` finds rows by one of them; by name. */
const LOOKED_FOR: ReadonlyMap<string, LookedFor> = new Map(
	FILTERS.filter(({ kind, repeatable }) => kind === "not" || (repeatable && VALUE_KINDS.includes(kind))).map(
		(filter) => {
			const isFinder = ({ kind, column }: Filter) => kind === "exact" && column === filter.column;
			const finder = filter.kind === "not" ? (FILTERS.find(isFinder) ?? filter) : filter;
			return [filter.param, { filter, finder }];
		},
	),
);

interface LookedFor {
	readonly filter: Filter;
	readonly finder: Filter;
}

/**
 * `alsoIn`: another month, values of which get no hint either. Cost: a count for each of the first {@link LOOKED_FOR_MAX} values
 * of filters that have several or leave some out, and what {@link unmetHints} costs for those that no row has.
 */
export function unmatchedValueHints(filters: Filters, source: HintSource, alsoIn?: Snapshot): Hint[] {
	const hints: Hint[] = [];
	let bounded: BoundedSource | null = null;
	let left = LOOKED_FOR_MAX;
	let unlooked = 0;
	const params: string[] = [];
	for (const name in filters) {
		const looking = LOOKED_FOR.get(name);
		const given = filters[name as FilterName];
		if (looking === undefined || given === undefined) continue;
		const { filter } = looking;
		if (filter.kind !== "not" && !isOfSeveral(given)) continue;
		const values = listOf(given);
		bounded ??= boundedSource(filters, source);
		const looked = values.slice(0, left);
		left -= looked.length;
		if (looked.length > 0) hints.push(...hintsOf(looking, looked, bounded, alsoIn));
		if (looked.length === values.length) continue;
		unlooked += values.length - looked.length;
		params.push(nameOf(filter.param, source));
	}
	return unlooked === 0 ? hints : [...hints, unlookedHint(unlooked, params)];
}

function unlookedHint(unlooked: number, params: readonly string[]): Hint {
	const message =
		`whether rows have ${counted(unlooked, "more value")} of ${params.join(", ")} was not looked at: ` +
		`hints look for the first ${LOOKED_FOR_MAX} values of a request`;
	return { param: params[0], value: "", message, nearest: [] };
}

function isOfSeveral(given: string | readonly string[]): boolean {
	return typeof given !== "string" && given.length > 1;
}

function hintsOf(
	{ filter, finder }: LookedFor,
	values: readonly string[],
	source: BoundedSource,
	alsoIn: Snapshot | undefined,
): Hint[] {
	const finds = [finderIn(finder, source)];
	if (alsoIn !== undefined) finds.push(finderIn(finder, { ...source, snapshot: alsoIn }));
	const unmatched = values.filter((value) => !finds.some((isFound) => isFound(value)));
	if (unmatched.length === 0) return [];
	if (filter.kind !== "not") return unmetHints(filter, unmatched, source);
	const param = nameOf(filter.param, source);
	const where = rowsOf(source.place, source.geography);
	return hintsOfEach(param, unmatched, where, (value) => {
		const what = `no row in ${where} has ${finder.param} ${quoted(value)}, so ${param} leaves none out`;
		return nearHint(param, value, what, findNear(filter.kind, filter.column, value, source));
	});
}

/** Whether rows of a source have a value, as a filter compares values. */
function finderIn(
	{ param, kind, column, spellings }: Filter,
	{ snapshot, place, geography }: BoundedSource,
): (value: string) => boolean {
	if (kind !== "exact" || column === null || spellings !== null)
		return (value) => snapshot.count({ [param]: value, ...place }, geography) > 0;
	const rows = snapshot.valueRows(column, place, geography);
	return (value) => rows.ofValue(value) > 0;
}
