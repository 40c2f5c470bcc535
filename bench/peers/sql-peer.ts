/**
 * A database as a peer whose rows are made a response's text here. The time is that of running the statements and of
 * making the text: which statements these are, their text and their values are found before, as in a server that has a
 * statement for each kind of request.
 */

import type { Projection, Query } from "../../engine/index.js";
import { COLUMNS, type ColumnName } from "../../formats/index.js";
import { answerOf } from "../shapes/answers.js";
import type { Question } from "../shapes/question.js";
import { DatabasePeer, listText, type Peer, type PreparedQuestion, pageTotal } from "./peer.js";
import {
	aggregateStatement,
	countedIdsStatement,
	countStatement,
	idsStatement,
	jsonPageStatement,
	pageStatement,
	rowStatement,
	rowsOfIdsStatement,
	STORED_ROW,
	type Statement,
	statsStatements,
	suggestStatement,
	summaryOf,
	writtenRowStatement,
} from "./sql.js";
import type { Dates } from "./sql-conditions.js";

export type SqlValue = string | number | bigint | null;
export type SqlRow = Record<string, SqlValue>;

/** Runs a statement that is prepared and has its values. */
export type BoundStatement = () => Promise<SqlRow[]>;

/** A database that gives rows. */
export interface SqlDatabase {
	readonly name: string;
	readonly version: string;
	/** What reads the page of a list fastest: one statement for its rows, or the ids with the total, and then these rows. */
	readonly pages: "rows" | "ids";
	readonly dates: Dates;
	/** Statements are kept prepared, by their text. */
	bind(statement: Statement): Promise<BoundStatement>;
	close(): Promise<void>;
}

/** The rows of a statement. */
export async function rowsOf(database: SqlDatabase, statement: Statement): Promise<SqlRow[]> {
	return (await database.bind(statement))();
}

/** The text of a response, and the total of a list. */
interface Response {
	readonly text: string;
	readonly total: number | null;
}

type Responding = () => Promise<Response>;
type List = Extract<Question, { kind: "list" }>;

/** The rows of a page, with their total where it was found beside them. */
interface Page {
	readonly rows: SqlRow[];
	readonly total: number | null;
}

export class SqlPeer extends DatabasePeer implements Peer {
	protected readonly storedFormats = ["json"] as const;

	constructor(
		private readonly database: SqlDatabase,
		month: string,
		rows: number,
		storedJson = false,
	) {
		super(database, month, rows, storedJson);
	}

	async prepare(question: Question): Promise<PreparedQuestion> {
		const responding = await this.responding(question);
		return async () => {
			const begun = performance.now();
			const { text, total } = await responding();
			const milliseconds = performance.now() - begun;
			return { milliseconds, answer: () => answerOf(question, text, total) };
		};
	}

	async close(): Promise<void> {
		await this.database.close();
	}

	private responding(question: Question): Promise<Responding> {
		switch (question.kind) {
			case "list":
				return this.isStored(question) ? this.storedPage(question) : this.page(question);
			case "row":
				return this.row(question);
			case "stats":
				return this.stats(question);
			case "aggregate":
				return this.aggregate(question);
			case "suggest":
				return this.suggestions(question);
		}
	}

	private async page(question: List): Promise<Responding> {
		const { query, projection } = question;
		const page = await (this.database.pages === "ids"
			? this.pageOfIds(query, projection)
			: this.pageOfRows(query, projection));
		return async () => {
			const { rows, total } = await page();
			numbered(rows, projection);
			return { text: rendered(rows, question, total), total };
		};
	}

	private async pageOfRows(query: Query, projection: Projection): Promise<() => Promise<Page>> {
		const rows = await this.database.bind(pageStatement(query, projection, this.month));
		const total = await this.counting(query);
		return async () => {
			const found = await rows();
			return { rows: found, total: await total(found.length) };
		};
	}

	/** The statement of the rows depends on their number; finding it among those prepared is in the time. */
	private async pageOfIds(query: Query, projection: Projection): Promise<() => Promise<Page>> {
		const { dates } = this.database;
		// The total of a summary is found faster there, and a page of all rows needs none.
		const isCounted = query.count && countStatement(query) !== null && summaryOf(query.filters) === null;
		const statement = isCounted ? countedIdsStatement : idsStatement;
		const ids = await this.database.bind(statement(query, dates));
		const counting = await this.counting(query);
		return async () => {
			const found = await ids();
			const counted = isCounted && found.length > 0 ? Number(found[0].total) : null;
			const total = query.count ? (counted ?? (await counting(found.length))) : null;
			if (found.length === 0) return { rows: [], total };
			const numbers = found.map((row) => Number(row.id));
			const read = await rowsOf(this.database, rowsOfIdsStatement(numbers, projection, this.month));
			const byId = new Map(read.map((row) => [Number(row.id), row]));
			return { rows: numbers.map((id) => byId.get(id) as SqlRow), total };
		};
	}

	private async storedPage({ query }: List): Promise<Responding> {
		const statement = await this.database.bind(jsonPageStatement(query));
		const counting = await this.counting(query);
		return async () => {
			const rows = await statement();
			const total = await counting(rows.length);
			return { text: listText(rows.map((row) => row.json).join(","), query, total), total };
		};
	}

	private async row(question: Extract<Question, { kind: "row" }>): Promise<Responding> {
		const { id, projection } = question;
		if (this.isStored(question)) {
			const statement = await this.database.bind(writtenRowStatement(id, STORED_ROW));
			return async () => {
				const [{ json }] = await statement();
				return { text: `{"data":${json}}`, total: null };
			};
		}
		const statement = await this.database.bind(rowStatement(id, projection, this.month));
		return async () => {
			const rows = await statement();
			numbered(rows, projection);
			return { text: JSON.stringify({ data: rows[0] }), total: null };
		};
	}

	private async stats({ geography }: Extract<Question, { kind: "stats" }>): Promise<Responding> {
		const statements = statsStatements(geography);
		const rows = await this.database.bind(statements.rows);
		const statuses = await this.database.bind(statements.statuses);
		return async () => {
			const [{ total }] = await rows();
			const license_status = counted(await statuses());
			return { text: JSON.stringify({ data: { rows: Number(total), license_status } }), total: null };
		};
	}

	private async aggregate(question: Extract<Question, { kind: "aggregate" }>): Promise<Responding> {
		const { request, filters, geography = null } = question;
		const { by } = request;
		const statement = await this.database.bind(
			aggregateStatement(request, filters, geography, this.database.dates),
		);
		return async () => {
			const found = await statement();
			const groups = found.map((row) => ({
				by: Object.fromEntries(by.map((name, i) => [name, row[`group_${i}`]])),
				rows: Number(row.total),
			}));
			const rows = Number(found[0]?.matched ?? 0);
			const groupCount = Number(found[0]?.group_count ?? 0);
			return { text: JSON.stringify({ data: { groups, rows, groupCount } }), total: null };
		};
	}

	private async suggestions({ request }: Extract<Question, { kind: "suggest" }>): Promise<Responding> {
		const statement = await this.database.bind(suggestStatement(request));
		return async () => ({ text: JSON.stringify({ data: counted(await statement()) }), total: null });
	}

	/** What finds the total of a page of which some rows were found. */
	private async counting(query: Query): Promise<(found: number) => Promise<number | null>> {
		const statement = countStatement(query, this.database.dates);
		const count = statement === null ? null : await this.database.bind(statement);
		return async (found) => {
			if (!query.count) return null;
			const known = pageTotal(query, found);
			if (known !== null) return known;
			return count === null ? this.rows : Number((await count())[0].total);
		};
	}
}

function counted(rows: readonly SqlRow[]): { value: SqlValue; rows: number }[] {
	return rows.map((row) => ({ value: row.value, rows: Number(row.total) }));
}

/** Columns of whole numbers, which DuckDB and PostgreSQL return as text where they are of 64 bits. */
const NUMBERS: readonly ColumnName[] = COLUMNS.filter((c) => c.kind === "id" || c.kind === "int").map(
	(c) => c.name,
);

/** Makes the numbers of the rows numbers. */
function numbered(rows: SqlRow[], { columns }: Projection): void {
	const names = NUMBERS.filter((name) => typeof rows[0]?.[name] !== "number" && columns.includes(name));
	for (const row of rows) for (const name of names) if (row[name] !== null) row[name] = Number(row[name]);
}

function rendered(
	rows: readonly SqlRow[],
	{ format, projection, query: { page, limit } }: List,
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
function cell(value: SqlValue): string {
	if (value === null) return "";
	const text = /^[=+\-@]/.test(String(value)) ? `'${value}` : String(value);
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
