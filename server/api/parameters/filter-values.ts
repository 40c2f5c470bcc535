/** Filters as an endpoint takes them: read, held against the grant, and named in fingerprints. */

import type { Filters } from "../../../engine/index.js";
import {
	type ColumnName,
	FILTER_NAMES,
	FILTERS,
	FILTERS_BY_NAME,
	type FilterName,
	filterFault,
	type GivenAliases,
	type RawParameters,
} from "../../../formats/index.js";
import { invalidParameter } from "../errors.js";
import type { Fingerprint } from "../responses/entity-tag.js";
import type { Grant } from "../scope/grant.js";

/** Each filter's place in the table of filters, which is a bit of a set of them; an alias has its filter's. */
const FILTER_PLACES: ReadonlyMap<string, number> = new Map(
	[...FILTERS_BY_NAME].map(([name, filter]) => [name, FILTER_NAMES.indexOf(filter.param)]),
);

/** Throws ApiError for a rule on several filters together that `parameters` break. */
export function checkFilters(parameters: Readonly<Record<string, unknown>>): void {
	const fault = filterFault(parameters);
	if (fault !== null) throw invalidParameter(fault.param, fault.message);
}

/** The filters given and no others, in the order of the table of filters whatever the order given. */
export function filtersOf(parameters: Readonly<Record<string, unknown>>, { names }: RawParameters): Filters {
	const values: unknown[] = [];
	let given = 0;
	for (let i = 0; i < names.length; i++) {
		const place = FILTER_PLACES.get(names[i]);
		const value = parameters[names[i]];
		if (place === undefined || value === undefined) continue;
		values[place] = value;
		given |= 1 << place;
	}
	const filters: Record<string, unknown> = {};
	for (let left = given; left !== 0; left &= left - 1) {
		const place = 31 - Math.clz32(left & -left);
		filters[FILTER_NAMES[place]] = values[place];
	}
	return filters;
}

const NO_ALIASES: GivenAliases = {};
const ALIASES = FILTERS.flatMap(({ param, aliases }) => aliases.map((alias) => ({ param, alias })));

/** The aliases in `given`, by which an answer names these filters. */
export function aliasesIn(given: RawParameters): GivenAliases {
	let found = NO_ALIASES;
	for (const { param, alias } of ALIASES) if (given.has(alias)) found = { ...found, [param]: alias };
	return found;
}

/** Throws `scope_denied` for a filter on what the grant does not read, by the name it has in `given`. */
export function requireFilters(filters: Filters, grant: Grant, given: RawParameters): void {
	if (!grant.hasAllColumns) {
		const aliases = aliasesIn(given);
		for (const name in filters) {
			for (const column of columnsOf(name, filters)) {
				if (!grant.reads(column)) grant.requireColumn(column, aliases[name as FilterName] ?? name);
			}
		}
	}
	for (const state of filters.state ?? []) grant.requireState(state, "state");
	if (filters.country !== undefined) grant.requireCountry(filters.country, "country");
}

/** The columns that a filter reads. */
function columnsOf(name: string, filters: Filters): readonly ColumnName[] {
	const filter = FILTERS_BY_NAME.get(name);
	if (filter === undefined) return [];
	return filter.column === null ? (filters[filter.param] as readonly ColumnName[]) : [filter.column];
}

/** Each name's place in fingerprints: filters', then aliases'. */
const NAME_PLACES: ReadonlyMap<string, number> = new Map(
	[...FILTER_NAMES, ...ALIASES.map(({ alias }) => alias)].map((name, place) => [name, place]),
);

/** Adds the filters to a fingerprint, by the names by which answers call them. Cost O(length). */
export function addFilters(
	identity: Fingerprint,
	filters: Filters,
	aliases: GivenAliases = NO_ALIASES,
): void {
	for (const name in filters) {
		const value = (filters as Readonly<Record<string, string | readonly string[]>>)[name];
		identity.number(NAME_PLACES.get(aliases[name as FilterName] ?? name) as number);
		if (typeof value === "string") identity.text(value);
		else addTexts(identity, value);
	}
}

/** Adds a list of texts to a fingerprint. */
export function addTexts(identity: Fingerprint, texts: readonly string[]): void {
	identity.number(texts.length);
	for (let i = 0; i < texts.length; i++) identity.text(texts[i]);
}
