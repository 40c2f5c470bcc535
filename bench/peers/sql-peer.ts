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
	countedIdsStatement,
	countStatement,
	idsStatement,
	joinedJsonStatement,
	joinedPageStatement,
	jsonObject,
	jsonPageStatement,
	jsonRowStatement,
	pageStatement,
	rowStatement,
	rowsOfIdsStatement,
	type Statement,
	statsStatements,
	suggestStatement,
} from "./sql.js";

export type SqlRow = Record<string, string | number | bigint | null>;

/** A database that runs statements. */
export interface SqlDatabase {
	readonly name: string;
	readonly version: string;
	/**
	 * What reads the page of a list fastest: one statement for its rows; JSON that the database writes itself, and
	 * functions mask_email and mask_phone; or the ids with the total, and then the rows of these.
	 */
	readonly pages: "rows" | "json" | "ids";
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
				const stored = this.storedJson && projection === WHOLE_ROW;
				if (this.database.pages === "json" && format !== "csv")
					return this.writtenPage(question, stored, begun);
				if (stored && format === "json") return this.storedPage(query, begun);
				const { rows, total } = await this.page(query, projection.columns);
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
					const [row] = await this.database.all(jsonRowStatement(id, "json"));
					return timed(begun, `{"data":${row.json}}`, () => ({ total: null, keys: [Number(row.id)] }));
				}
				if (this.database.pages === "json") {
					const [row] = await this.database.all(jsonRowStatement(id, this.object(projection)));
					return timed(begun, `{"data":${row.json}}`, () => ({ total: null, keys: [Number(row.id)] }));
				}
				const rows = await this.database.all(rowStatement(id, projection.columns, this.month));
				finish(rows, projection);
				const text = JSON.stringify({ data: rows[0] });
				return timed(begun, text, () => ({ total: null, keys: rows.map((row) => Number(row.id)) }));
			}
			case "stats": {
				const { rows, statuses } = statsStatements(question.geography);
				const [counted] = await this.database.all(rows);
				const found = await this.database.all(statuses);
				const data = found.map((row) => ({ value: row.value, rows: Number(row.total) }));
				const text = JSON.stringify({ data });
				return timed(begun, text, () => ({ total: Number(counted.total), keys: countedKeys(data) }));
			}
			case "aggregate": {
				const { request, filters, geography = null } = question;
				const { by } = request;
				const found = await this.database.all(aggregateStatement(request, filters, geography));
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

	/** The rows of a page, and the total. */
	private async page(query: Query, columns: readonly ColumnName[]) {
		const { database, month } = this;
		if (database.pages === "ids") return this.pageOfIds(query, columns);
		const statement = database.pages === "json" ? joinedPageStatement : pageStatement;
		const rows = await database.all(statement(query, columns, month));
		return { rows, total: query.count ? await this.count(query) : null };
	}

	private async pageOfIds(query: Query, columns: readonly ColumnName[]) {
		const counts = query.count && countStatement(query)?.text.includes(" FROM licenses ") === true;
		const found = await this.database.all(counts ? countedIdsStatement(query) : idsStatement(query));
		const ids = found.map((row) => Number(row.id));
		const counted = counts && ids.length > 0 ? Number(found[0].total) : null;
		const total = query.count ? (counted ?? (await this.count(query))) : null;
		if (ids.length === 0) return { rows: [], total };
		const read = await this.database.all(rowsOfIdsStatement(ids, columns, this.month));
		const byId = new Map(read.map((row) => [Number(row.id), row]));
		return { rows: ids.map((id) => byId.get(id) as SqlRow), total };
	}

	/** A page as JSON or NDJSON that the database wrote. Its ids are read from it after the time has ended. */
	private async writtenPage(
		{ query, projection, format }: Extract<Question, { kind: "list" }>,
		stored: boolean,
		begun: number,
	): Promise<TimedAnswer> {
		const isJson = format === "json";
		const object = stored ? "json" : this.object(projection);
		const [{ json }] = await this.database.all(joinedJsonStatement(query, object, isJson ? "," : "\n"));
		const total = query.count ? await this.count(query) : null;
		const rows = json === null ? "" : String(json);
		const { page, limit } = query;
		const lines = rows === "" ? "" : `${rows}\n`;
		const text = isJson
			? `{"data":[${rows}],"pagination":${JSON.stringify({ page, limit, total })},"meta":{}}`
			: lines;
		return timed(begun, text, () => {
			const array = `[${isJson ? rows : rows.replaceAll("\n", ",")}]`;
			const keys = (JSON.parse(array) as { id: number }[]).map(({ id }) => id);
			return { total, keys, body: isJson ? array : lines };
		});
	}

	/** The expression that writes a row as JSON. */
	private object({ columns, masked }: Projection): string {
		return jsonObject(columns, this.month, (name) => (masked && MASKED.has(name) ? maskedInSql(name) : null));
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

const MASKED: ReadonlySet<ColumnName> = new Set(CONTACT_COLUMNS.map(({ name }) => name));

function maskedInSql(name: ColumnName): string {
	return `${name.endsWith("_email") ? "mask_email" : "mask_phone"}(${name})`;
}

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
