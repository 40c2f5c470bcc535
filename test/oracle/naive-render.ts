/**
 * Rows as text, by JSON.stringify and string joins (docs/API.md §4, §7.8). The engine must give the same
 * bytes.
 *
 * Masking in full: an e-mail address is split at its last `@`. The first character of each part is kept,
 * followed by `***`. The second part also keeps its last label with its dot, where that is a word: a
 * letter, then letters, digits and hyphens. Anything else after the last dot is not a label of a domain
 * and is dropped. Text without `@` keeps its first character. A phone number keeps its last two digits
 * after `***`; with two digits or fewer, none.
 */

import type { Projection, Query } from "../../engine/query.js";
import { type ColumnName, columnNamed } from "../../formats/index.js";
import type { NaivePage } from "./naive-query.js";
import type { NaiveRow, RowValue } from "./naive-rows.js";

export function naiveMaskEmail(email: string): string {
	const parts = email.split("@");
	if (parts.length === 1) return `${firstCharacter(email)}***`;
	const domain = parts[parts.length - 1];
	const label = /\.\p{L}[\p{L}\p{N}-]*$/u.exec(domain)?.[0] ?? "";
	return `${firstCharacter(email.slice(0, -domain.length - 1))}***@${firstCharacter(domain)}***${label}`;
}

export function naiveMaskPhone(phone: string): string {
	const digits = Array.from(phone).filter((character) => "0123456789".includes(character));
	return digits.length > 2 ? `***${digits.slice(-2).join("")}` : "***";
}

function firstCharacter(text: string): string {
	return Array.from(text)[0] ?? "";
}

/** The value of a column as a reader with this projection sees it. */
export function visibleValue(row: NaiveRow, name: ColumnName, projection: Projection): RowValue {
	const value = row[name];
	if (value === null || !projection.masked || !columnNamed(name).contact) return value;
	return name.endsWith("_email") ? naiveMaskEmail(String(value)) : naiveMaskPhone(String(value));
}

export function naiveObject(row: NaiveRow, projection: Projection): Record<string, RowValue> {
	return Object.fromEntries(projection.columns.map((name) => [name, visibleValue(row, name, projection)]));
}

/** Rows as JSON objects with commas between. */
export function naiveJson(rows: readonly NaiveRow[], projection: Projection): string {
	return rows.map((row) => JSON.stringify(naiveObject(row, projection))).join(",");
}

export function naiveNdjson(rows: readonly NaiveRow[], projection: Projection): string {
	return rows.map((row) => `${JSON.stringify(naiveObject(row, projection))}\n`).join("");
}

/** Header and rows as CSV; a line that would be blank is one empty cell in quotes. */
export function naiveCsv(rows: readonly NaiveRow[], projection: Projection): string {
	const lines = rows.map((row) => naiveCsvCells(row, projection) || '""');
	return [projection.columns.join(","), ...lines].map((line) => `${line}\r\n`).join("");
}

/** The cells of a row with commas between, as within a longer line of CSV. */
export function naiveCsvCells(row: NaiveRow, projection: Projection): string {
	return projection.columns.map((name) => csvCell(visibleValue(row, name, projection))).join(",");
}

/** One cell of CSV. */
export function csvCell(value: RowValue): string {
	const text = value === null ? "" : String(value);
	const safe = /^[=+\-@]/.test(text) ? `'${text}` : text;
	return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The whole JSON document of a list query. */
export function naiveList(page: NaivePage, query: Query, snapshot: string, projection: Projection) {
	return {
		data: page.rows.map((row) => naiveObject(row, projection)),
		pagination: {
			page: query.page,
			limit: query.limit,
			total: page.total,
			total_pages: page.total === null ? null : Math.ceil(page.total / query.limit),
			has_next: page.hasNext,
			has_prev: query.page > 1,
		},
		meta: {
			snapshot,
			sort: query.sort,
			order: query.order,
			filters_applied: Object.keys(query.filters),
		},
	};
}
