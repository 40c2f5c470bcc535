/**
 * The table of filters: which query parameter filters which column, and how. Engine predicates, parameter
 * schemas, scope checks, hints and the command line's query text all derive from it. A filter of a column that had none
 * of its kind needs indexes, which changes the bytes of a snapshot: ARCHITECTURE.md, What a change takes.
 *
 * Invariants: rows are in the order of the column table, which is the order of `meta.filters_applied`,
 * and filters of no single column come last; names and aliases are unique; the two bounds of a range are
 * adjacent, `from` first.
 */

import type { ColumnName } from "./columns.js";
import type { CountryCode } from "./jurisdictions.js";
import { postalSpellings } from "./postal-codes.js";

/**
 * How a filter compares a row's value with the given value.
 * `state`: one of a list of jurisdiction codes. `country`: a country code.
 * `exact`: the stored value, case-sensitive. `group`: a value of a group column. `prefix`: the folded value
 * starts with it. `fold`: the folded value equals it. `from`, `to`: ISO dates, inclusive. `not`: none of the
 * given values; the only one of these kinds that null matches. `present`, `missing`: rows with, without a value
 * in each of a list of columns. `name`: every given word matches a word of the name (docs/API.md §11.11).
 */
export type FilterKind =
	| "state"
	| "country"
	| "exact"
	| "group"
	| "prefix"
	| "fold"
	| "name"
	| "from"
	| "to"
	| "not"
	| "present"
	| "missing";

/** Maximum number of values of one filter. */
export const FILTER_VALUES_MAX = 100;

export interface Filter {
	readonly param: FilterName;
	/** Other names of the same parameter; a query may use only one of the names. */
	readonly aliases: readonly string[];
	/** The column it reads, which the key's column grant must include; null: its values are the columns. */
	readonly column: ColumnName | null;
	readonly kind: FilterKind;
	/**
	 * Of an exact filter: the texts that are the given value in other spellings, any of which a row's value may be
	 * in any letter case; empty where there is no other. Null: values have one spelling.
	 */
	readonly spellings: ((value: string) => readonly string[]) | null;
	/** Whether it may be repeated, up to {@link FILTER_VALUES_MAX} values: matches any, with `not` none of them. */
	readonly repeatable: boolean;
	/** Whether it extends the base contract (docs/API.md §11). */
	readonly extension: boolean;
}

interface Row {
	readonly param: string;
	readonly aliases?: readonly string[];
	readonly column: ColumnName | null;
	readonly kind: FilterKind;
	readonly spellings?: (value: string) => readonly string[];
	readonly repeatable?: true;
	readonly extension?: true;
}

const TABLE = [
	{ param: "country", column: "country", kind: "country" },
	{ param: "state", column: "state", kind: "state", repeatable: true },
	{ param: "name", column: "member_full_name", kind: "name", extension: true },
	{ param: "first_name", column: "member_first_name", kind: "prefix", extension: true },
	{ param: "last_name", column: "member_last_name", kind: "prefix", repeatable: true },
	{ param: "member_type", column: "member_type", kind: "exact", repeatable: true },
	{ param: "type_not", column: "member_type", kind: "not", repeatable: true, extension: true },
	{ param: "city", column: "member_city", kind: "exact", repeatable: true },
	{ param: "city_not", column: "member_city", kind: "not", repeatable: true, extension: true },
	{
		param: "postal_code",
		aliases: ["zip"],
		column: "member_postal_code",
		kind: "exact",
		spellings: postalSpellings,
		repeatable: true,
	},
	{ param: "postal_prefix", column: "member_postal_code", kind: "prefix", extension: true },
	{ param: "office_name", column: "office_name", kind: "prefix", repeatable: true },
	{ param: "office_name_is", column: "office_name", kind: "fold", extension: true },
	{ param: "license_number", column: "member_state_license_number", kind: "exact", repeatable: true },
	{ param: "license_status", column: "member_license_status", kind: "exact", repeatable: true },
	{ param: "status_not", column: "member_license_status", kind: "not", repeatable: true, extension: true },
	{ param: "issued_after", column: "member_license_issued", kind: "from" },
	{ param: "issued_before", column: "member_license_issued", kind: "to" },
	{ param: "expires_after", column: "member_license_expires", kind: "from" },
	{ param: "expires_before", column: "member_license_expires", kind: "to" },
	{ param: "first_issued_after", column: "member_license_first_issued", kind: "from" },
	{ param: "first_issued_before", column: "member_license_first_issued", kind: "to" },
	{ param: "status_group", column: "license_status_group", kind: "group", repeatable: true, extension: true },
	{ param: "type_group", column: "member_type_group", kind: "group", repeatable: true, extension: true },
	{ param: "present", column: null, kind: "present", repeatable: true, extension: true },
	{ param: "missing", column: null, kind: "missing", repeatable: true, extension: true },
] as const satisfies readonly Row[];

export type FilterName = (typeof TABLE)[number]["param"];

/** By filter, the alias by which it is given, where it is. */
export type GivenAliases = { readonly [N in FilterName]?: string };

type ValueOf<R extends Row> = R["kind"] extends "state"
	? readonly string[]
	: R["kind"] extends "country"
		? CountryCode
		: R["kind"] extends "present" | "missing"
			? readonly ColumnName[]
			: R extends { readonly repeatable: true }
				? string | readonly string[]
				: string;

/**
 * Filters as plain data, combined with AND. An absent member does not filter. An array matches rows with any
 * of its values.
 */
export type Filters = { readonly [R in (typeof TABLE)[number] as R["param"]]?: ValueOf<R> };

/** Every filter, in the order of the column table. */
export const FILTERS: readonly Filter[] = TABLE.map((row: Row) => ({
	param: row.param as FilterName,
	aliases: row.aliases ?? [],
	column: row.column,
	kind: row.kind,
	spellings: row.spellings ?? null,
	repeatable: row.repeatable === true,
	extension: row.extension === true,
}));

export const FILTER_NAMES: readonly FilterName[] = FILTERS.map(({ param }) => param);

/** Filters by name, aliases included. */
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
	return kind === "from" && column !== null && upper !== undefined
		? [{ column, from: param, to: upper.param }]
		: [];
});

/** The filters that read `column`. */
export function filtersOn(column: ColumnName): readonly Filter[] {
	return FILTERS.filter((filter) => filter.column === column);
}

/** The columns that filters of one of `kinds` read. */
export function columnsFilteredBy(...kinds: readonly FilterKind[]): ReadonlySet<ColumnName> {
	return new Set(
		FILTERS.flatMap(({ kind, column }) => (column !== null && kinds.includes(kind) ? [column] : [])),
	);
}

/** Names and aliases of the repeatable filters. */
export const REPEATABLE_FILTERS: ReadonlySet<string> = new Set(
	FILTERS.flatMap(({ param, aliases, repeatable }) => (repeatable ? [param, ...aliases] : [])),
);

/** For a filter that takes one value: `; x (prefix) takes several` of another on its column; "" where none does. */
export function severalAdvice(name: string): string {
	const filter = FILTERS_BY_NAME.get(name);
	if (filter === undefined || filter.column === null || filter.repeatable) return "";
	const other = filtersOn(filter.column).find(({ repeatable, kind }) => repeatable && kind !== "not");
	return other === undefined ? "" : `; ${other.param} (${other.kind}) takes several`;
}

const ALIASES = FILTERS.flatMap(({ param, aliases }) => aliases.map((alias) => ({ param, alias })));

/** A violated rule on several filters together. */
export interface FilterFault {
	readonly param: string;
	readonly message: string;
}

/**
 * The first rule on several filters together that `values` violate, or null. `values`: by the name or alias
 * that was given.
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
