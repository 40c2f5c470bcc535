/** Questions as SQL that all peers understand, written as an engineer who knows them would. */

import {
	type AggregateRequest,
	type DimensionName,
	dimensionColumn,
	type Filters,
	type Geography,
	type Query,
	type SuggestRequest,
} from "../../engine/index.js";
import {
	type ColumnName,
	DATE_RANGES,
	FILTERS,
	type Filter,
	fold,
	JURISDICTIONS,
} from "../../formats/index.js";
import { JSON_TABLE, keyOf, NULL_KEY, SUMMARY_TABLE } from "./peer-table.js";

/** A statement with `?` for each value. */
export interface Statement {
	readonly text: string;
	readonly values: readonly (string | number)[];
}

/**
 * From this offset on, a page's ids are found first and its rows read afterwards (late materialisation),
 * so that skipped rows are not read in full.
 */
const DEEP_OFFSET = 1000;

class Conditions {
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

/** The statement that counts; null without filters, since every peer knows its number of rows. */
export function countStatement(query: Query): Statement | null {
	const conditions = conditionsOf(query.filters, query.geography);
	if (conditions.terms.length === 0) return null;
	return { text: `SELECT count(*) AS total FROM licenses${conditions.where}`, values: conditions.values };
}

/** The statement for a page's rows, in the columns' order. `id` is always among them. */
export function pageStatement(query: Query, columns: readonly ColumnName[], month: string): Statement {
	const { where, values } = conditionsOf(query.filters, query.geography);
	const offset = (query.page - 1) * query.limit;
	const order = orderBy(query);
	const bounds = [query.limit, offset];
	const names = selected(columns, month);
	if (offset < DEEP_OFFSET) {
		const text = `SELECT ${names} FROM licenses${where} ORDER BY ${order} LIMIT ? OFFSET ?`;
		return { text, values: [...values, ...bounds] };
	}
	const ids = `SELECT id FROM licenses${where} ORDER BY ${order} LIMIT ? OFFSET ?`;
	const text = `SELECT ${names} FROM licenses WHERE id IN (${ids}) ORDER BY ${order}`;
	return { text, values: [...values, ...bounds] };
}

/** The statement for a page's rows as JSON text, from the table beside the columns, in their order. */
export function jsonPageStatement(query: Query): Statement {
	const { where, values } = conditionsOf(query.filters, query.geography);
	const ids = `SELECT id FROM licenses${where} ORDER BY ${orderBy(query)} LIMIT ? OFFSET ?`;
	const text =
		`SELECT rows.id, json FROM (SELECT id, row_number() OVER () AS place FROM (${ids}) ids) rows ` +
		`JOIN ${JSON_TABLE} stored ON stored.id = rows.id ORDER BY place`;
	return { text, values: [...values, query.limit, (query.page - 1) * query.limit] };
}

export function jsonRowStatement(id: number): Statement {
	return { text: `SELECT id, json FROM ${JSON_TABLE} WHERE id = ?`, values: [id] };
}

export function rowStatement(id: number, columns: readonly ColumnName[], month: string): Statement {
	return { text: `SELECT ${selected(columns, month)} FROM licenses WHERE id = ?`, values: [id] };
}

/** Columns with the month, which the table lacks since it is constant. */
function selected(columns: readonly ColumnName[], month: string): string {
	const names = columns.includes("id") ? columns : ["id", ...columns];
	return names.map((name) => (name === "snapshot" ? `'${month}' AS snapshot` : name)).join(", ");
}

/** Distinct values that start with a prefix, most rows first, then by fold. */
export function suggestStatement(request: SuggestRequest): Statement {
	const key = keyOf(request.field);
	const conditions = new Conditions();
	if (request.state !== null) conditions.add("state = ?", request.state);
	if (request.geography !== null) addGrant(conditions, request.geography);
	addPrefix(conditions, key, request.prefix);
	const text =
		`SELECT ${request.field} AS value, count(*) AS total FROM licenses${conditions.where} ` +
		`GROUP BY ${key}, ${request.field} ORDER BY total DESC, ${key}, ${request.field} LIMIT ?`;
	return { text, values: [...conditions.values, request.limit] };
}

/** Characters of a date that name its group. */
const DATE_CHARACTERS: Partial<Record<DimensionName, number>> = {
	expires_month: 7,
	issued_month: 7,
	issued_year: 4,
};

/** Groups with most rows; each with how many groups and rows there are. */
export function aggregateStatement({ by, top }: AggregateRequest, filters: Filters): Statement {
	const { where, values } = conditionsOf(filters, null);
	const groups = by.map((name, i) => {
		const characters = DATE_CHARACTERS[name];
		const column = dimensionColumn(name);
		const group = characters === undefined ? column : `substr(${column}, 1, ${characters})`;
		return `${group} AS group_${i}`;
	});
	const numbers = by.map((_, i) => i + 1).join(", ");
	const text =
		"SELECT *, count(*) OVER () AS group_count, sum(total) OVER () AS matched FROM " +
		`(SELECT ${groups.join(", ")}, count(*) AS total FROM licenses${where} GROUP BY ${numbers}) counted ` +
		"ORDER BY total DESC LIMIT ?";
	return { text, values: [...values, top] };
}

/**
 * Rows by state of a grant: their number, and that of each status, most rows first, then by fold. `summarized`: from the
 * summary table instead of the rows.
 */
export function statsStatements(
	geography: Geography | null,
	summarized: boolean,
): { rows: Statement; statuses: Statement } {
	const [table, counted] = summarized ? [SUMMARY_TABLE, "sum(total)"] : ["licenses", "count(*)"];
	const conditions = new Conditions();
	if (geography !== null) addGrant(conditions, geography);
	const rows = {
		text: `SELECT ${counted} AS total FROM ${table}${conditions.where}`,
		values: [...conditions.values],
	};
	const status = "member_license_status";
	conditions.add(`${keyOf(status)} < ?`, NULL_KEY);
	const text =
		`SELECT ${status} AS value, ${counted} AS total FROM ${table}${conditions.where} ` +
		// "2": the sum, since the summary table has a column of that name.
		`GROUP BY ${keyOf(status)}, ${status} ORDER BY 2 DESC, ${keyOf(status)}, ${status}`;
	return { rows, statuses: { text, values: conditions.values } };
}

/** A grant as the list of its states, which indexes by state serve. */
function addGrant(conditions: Conditions, { countries, states }: Geography): void {
	const granted = JURISDICTIONS.filter(
		({ country, state }) => countries.includes(country) || states.includes(state),
	).map(({ state }) => state);
	conditions.add(`state IN (${marks(granted.length)})`, ...granted);
}

function conditionsOf(filters: Filters, geography: Geography | null): Conditions {
	const conditions = new Conditions();
	if (geography !== null) addGrant(conditions, geography);
	const values = filters as Readonly<Record<string, string | readonly string[] | undefined>>;
	for (const filter of FILTERS) addFilter(conditions, filter, values[filter.param]);
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
			conditions.add(`${keyOf(column)} >= ?`, String(asked));
			return;
		case "to":
			conditions.add(`${keyOf(column)} <= ?`, String(asked));
	}
}

function addPrefixes(conditions: Conditions, key: string, prefixes: readonly string[]): void {
	if (prefixes.length === 1) {
		addPrefix(conditions, key, prefixes[0]);
		return;
	}
	const bounds = prefixes.flatMap((prefix) => boundsOf(key, prefix));
	conditions.add(`(${prefixes.map(() => `(${key} >= ? AND ${key} < ?)`).join(" OR ")})`, ...bounds);
}

function addPrefix(conditions: Conditions, key: string, prefix: string): void {
	const [from, to] = boundsOf(key, prefix);
	conditions.add(`${key} >= ?`, from);
	conditions.add(`${key} < ?`, to);
}

/** The range of a prefix: of folds, or of postal codes, which have no key and are all in upper case. */
function boundsOf(key: string, prefix: string): readonly [string, string] {
	const first = key === "member_postal_code" ? prefix.toUpperCase() : fold(prefix);
	return [first, `${first}${NULL_KEY}`];
}

function orderBy({ sort, order }: Query): string {
	const last = sort.indexOf("id");
	const columns = last === -1 ? sort : sort.slice(0, last);
	if (order === "asc") return [...columns.map(keyOf), "id"].join(", ");
	const terms = columns.flatMap((column) => {
		const key = keyOf(column);
		return key === column ? [`${key} DESC`] : [`(${key} = '${NULL_KEY}')`, `${key} DESC`];
	});
	return [...terms, "id DESC"].join(", ");
}

function marks(count: number): string {
	return new Array(count).fill("?").join(", ");
}
