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
import {
	JSON_TABLE,
	keyOf,
	NULL_KEY,
	STATUS_SUMMARY,
	type SummaryTable,
	suggestionSummary,
	TYPE_SUMMARY,
} from "./peer-table.js";

/** A statement with `?` for each value. */
export interface Statement {
	readonly text: string;
	readonly values: readonly (string | number)[];
}

/**
 * From this offset on, a page in order of ids is made from its ids, so that skipped rows are not read in full; a page
 * in any other order is (late materialisation), so that rows are not sorted in full.
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

/**
 * The statement that counts; null without filters, since every peer knows its number of rows. Filters by state, country,
 * status and type alone are counted in a summary.
 */
export function countStatement(query: Query): Statement | null {
	const conditions = conditionsOf(query.filters, query.geography);
	if (conditions.terms.length === 0) return null;
	const { where, values } = conditions;
	const summary = summaryOf(query.filters);
	if (summary === null) return { text: `SELECT count(*) AS total FROM licenses${where}`, values };
	return { text: `SELECT coalesce(sum(total), 0) AS total FROM ${summary.name}${where}`, values };
}

/** The smallest summary that has all columns of the filters; null where none has. */
function summaryOf(filters: Filters): SummaryTable | null {
	const has = ({ by }: SummaryTable) =>
		Object.keys(filters).every((param) => {
			const column = FILTERS.find((filter) => filter.param === param)?.column;
			return column !== undefined && column !== null && by.includes(column);
		});
	return [STATUS_SUMMARY, TYPE_SUMMARY].find(has) ?? null;
}

/** The statement for the ids of a page, in order. */
export function idsStatement(query: Query): Statement {
	const { where, values } = conditionsOf(query.filters, query.geography);
	const text = `SELECT id FROM licenses${where} ORDER BY ${orderBy(query)} LIMIT ? OFFSET ?`;
	return { text, values: [...values, query.limit, offsetOf(query)] };
}

/** The statement for a page's rows, in the columns' order. `id` is always among them. */
export function pageStatement(query: Query, columns: readonly ColumnName[], month: string): Statement {
	const order = orderBy(query);
	const names = selected(columns, month);
	const ids = idsStatement(query);
	if (query.sort[0] === "id" && offsetOf(query) < DEEP_OFFSET)
		return { ...ids, text: ids.text.replace("SELECT id", `SELECT ${names}`) };
	return { ...ids, text: `SELECT ${names} FROM licenses WHERE id IN (${ids.text}) ORDER BY ${order}` };
}

/**
 * The same for SQLite, whose nested loop keeps the order of the ids, so that the rows are not sorted again. The answers
 * are compared, so that another order would be found.
 */
export function joinedPageStatement(query: Query, columns: readonly ColumnName[], month: string): Statement {
	const ids = idsStatement(query);
	const text = `SELECT ${selected(columns, month)} FROM (${ids.text}) page CROSS JOIN licenses USING (id)`;
	return { ...ids, text };
}

/**
 * The same for SQLite as one text of JSON objects: `object` is the expression for one, from {@link jsonObject} or the
 * JSON table's column.
 */
export function joinedJsonStatement(query: Query, object: string, separator: "," | "\n"): Statement {
	const ids = idsStatement(query);
	const table = object === "json" ? JSON_TABLE : "licenses";
	const between = separator === "," ? "','" : "char(10)";
	const text = `SELECT group_concat(${object}, ${between}) AS json FROM (${ids.text}) page CROSS JOIN ${table} USING (id)`;
	return { ...ids, text };
}

/** SQLite's expression for a row as JSON. `masked` gives the expression for a masked column, or null. */
export function jsonObject(
	columns: readonly ColumnName[],
	month: string,
	masked: (column: ColumnName) => string | null,
): string {
	const members = columns.map(
		(name) => `'${name}', ${name === "snapshot" ? `'${month}'` : (masked(name) ?? name)}`,
	);
	return `json_object(${members.join(", ")})`;
}

/**
 * The ids of a page for DuckDB, which does not look up an index below ORDER BY … LIMIT, and the total with each: one scan
 * finds both.
 */
export function countedIdsStatement(query: Query): Statement {
	const { where, values } = conditionsOf(query.filters, query.geography);
	const order = orderBy(query);
	const keys = [...new Set(["id", ...query.sort.map(keyOf)])].join(", ");
	const text =
		`WITH found AS MATERIALIZED (SELECT ${keys} FROM licenses${where}) ` +
		`SELECT id, (SELECT count(*) FROM found) AS total FROM found ORDER BY ${order} LIMIT ? OFFSET ?`;
	return { text, values: [...values, query.limit, offsetOf(query)] };
}

/** Rows by their ids, in any order. Numbers of ids are padded, so that few statements are prepared. */
export function rowsOfIdsStatement(
	ids: readonly number[],
	columns: readonly ColumnName[],
	month: string,
): Statement {
	const padded = 2 ** Math.ceil(Math.log2(ids.length));
	const text = `SELECT ${selected(columns, month)} FROM licenses WHERE id IN (${marks(padded)})`;
	return { text, values: Array.from({ length: padded }, (_, i) => ids[Math.min(i, ids.length - 1)]) };
}

/** The statement for a page's rows as JSON text, from the table beside the columns, in their order. */
export function jsonPageStatement(query: Query): Statement {
	const ids = idsStatement(query);
	const text =
		`SELECT rows.id, json FROM (SELECT id, row_number() OVER () AS place FROM (${ids.text}) ids) rows ` +
		`JOIN ${JSON_TABLE} stored ON stored.id = rows.id ORDER BY place`;
	return { ...ids, text };
}

/** The row as JSON text, from the same expressions as {@link joinedJsonStatement}. */
export function jsonRowStatement(id: number, object: string): Statement {
	const table = object === "json" ? JSON_TABLE : "licenses";
	return { text: `SELECT id, ${object} AS json FROM ${table} WHERE id = ?`, values: [id] };
}

export function rowStatement(id: number, columns: readonly ColumnName[], month: string): Statement {
	return { text: `SELECT ${selected(columns, month)} FROM licenses WHERE id = ?`, values: [id] };
}

/** Columns with the month, which the table lacks since it is constant. */
function selected(columns: readonly ColumnName[], month: string): string {
	const names = columns.includes("id") ? columns : ["id", ...columns];
	return names.map((name) => (name === "snapshot" ? `'${month}' AS snapshot` : name)).join(", ");
}

/** Distinct values that start with a prefix, most rows first, then by fold, from the summary of the field. */
export function suggestStatement(request: SuggestRequest): Statement {
	const key = keyOf(request.field);
	const conditions = new Conditions();
	if (request.state !== null) conditions.add("state = ?", request.state);
	if (request.geography !== null) addGrant(conditions, request.geography);
	addPrefix(conditions, key, request.prefix);
	const { name } = suggestionSummary(request.field, request.state !== null || request.geography !== null);
	// Several states may have the same value.
	const [total, group] =
		request.geography === null ? ["total", ""] : ["sum(total)", ` GROUP BY ${key}, ${request.field}`];
	const text =
		`SELECT ${request.field} AS value, ${total} AS total FROM ${name}${conditions.where}${group} ` +
		// "2": the sum, since the summary has a column of that name.
		`ORDER BY 2 DESC, ${key}, ${request.field} LIMIT ?`;
	return { text, values: [...conditions.values, request.limit] };
}

/** Characters of a date that name its group. */
const DATE_CHARACTERS: Partial<Record<DimensionName, number>> = {
	expires_month: 7,
	issued_month: 7,
	issued_year: 4,
};

/** Groups with most rows; each with how many groups and rows there are. */
export function aggregateStatement(
	{ by, top }: AggregateRequest,
	filters: Filters,
	geography: Geography | null,
): Statement {
	const { where, values } = conditionsOf(filters, geography);
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

/** From the summary, for a grant: the number of rows, and that of each status, most rows first, then by fold. */
export function statsStatements(geography: Geography | null): { rows: Statement; statuses: Statement } {
	const conditions = new Conditions();
	if (geography !== null) addGrantOf(conditions, geography);
	const rows = {
		text: `SELECT sum(total) AS total FROM ${STATUS_SUMMARY.name}${conditions.where}`,
		values: [...conditions.values],
	};
	const status = "member_license_status";
	conditions.add(`${keyOf(status)} < ?`, NULL_KEY);
	const text =
		`SELECT ${status} AS value, sum(total) AS total FROM ${STATUS_SUMMARY.name}${conditions.where} ` +
		// "2": the sum, since the summary has a column of that name.
		`GROUP BY ${keyOf(status)}, ${status} ORDER BY 2 DESC, ${keyOf(status)}, ${status}`;
	return { rows, statuses: { text, values: conditions.values } };
}

/** A grant as it is given, which is shorter than {@link addGrant} where no index is read. */
function addGrantOf(conditions: Conditions, { countries, states }: Geography): void {
	const terms = [
		...(countries.length > 0 ? [`country IN (${marks(countries.length)})`] : []),
		...(states.length > 0 ? [`state IN (${marks(states.length)})`] : []),
	];
	conditions.add(`(${terms.join(" OR ")})`, ...countries, ...states);
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

function offsetOf({ page, limit }: Query): number {
	return (page - 1) * limit;
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
