/**
 * What the three peers share: from a question to statements, and from result rows to an answer and the
 * bytes of a response.
 */

import type { Query } from "../../engine/index.js";
import type { ColumnName } from "../../formats/index.js";
import { aggregateAnswer } from "../shapes/aggregate-shapes.js";
import { type Answer, KEY_SEPARATOR, type Question } from "../shapes/question.js";
import type { Peer, TimedAnswer } from "./peer.js";
import {
	aggregateStatement,
	countStatement,
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
	) {
		this.name = database.name;
		this.version = database.version;
	}

	async ask(question: Question): Promise<TimedAnswer> {
		const begun = performance.now();
		switch (question.kind) {
			case "list": {
				const rows = await this.database.all(pageStatement(question.query, question.projection.columns));
				const total = question.query.count ? await this.count(question.query) : null;
				const { columns } = question.projection;
				const text =
					question.format === "csv" ? this.csv(rows, columns) : this.envelope(rows, question.query, total);
				return this.timed(begun, text, { total, keys: rows.map((row) => Number(row.id)) });
			}
			case "row": {
				const rows = await this.database.all(rowStatement(question.id, question.projection.columns));
				const text = JSON.stringify({ data: this.plain(rows[0]) });
				return this.timed(begun, text, { total: null, keys: rows.map((row) => Number(row.id)) });
			}
			case "stats": {
				const { rows, statuses } = statsStatements(question.geography);
				const [counted] = await this.database.all(rows);
				const found = await this.database.all(statuses);
				const data = found.map((row) => ({ value: row.value, rows: Number(row.total) }));
				const keys = data.map((row) => `${row.value}${KEY_SEPARATOR}${row.rows}`);
				return this.timed(begun, JSON.stringify({ data }), { total: Number(counted.total), keys });
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
				const answer = aggregateAnswer({ groups, rows, groupCount });
				return this.timed(begun, JSON.stringify({ data: groups, meta: { rows, groupCount } }), answer);
			}
			case "suggest": {
				const rows = await this.database.all(suggestStatement(question.request));
				const data = rows.map((row) => ({ value: row.value, rows: Number(row.total) }));
				const keys = data.map((row) => `${row.value}${KEY_SEPARATOR}${row.rows}`);
				return this.timed(begun, JSON.stringify({ data }), { total: null, keys });
			}
		}
	}

	async close(): Promise<void> {
		await this.database.close();
	}

	private timed(begun: number, text: string, answer: Answer): TimedAnswer {
		const bytes = Buffer.byteLength(text);
		return { answer, bytes, milliseconds: performance.now() - begun };
	}

	private async count(query: Query): Promise<number> {
		const statement = countStatement(query);
		if (statement === null) return this.rows;
		const [row] = await this.database.all(statement);
		return Number(row.total);
	}

	private plain(row: SqlRow): SqlRow {
		return { ...row, id: Number(row.id), snapshot: this.month };
	}

	private envelope(rows: readonly SqlRow[], query: Query, total: number | null): string {
		const data = rows.map((row) => this.plain(row));
		return JSON.stringify({ data, pagination: { page: query.page, limit: query.limit, total }, meta: {} });
	}

	private csv(rows: readonly SqlRow[], columns: readonly ColumnName[]): string {
		const lines = rows.map((row) =>
			columns.map((name) => cell(name === "snapshot" ? this.month : row[name])),
		);
		return [columns.join(","), ...lines.map((cells) => cells.join(","))].join("\r\n");
	}
}

function cell(value: SqlRow[string]): string {
	if (value === null) return "";
	const text = String(value);
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
