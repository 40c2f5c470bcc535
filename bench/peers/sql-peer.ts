/**
 * What the three peers share: from a question to statements, and from result rows to an answer and the
 * bytes of a response.
 */

import { maskEmail, maskPhone, type Projection, type Query } from "../../engine/index.js";
import { COLUMNS, CONTACT_COLUMNS, type ColumnName } from "../../formats/index.js";
import { aggregateAnswer } from "../shapes/aggregate-shapes.js";
import { WHOLE_ROW } from "../shapes/named-shapes.js";
import { type Answer, KEY_SEPARATOR, type Question, rowsInJson } from "../shapes/question.js";
import type { Peer, TimedAnswer } from "./peer.js";
import {
	aggregateStatement,
	countStatement,
	jsonPageStatement,
	jsonRowStatement,
	pageStatement,
	rowStatement,
	type Statement,
	statsStatements,
	suggestStatement,
} from "./sql.js";

export type SqlRow = Record<string, string | number | bigint | null>;

/** A database that runs statements. */
export interface SqlDatabase {
	readonly name: string;
	readonly version: string;
	/** Whether it has the summary table for statistics. */
	readonly summarized: boolean;
	/** How often a prepared statement was planned again so far; null where that is not known. */
	reprepared(): number | null;
	/** The rows of a statement. Statements are kept prepared, by their text. */
	all(statement: Statement): SqlRow[] | Promise<SqlRow[]>;
	close(): void | Promise<void>;
}

export class SqlPeer implements Peer {
	readonly name: string;
	readonly version: string;

	constructor(
		private readonly database: SqlDatabase,
		private readonly month: string,
		private readonly rows: number,
		/** Whether whole rows are read as JSON text, from the table of it, instead of put together. */
		private readonly storedJson = false,
	) {
		this.name = storedJson ? `${database.name} JSON` : database.name;
		this.version = database.version;
	}

	/**
	 * Asks the database. The time ends with the text of the response: keys and bytes for comparison are not in it, and
	 * neither is encoding the text, which favours the peer.
	 */
	async ask(question: Question): Promise<TimedAnswer> {
		const begun = performance.now();
		switch (question.kind) {
			case "list": {
				const { query, projection, format } = question;
				if (this.storedJson && format === "json" && projection === WHOLE_ROW)
					return this.storedPage(query, begun);
				const rows = await this.database.all(pageStatement(query, projection.columns, this.month));
				const total = query.count ? await this.count(query) : null;
				finish(rows, projection);
				const text = rendered(rows, question, total);
				return timed(begun, text, () => ({
					total,
					keys: rows.map((row) => Number(row.id)),
					body: format === "json" ? rowsInJson(text) : text,
				}));
			}
			case "row": {
				const { id, projection } = question;
				if (this.storedJson && projection === WHOLE_ROW) {
					const [row] = await this.database.all(jsonRowStatement(id));
					return timed(begun, `{"data":${row.json}}`, () => ({ total: null, keys: [Number(row.id)] }));
				}
				const rows = await this.database.all(rowStatement(id, projection.columns, this.month));
				finish(rows, projection);
				const text = JSON.stringify({ data: rows[0] });
				return timed(begun, text, () => ({ total: null, keys: rows.map((row) => Number(row.id)) }));
			}
			case "stats": {
				const { rows, statuses } = statsStatements(question.geography, this.database.summarized);
				const [counted] = await this.database.all(rows);
				const found = await this.database.all(statuses);
				const data = found.map((row) => ({ value: row.value, rows: Number(row.total) }));
				const text = JSON.stringify({ data });
				return timed(begun, text, () => ({ total: Number(counted.total), keys: countedKeys(data) }));
			}
			case "aggregate": {
				const { by } = question.request;
				const found = await this.database.all(aggregateStatement(question.request, question.filters));
				const groups = found.map((row) => ({
					by: Object.fromEntries(by.map((name, i) => [name, row[`group_${i}`] as string | null])),
					rows: Number(row.total),
				}));
				const rows = Number(found[0]?.matched ?? 0);
				const groupCount = Number(found[0]?.group_count ?? 0);
				const text = JSON.stringify({ data: groups, meta: { rows, groupCount } });
				return timed(begun, text, () => aggregateAnswer({ groups, rows, groupCount }));
			}
			case "suggest": {
				const rows = await this.database.all(suggestStatement(question.request));
				const data = rows.map((row) => ({ value: row.value, rows: Number(row.total) }));
				return timed(begun, JSON.stringify({ data }), () => ({ total: null, keys: countedKeys(data) }));
			}
		}
	}

	private async storedPage(query: Query, begun: number): Promise<TimedAnswer> {
		const rows = await this.database.all(jsonPageStatement(query));
		const total = query.count ? await this.count(query) : null;
		const { page, limit } = query;
		const body = `[${rows.map((row) => row.json).join(",")}]`;
		const text = `{"data":${body},"pagination":${JSON.stringify({ page, limit, total })},"meta":{}}`;
		return timed(begun, text, () => ({ total, keys: rows.map((row) => Number(row.id)), body }));
	}

	reprepared(): number | null {
		return this.database.reprepared();
	}

	async close(): Promise<void> {
		await this.database.close();
	}

	private async count(query: Query): Promise<number> {
		const statement = countStatement(query);
		if (statement === null) return this.rows;
		const [row] = await this.database.all(statement);
		return Number(row.total);
	}
}

/** The response's text with its time, and the answer, which is made after the time has ended. */
function timed(begun: number, text: string, answer: () => Answer): TimedAnswer {
	const milliseconds = performance.now() - begun;
	return { answer: answer(), bytes: Buffer.byteLength(text), milliseconds };
}

type CountedValue = { readonly value: SqlRow[string]; readonly rows: number };

function countedKeys(data: readonly CountedValue[]): string[] {
	return data.map((row) => `${row.value}${KEY_SEPARATOR}${row.rows}`);
}

/** Columns of whole numbers, which DuckDB and PostgreSQL return as text where they are of 64 bits. */
const NUMBERS: readonly ColumnName[] = COLUMNS.filter((c) => c.kind === "id" || c.kind === "int").map(
	(c) => c.name,
);
const MASKS: readonly (readonly [ColumnName, (text: string) => string])[] = CONTACT_COLUMNS.map(
	({ name }) => [name, name.endsWith("_email") ? maskEmail : maskPhone],
);

/** Makes the rows what the response has: numbers as numbers, contacts masked. */
function finish(rows: SqlRow[], { columns, masked }: Projection): void {
	const numbers = NUMBERS.filter((name) => typeof rows[0]?.[name] !== "number" && columns.includes(name));
	const masks = masked ? MASKS.filter(([name]) => columns.includes(name)) : [];
	if (numbers.length === 0 && masks.length === 0) return;
	for (const row of rows) {
		for (const name of numbers) if (row[name] !== null) row[name] = Number(row[name]);
		for (const [name, mask] of masks) {
			const value = row[name];
			if (value !== null) row[name] = mask(String(value));
		}
	}
}

function rendered(
	rows: readonly SqlRow[],
	{ format, projection, query: { page, limit } }: Extract<Question, { kind: "list" }>,
	total: number | null,
): string {
	switch (format) {
		case "json":
			return JSON.stringify({ data: rows, pagination: { page, limit, total }, meta: {} });
		case "ndjson":
			return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
		case "csv": {
			const { columns } = projection;
			const lines = rows.map((row) => `${columns.map((name) => cell(row[name])).join(",")}\r\n`);
			return `${columns.join(",")}\r\n${lines.join("")}`;
		}
	}
}

/** A cell of CSV. What a spreadsheet would run as a formula begins with an apostrophe. */
function cell(value: SqlRow[string]): string {
	if (value === null) return "";
	const text = /^[=+\-@]/.test(String(value)) ? `'${value}` : String(value);
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
