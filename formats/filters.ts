/**
 * The one table of filters: which query parameter filters which column, and how. Engine predicates,
 * parameter schemas, scope checks, hints and the command line's query text all derive from it, so a
 * new filter is one row here.
 *
 * Invariants: rows are in the order of the column table, which is the order of `meta.filters_applied`;
 * a name, parameter or alias, occurs once; the two bounds of a range are adjacent, `from` first.
 */

import type { ColumnName } from "./columns.js";
import type { CountryCode } from "./jurisdictions.js";

/**
 * How a filter compares a row's value with the value given.
 * `state`: one of a list of jurisdiction codes. `country`: a country code.
 * `exact`: the stored value, case-sensitive. `prefix`: the folded value starts with it.
 * `group`: one of the groups of a column of groups.
 * `from`, `to`: ISO dates, inclusive; a row without a date matches neither.
 */
export type FilterKind = "state" | "country" | "exact" | "prefix" | "from" | "to" | "group";

export interface Filter {
	readonly param: FilterName;
	/** Other names of the same parameter; a query gives at most one of them. */
	readonly aliases: readonly string[];
	/** The column it reads, which a key's column grant must hold. */
	readonly column: ColumnName;
	readonly kind: FilterKind;
}

interface Row {
	readonly param: string;
	readonly aliases?: readonly string[];
	readonly column: ColumnName;
	readonly kind: FilterKind;
}

const TABLE = [
	{ param: "country", column: "country", kind: "country" },
	{ param: "state", column: "state", kind: "state" },
	{ param: "last_name", column: "member_last_name", kind: "prefix" },
	{ param: "member_type", column: "member_type", kind: "exact" },
	{ param: "city", column: "member_city", kind: "exact" },
	{ param: "postal_code", aliases: ["zip"], column: "member_postal_code", kind: "exact" },
	{ param: "office_name", column: "office_name", kind: "prefix" },
	{ param: "license_number", column: "member_state_license_number", kind: "exact" },
	{ param: "license_status", column: "member_license_status", kind: "exact" },
	{ param: "issued_after", column: "member_license_issued", kind: "from" },
	{ param: "issued_before", column: "member_license_issued", kind: "to" },
	{ param: "expires_after", column: "member_license_expires", kind: "from" },
	{ param: "expires_before", column: "member_license_expires", kind: "to" },
	{ param: "first_issued_after", column: "member_license_first_issued", kind: "from" },
	{ param: "first_issued_before", column: "member_license_first_issued", kind: "to" },
	{ param: "status_group", column: "license_status_group", kind: "group" },
	{ param: "type_group", column: "member_type_group", kind: "group" },
] as const satisfies readonly Row[];

export type FilterName = (typeof TABLE)[number]["param"];

type ValueOf<Kind extends FilterKind> = Kind extends "state"
	? readonly string[]
	: Kind extends "country"
		? CountryCode
		: string;

/** Filters as plain data, combined with AND. An absent member does not filter. */
export type Filters = { readonly [R in (typeof TABLE)[number] as R["param"]]?: ValueOf<R["kind"]> };

/** Every filter, in the order of the column table. */
export const FILTERS: readonly Filter[] = TABLE.map((row: Row) => ({
	param: row.param as FilterName,
	aliases: row.aliases ?? [],
	column: row.column,
	kind: row.kind,
}));

export const FILTER_NAMES: readonly FilterName[] = FILTERS.map(({ param }) => param);

/** Filters by every name they are given under, aliases included. */
export const FILTERS_BY_NAME: ReadonlyMap<string, Filter> = new Map(
	FILTERS.flatMap((filter) => [filter.param, ...filter.aliases].map((name) => [name, filter] as const)),
);

/** Two date bounds on one column. */
export interface DateRange {
	readonly column: ColumnName;
	readonly from: FilterName;
	readonly to: FilterName;
}

/** Every pair of date bounds. */
export const DATE_RANGES: readonly DateRange[] = FILTERS.flatMap(({ param, column, kind }) => {
	const upper = FILTERS.find((other) => other.column === column && other.kind === "to");
	return kind === "from" && upper !== undefined ? [{ column, from: param, to: upper.param }] : [];
});

/** The filters that read `column`; empty where none does. */
export function filtersOn(column: ColumnName): readonly Filter[] {
	return FILTERS.filter((filter) => filter.column === column);
}

/** The columns that a filter of one of `kinds` reads. */
export function columnsFilteredBy(...kinds: readonly FilterKind[]): ReadonlySet<ColumnName> {
	return new Set(FILTERS.filter(({ kind }) => kinds.includes(kind)).map(({ column }) => column));
}

const ALIASES = FILTERS.flatMap(({ param, aliases }) => aliases.map((alias) => ({ param, alias })));

/** A rule on several filters together that their values break. */
export interface FilterFault {
	readonly param: string;
	readonly message: string;
}

/**
 * The first rule on several filters together that `values` break, or null. `values` holds each value
 * under the name it was given under, alias or parameter.
 */
export function filterFault(values: Readonly<Record<string, unknown>>): FilterFault | null {
	for (const { param, alias } of ALIASES) {
		if (values[alias] === undefined || values[param] === undefined) continue;
		return { param: alias, message: `${alias} and ${param} are the same filter; give one of them` };
	}
	for (const { from, to } of DATE_RANGES) {
		const lower = values[from];
		const upper = values[to];
		if (typeof lower !== "string" || typeof upper !== "string" || lower <= upper) continue;
		return { param: from, message: `${from} ${lower} is later than ${to} ${upper}` };
	}
	return null;
}
