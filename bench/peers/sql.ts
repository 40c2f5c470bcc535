/** Questions as SQL that all peers understand, written as an engineer who knows them would. */

import {
	type AggregateRequest,
	type DimensionName,
	dimensionColumn,
	type Filters,
	type Geography,
	type Projection,
	type Query,
	type SuggestRequest,
} from "../../engine/index.js";
import { COLUMNS, CONTACT_COLUMNS, type ColumnKind, type ColumnName, FILTERS } from "../../formats/index.js";
import {
	JSON_TABLE,
	keyOf,
	maskedOf,
	NULL_KEY,
	STATUS_SUMMARY,
	type SummaryTable,
	suggestionSummary,
	TYPE_SUMMARY,
} from "./peer-table.js";
import {
	addGrant,
	addGrantOf,
	addPrefix,
	Conditions,
	conditionsOf,
	type Dates,
	marks,
	offsetOf,
	orderBy,
	sortKeys,
} from "./sql-conditions.js";

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

const CONTACTS: ReadonlySet<ColumnName> = new Set(CONTACT_COLUMNS.map(({ name }) => name));

/**
 * The statement that counts; null without filters, since every peer knows its number of rows. Filters by state, country,
 * status and type alone are counted in a summary.
 */
export function countStatement(query: Query, dates: Dates = "text"): Statement | null {
	const conditions = conditionsOf(query.filters, query.geography, dates);
	if (conditions.terms.length === 0) return null;
	const { where, values } = conditions;
	const summary = summaryOf(query.filters);
	if (summary === null) return { text: `SELECT count(*) AS total FROM licenses${where}`, values };
	return { text: `SELECT coalesce(sum(total), 0) AS total FROM ${summary.name}${where}`, values };
}

/** The smallest summary that has all columns of the filters; null where none has. */
export function summaryOf(filters: Filters): SummaryTable | null {
	const has = ({ by }: SummaryTable) =>
		Object.keys(filters).every((param) => {
			const column = FILTERS.find((filter) => filter.param === param)?.column;
			return column !== undefined && column !== null && by.includes(column);
		});
	return [STATUS_SUMMARY, TYPE_SUMMARY].find(has) ?? null;
}

/** The statement for the ids of a page, in order. */
export function idsStatement(query: Query, dates: Dates = "text"): Statement {
	const { where, values } = conditionsOf(query.filters, query.geography, dates);
	const text = `SELECT id FROM licenses${where} ORDER BY ${orderBy(query, dates)} LIMIT ? OFFSET ?`;
	return { text, values: [...values, query.limit, offsetOf(query)] };
}

/** The statement for a page's rows, in the columns' order. `id` is always among them. */
export function pageStatement(query: Query, projection: Projection, month: string): Statement {
	const names = selected(projection, month);
	const ids = idsStatement(query);
	if (isShallowById(query)) return { ...ids, text: ids.text.replace("SELECT id", `SELECT ${names}`) };
	const order = orderBy(query, "text");
	return { ...ids, text: `SELECT ${names} FROM licenses WHERE id IN (${ids.text}) ORDER BY ${order}` };
}

/** Whether a page is in order of ids and not deep, so that its rows are read at once. */
function isShallowById(query: Query): boolean {
	return query.sort[0] === "id" && offsetOf(query) < DEEP_OFFSET;
}

/** What SQLite writes of each row of a page: an expression over the columns of a table. */
export interface WrittenRow {
	readonly text: string;
	readonly table: "licenses" | typeof JSON_TABLE;
}

/** A row as JSON text, as it is stored. */
export const STORED_ROW: WrittenRow = { text: "json", table: JSON_TABLE };

/**
 * The statement for a page as one text, its rows separated by `separator`, and their number. SQLite's nested loop keeps
 * the order of the ids, so that the rows are not sorted again; the answers are compared, so that another order would be
 * found.
 */
export function writtenPageStatement(
	query: Query,
	{ text, table }: WrittenRow,
	separator: string,
): Statement {
	const ids = idsStatement(query);
	const written = `SELECT group_concat(${text}, ${inSql(separator)}), count(*) FROM`;
	// Without a filter, the rows lie in the order of the page.
	if (isShallowById(query) && !ids.text.includes(" WHERE ")) {
		const rows = ids.text.replace("SELECT id FROM licenses", `SELECT * FROM ${table}`);
		return { ...ids, text: `${written} (${rows})` };
	}
	return { ...ids, text: `${written} (${ids.text}) page CROSS JOIN ${table} USING (id)` };
}

/** A row as a JSON object. */
export function jsonObject({ columns, masked }: Projection, month: string): WrittenRow {
	const members = columns.map((name) => `'${name}', ${shownValue(name, masked, month)}`);
	return { text: `json_object(${members.join(", ")})`, table: "licenses" };
}

/** Kinds of columns whose values never need quotes in CSV. */
const PLAIN_KINDS: readonly ColumnKind[] = ["id", "int", "date", "snapshot"];
const PLAIN_COLUMNS: ReadonlySet<ColumnName> = new Set(
	COLUMNS.filter(({ kind }) => PLAIN_KINDS.includes(kind)).map(({ name }) => name),
);

/** A row as the cells of a line of CSV. What a spreadsheet would run as a formula begins with an apostrophe. */
export function csvCells({ columns, masked }: Projection, month: string): WrittenRow {
	const cells = columns.map((name) => {
		const value = shownValue(name, masked, month);
		if (PLAIN_COLUMNS.has(name)) return `ifnull(${value}, '')`;
		const special = [",", '"', "\r", "\n"].map((character) => `instr(${value}, ${inSql(character)})`);
		const formula = `${value} < 'A' AND substr(${value}, 1, 1) IN ('=', '+', '-', '@')`;
		const quoted = `'"' || CASE WHEN ${formula} THEN '''' ELSE '' END || replace(${value}, '"', '""') || '"'`;
		return (
			`CASE WHEN ${value} IS NULL THEN '' WHEN ${special.join(" OR ")} THEN ${quoted} ` +
			`WHEN ${formula} THEN '''' || ${value} ELSE ${value} END`
		);
	});
	return { text: cells.join(" || ',' || "), table: "licenses" };
}

function inSql(text: string): string {
	const characters = [...text].map((c) => (c < " " ? `char(${c.charCodeAt(0)})` : `'${c}'`));
	return characters.join(" || ");
}

/** The rows of a statement as one JSON array: `members` gives an expression for each member of its objects. */
export function jsonArrayStatement(
	{ text, values }: Statement,
	members: Readonly<Record<string, string>>,
	...further: readonly string[]
): Statement {
	const object = Object.entries(members).map(([name, value]) => `'${name}', ${value}`);
	const selected = [`json_group_array(json_object(${object.join(", ")}))`, ...further];
	return { text: `SELECT ${selected.join(", ")} FROM (${text})`, values };
}

/**
 * The ids of a page for DuckDB, which does not look up an index below ORDER BY … LIMIT, and the total with each: one scan
 * finds both.
 */
export function countedIdsStatement(query: Query, dates: Dates): Statement {
	const { where, values } = conditionsOf(query.filters, query.geography, dates);
	const keys = [...new Set(["id", ...sortKeys(query, dates)])].join(", ");
	const text =
		`WITH found AS MATERIALIZED (SELECT ${keys} FROM licenses${where}) ` +
		`SELECT id, (SELECT count(*) FROM found) AS total FROM found ORDER BY ${orderBy(query, dates)} LIMIT ? OFFSET ?`;
	return { text, values: [...values, query.limit, offsetOf(query)] };
}

/** Rows by their ids, in any order. Numbers of ids are padded, so that few statements are prepared. */
export function rowsOfIdsStatement(ids: readonly number[], projection: Projection, month: string): Statement {
	const padded = 2 ** Math.ceil(Math.log2(ids.length));
	const text = `SELECT ${selected(projection, month)} FROM licenses WHERE id IN (${marks(padded)})`;
	return { text, values: Array.from({ length: padded }, (_, i) => ids[Math.min(i, ids.length - 1)]) };
}

/** The statement for a page's rows as JSON text, from the table beside the columns, in their order. */
export function jsonPageStatement(query: Query): Statement {
	const ids = idsStatement(query);
	if (isShallowById(query) && !ids.text.includes(" WHERE "))
		return {
			...ids,
			text: ids.text.replace("SELECT id FROM licenses", `SELECT id, json FROM ${JSON_TABLE}`),
		};
	const text =
		`SELECT rows.id, json FROM (SELECT id, row_number() OVER () AS place FROM (${ids.text}) ids) rows ` +
		`JOIN ${JSON_TABLE} stored ON stored.id = rows.id ORDER BY place`;
	return { ...ids, text };
}

/** A row as one text. */
export function writtenRowStatement(id: number, { text, table }: WrittenRow): Statement {
	return { text: `SELECT ${text} AS json FROM ${table} WHERE id = ?`, values: [id] };
}

export function rowStatement(id: number, projection: Projection, month: string): Statement {
	return { text: `SELECT ${selected(projection, month)} FROM licenses WHERE id = ?`, values: [id] };
}

/** Columns with the month, which the table lacks since it is constant. */
function selected({ columns, masked }: Projection, month: string): string {
	const names = columns.includes("id") ? columns : (["id", ...columns] as const);
	return names
		.map((name) => {
			const value = shownValue(name, masked, month);
			return value === name ? name : `${value} AS ${name}`;
		})
		.join(", ");
}

function shownValue(column: ColumnName, masked: boolean, month: string): string {
	if (column === "snapshot") return `'${month}'`;
	return masked && CONTACTS.has(column) ? maskedOf(column) : column;
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

/** Groups of dates: the characters that name one, and for dates that are no text a number of each and its name. */
const DATE_GROUPS: Partial<Record<DimensionName, { characters: number; number: string; name: string }>> = {
	expires_month: monthGroup("member_license_expires"),
	issued_month: monthGroup("member_license_issued"),
	issued_year: yearGroup("member_license_issued"),
	first_issued_month: monthGroup("member_license_first_issued"),
	first_issued_year: yearGroup("member_license_first_issued"),
};

function yearGroup(column: ColumnName) {
	return { characters: 4, number: `year(${column})`, name: "printf('%04d', group_N)" };
}

function monthGroup(column: ColumnName) {
	return {
		characters: 7,
		number: `year(${column}) * 12 + month(${column}) - 1`,
		name: "printf('%04d-%02d', group_N // 12, group_N % 12 + 1)",
	};
}

/** Groups with most rows; each with how many groups and rows there are. */
export function aggregateStatement(
	{ by, top }: AggregateRequest,
	filters: Filters,
	geography: Geography | null,
	dates: Dates = "text",
): Statement {
	const { where, values } = conditionsOf(filters, geography, dates);
	const numbers = by.map((_, i) => i + 1).join(", ");
	const groups = by.map((name, i) => {
		const group = DATE_GROUPS[name];
		const column = dimensionColumn(name);
		if (group === undefined) return { of: column, as: `group_${i}` };
		return dates === "date"
			? { of: group.number, as: `${group.name.replaceAll("_N", `_${i}`)} AS group_${i}` }
			: { of: `substr(${column}, 1, ${group.characters})`, as: `group_${i}` };
	});
	const text =
		`SELECT ${groups.map(({ as }) => as).join(", ")}, total, ` +
		"count(*) OVER () AS group_count, sum(total) OVER () AS matched FROM " +
		`(SELECT ${groups.map(({ of }, i) => `${of} AS group_${i}`).join(", ")}, count(*) AS total ` +
		`FROM licenses${where} GROUP BY ${numbers}) counted ORDER BY total DESC LIMIT ?`;
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
