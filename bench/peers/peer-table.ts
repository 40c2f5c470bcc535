/**
 * The table that every peer holds, its indexes, and its rows.
 *
 * Besides the columns as published, the table has key columns for prefixes and sorting: the fold of a
 * text, so that no peer folds at query time, with U+10FFFF for null, so that plain ascending indexes put
 * nulls last. Dates have keys too, as text, except where a peer keeps them as dates. Contacts are stored masked too, so
 * that no peer masks at query time. Peers compare text by bytes, which is code point order.
 */

import { join } from "node:path";
import { maskEmail, maskPhone, type Snapshot } from "../../engine/index.js";
import { COLUMNS, CONTACT_COLUMNS, type ColumnName, fold } from "../../formats/index.js";
import { type BenchData, rowsDigest } from "../data/bench-month.js";

/** Version of the table and of what its loads leave: those of another version are in another folder. */
const TABLE_VERSION = 2;

/** Folder of the databases that hold the rows of `data`. */
export function peersFolder(data: BenchData): string {
	return join(data.folder, `peers-${TABLE_VERSION}-${rowsDigest(data)}`);
}

/** The key of null: sorts after every text. */
export const NULL_KEY = "\u{10ffff}";

/** Columns that peers have a key of. */
const KEYED_COLUMNS: readonly ColumnName[] = COLUMNS.filter(
	(c) => (c.sortable && c.name !== "id" && c.name !== "state") || c.suggest !== null,
).map((c) => c.name);

/** Columns of the table: those of a response except `snapshot`, which is constant. */
const TABLE_COLUMNS: readonly ColumnName[] = COLUMNS.filter((c) => c.name !== "snapshot").map((c) => c.name);

/** Name of the key of a column; `state` and `id` are their own keys. */
export function keyOf(column: ColumnName): string {
	return KEYED_COLUMNS.includes(column) ? `key_${column}` : column;
}

/** Name of the column that has a contact masked. */
export function maskedOf(column: ColumnName): string {
	return `masked_${column}`;
}

const MASKED_COLUMNS: readonly ColumnName[] = CONTACT_COLUMNS.map(({ name }) => name);

export const ALL_COLUMNS: readonly string[] = [
	...TABLE_COLUMNS,
	...MASKED_COLUMNS.map(maskedOf),
	...KEYED_COLUMNS.map(keyOf),
];

export const DATE_COLUMNS: readonly ColumnName[] = COLUMNS.filter((c) => c.kind === "date").map(
	(c) => c.name,
);

/** SQL type of a column of the table, where dates are text. */
export function typeOf(column: string, integer: string): string {
	return column === "id" || column === "agent_count" ? integer : "TEXT";
}

/** The sixteen indexes of SQLite and PostgreSQL, besides the primary key. */
export const INDEXES: readonly (readonly string[])[] = [
	["state", "key_member_last_name", "id"],
	["state", "key_member_license_expires", "id"],
	["key_member_last_name", "id"],
	["key_member_first_name", "id"],
	["key_member_full_name", "id"],
	["member_state_license_number"],
	["key_office_name", "key_member_last_name", "id"],
	["member_city", "id"],
	["key_member_city"],
	["member_postal_code", "id"],
	["member_license_status", "member_type", "id"],
	["key_member_license_issued", "id"],
	["key_member_license_expires", "id"],
	[`(key_member_license_first_issued = '${NULL_KEY}')`, "key_member_license_first_issued DESC", "id DESC"],
	["key_member_license_first_issued", "id"],
	["key_last_refreshed", "key_office_name", "id"],
];

/**
 * Further indexes of SQLite and PostgreSQL that have all that a count, a sort or suggestions read, so that the table
 * is read for the page's rows alone.
 */
export const COVERING_INDEXES: readonly (readonly string[])[] = [
	["state", "key_member_last_name", "member_license_status", "id"],
	["key_office_name", "key_member_license_expires", "id"],
	["country", "key_member_license_issued", "key_office_name", "key_member_last_name", "id"],
	["key_member_license_issued", "key_member_license_expires", "key_member_license_first_issued", "id"],
	["member_license_status", "state", "key_office_name", "id"],
	["state", "key_member_city", "member_city"],
	["key_member_city", "member_city"],
	["state", "key_office_name", "office_name"],
	["key_office_name", "office_name"],
	["state", "key_member_last_name", "member_last_name"],
	["key_member_last_name", "member_last_name"],
	// For one filter and one sort each. Requests may sort by any list of columns, so there is none for each that is asked.
	["key_member_full_name", "country", "key_member_license_issued", "id"],
	["member_license_status", "key_member_full_name", "id"],
	[
		"member_city",
		"member_type",
		"member_type_group",
		"state",
		"key_member_license_status",
		"key_member_license_issued",
		"id",
	],
];

/** Table of the JSON variants: id and the row as JSON text. */
export const JSON_TABLE = "licenses_json";

const STATUS = "member_license_status";

/** A table of numbers of rows, made once from the month's rows. */
export interface SummaryTable {
	readonly name: string;
	/** Columns that rows are counted by. */
	readonly by: readonly string[];
	/** Whether an index has all of its columns; else it has few enough rows to be read whole. */
	readonly indexed: boolean;
}

/** Rows by status, and by status and type: statistics, and counts that filter nothing else. */
export const STATUS_SUMMARY: SummaryTable = {
	name: "licenses_by_status",
	by: ["state", "country", STATUS, keyOf(STATUS)],
	indexed: false,
};
export const TYPE_SUMMARY: SummaryTable = {
	name: "licenses_by_type",
	by: [STATUS, "member_type", "state", "country"],
	indexed: true,
};

/** Rows by a suggested value, and by state and value. */
export function suggestionSummary(column: ColumnName, byState: boolean): SummaryTable {
	const by = [...(byState ? ["state"] : []), keyOf(column), column];
	return { name: `licenses_by_${byState ? "state_and_" : ""}${column}`, by, indexed: true };
}

/** All of them. The last tells whether a database has them. */
export const SUMMARIES: readonly SummaryTable[] = [
	STATUS_SUMMARY,
	TYPE_SUMMARY,
	...COLUMNS.filter((c) => c.suggest !== null).flatMap(({ name }) => [
		suggestionSummary(name, false),
		suggestionSummary(name, true),
	]),
];

/** What a summary is made from, in the order of its columns. */
export function summaryQuery({ by }: SummaryTable): string {
	const columns = by.join(", ");
	return `SELECT ${columns}, count(*) AS total FROM licenses GROUP BY ${columns} ORDER BY ${columns}`;
}

/** Rows of the table in order, as arrays by {@link ALL_COLUMNS}. The same array is reused for every row. */
export function* tableRows(snapshot: Snapshot): Generator<(string | number | null)[]> {
	const row: (string | number | null)[] = new Array(ALL_COLUMNS.length).fill(null);
	for (let position = 0; position < snapshot.rows; position++) {
		const record = snapshot.record(position, { columns: TABLE_COLUMNS, masked: false });
		let at = 0;
		for (const name of TABLE_COLUMNS) row[at++] = record[name];
		for (const name of MASKED_COLUMNS) row[at++] = masked(name, record[name]);
		for (const name of KEYED_COLUMNS) {
			const value = record[name];
			row[at++] = value === null ? NULL_KEY : fold(String(value));
		}
		yield row;
	}
}

function masked(column: ColumnName, value: string | number | null): string | null {
	if (value === null) return null;
	return (column.endsWith("_email") ? maskEmail : maskPhone)(String(value));
}
