/** Filters, grants and orders as SQL that all peers understand. */

import type { Filters, Geography, Query } from "../../engine/index.js";
import {
	type ColumnName,
	DATE_RANGES,
	FILTERS,
	type Filter,
	fold,
	JURISDICTIONS,
} from "../../formats/index.js";
import { DATE_COLUMNS, keyOf, NULL_KEY } from "./peer-table.js";

/** How a peer keeps dates: as text with keys, where null sorts last, or as dates. */
export type Dates = "text" | "date";

/** What is sorted and compared by for a column. */
function sortKey(column: ColumnName, dates: Dates): string {
	return isDate(column, dates) ? column : keyOf(column);
}

function isDate(column: ColumnName, dates: Dates): boolean {
	return dates === "date" && DATE_COLUMNS.includes(column);
}

export class Conditions {
	readonly terms: string[] = [];
	readonly values: (string | number)[] = [];

	add(term: string, ...values: (string | number)[]): void {
		this.terms.push(term);
		this.values.push(...values);
	}

	get where(): string {
		return this.terms.length === 0 ? "" : ` WHERE ${this.terms.join(" AND ")}`;
	}
}

/** A grant as it is given, which is shorter than {@link addGrant} where no index is read. */
export function addGrantOf(conditions: Conditions, { countries, states }: Geography): void {
	const terms = [
		...(countries.length > 0 ? [`country IN (${marks(countries.length)})`] : []),
		...(states.length > 0 ? [`state IN (${marks(states.length)})`] : []),
	];
	conditions.add(`(${terms.join(" OR ")})`, ...countries, ...states);
}

/** A grant as the list of its states, which indexes by state serve. */
export function addGrant(conditions: Conditions, { countries, states }: Geography): void {
	const granted = JURISDICTIONS.filter(
		({ country, state }) => countries.includes(country) || states.includes(state),
	).map(({ state }) => state);
	conditions.add(`state IN (${marks(granted.length)})`, ...granted);
}

export function conditionsOf(filters: Filters, geography: Geography | null, dates: Dates): Conditions {
	const conditions = new Conditions();
	if (geography !== null) addGrant(conditions, geography);
	const values = filters as Readonly<Record<string, string | readonly string[] | undefined>>;
	for (const filter of FILTERS) addFilter(conditions, filter, values[filter.param], dates);
	if (dates === "date") return conditions;
	// An open upper bound excludes rows without a date, whose key sorts after all dates.
	for (const { column, from, to } of DATE_RANGES) {
		if (values[from] !== undefined && values[to] === undefined)
			conditions.add(`${keyOf(column)} < ?`, NULL_KEY);
	}
	return conditions;
}

function addFilter(
	conditions: Conditions,
	{ column, kind }: Filter,
	asked: string | readonly string[] | undefined,
	dates: Dates,
): void {
	if (asked === undefined) return;
	const values = typeof asked === "string" ? [asked] : asked;
	if (column === null) {
		for (const name of values) conditions.add(`${name} IS ${kind === "present" ? "NOT NULL" : "NULL"}`);
		return;
	}
	switch (kind) {
		case "state":
		case "country":
		case "exact":
		case "group":
			conditions.add(`${column} IN (${marks(values.length)})`, ...values);
			return;
		case "not":
			conditions.add(`(${column} IS NULL OR ${column} NOT IN (${marks(values.length)}))`, ...values);
			return;
		case "name":
			throw new TypeError("names are not searched in SQL: no peer has the same rule");
		case "prefix":
			addPrefixes(conditions, keyOf(column), values);
			return;
		case "fold":
			conditions.add(`${keyOf(column)} = ?`, fold(String(asked)));
			return;
		case "from":
		case "to":
			addBound(conditions, column, kind === "from" ? ">=" : "<=", String(asked), dates);
	}
}

function addBound(
	conditions: Conditions,
	column: ColumnName,
	is: ">=" | "<=",
	date: string,
	dates: Dates,
): void {
	const value = dates === "date" ? "CAST(? AS DATE)" : "?";
	conditions.add(`${sortKey(column, dates)} ${is} ${value}`, date);
}

function addPrefixes(conditions: Conditions, key: string, prefixes: readonly string[]): void {
	if (prefixes.length === 1) {
		addPrefix(conditions, key, prefixes[0]);
		return;
	}
	const bounds = prefixes.flatMap((prefix) => boundsOf(key, prefix));
	conditions.add(`(${prefixes.map(() => `(${key} >= ? AND ${key} < ?)`).join(" OR ")})`, ...bounds);
}

export function addPrefix(conditions: Conditions, key: string, prefix: string): void {
	const [from, to] = boundsOf(key, prefix);
	conditions.add(`${key} >= ?`, from);
	conditions.add(`${key} < ?`, to);
}

/** The range of a prefix: of folds, or of postal codes, which have no key and are all in upper case. */
function boundsOf(key: string, prefix: string): readonly [string, string] {
	const first = key === "member_postal_code" ? prefix.toUpperCase() : fold(prefix);
	return [first, `${first}${NULL_KEY}`];
}

export function offsetOf({ page, limit }: Query): number {
	return (page - 1) * limit;
}

/** The columns that decide an order: none follows `id`, which is unique. */
export function sortKeys({ sort }: Query, dates: Dates): string[] {
	return sortedBy(sort).map((column) => sortKey(column, dates));
}

export function orderBy({ sort, order }: Query, dates: Dates): string {
	const columns = sortedBy(sort);
	const descends = order === "desc";
	const terms = columns.flatMap((column) => {
		if (isDate(column, dates)) return [`${column}${descends ? " DESC" : ""} NULLS LAST`];
		const key = keyOf(column);
		if (!descends) return [key];
		return key === column ? [`${key} DESC`] : [`(${key} = '${NULL_KEY}')`, `${key} DESC`];
	});
	return [...terms, descends ? "id DESC" : "id"].join(", ");
}

function sortedBy(sort: readonly ColumnName[]): readonly ColumnName[] {
	const last = sort.indexOf("id");
	return last === -1 ? sort : sort.slice(0, last);
}

export function marks(count: number): string {
	return new Array(count).fill("?").join(", ");
}
