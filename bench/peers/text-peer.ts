/**
 * SQLite as a peer: it writes the text of a response itself, in the process that asks it. The time is that of running the
 * statements and of putting their texts together, as in {@link "./sql-peer.js"}.
 */

import type { Projection, Query } from "../../engine/index.js";
import { answerOf } from "../shapes/answers.js";
import type { Question } from "../shapes/question.js";
import { DatabasePeer, listText, type Peer, type PreparedQuestion, pageTotal } from "./peer.js";
import {
	aggregateStatement,
	countStatement,
	csvCells,
	jsonArrayStatement,
	jsonObject,
	STORED_ROW,
	type Statement,
	statsStatements,
	suggestStatement,
	type WrittenRow,
	writtenPageStatement,
	writtenRowStatement,
} from "./sql.js";

export type TextValue = string | number | null;

/** A database that writes texts at once, without a turn of the event loop. */
export interface TextDatabase {
	readonly name: string;
	readonly version: string;
	/** How often a prepared statement was planned again so far; null where that is not known. */
	reprepared(): number | null;
	/** What gives the values of a statement's only row. Statements are kept prepared, by their text. */
	bind(statement: Statement): () => readonly TextValue[];
	close(): void;
}

/** The text of a response, and the total of a list. */
interface Response {
	readonly text: string;
	readonly total: number | null;
}

type List = Extract<Question, { kind: "list" }>;

export class TextPeer extends DatabasePeer implements Peer {
	protected readonly storedFormats = ["json", "ndjson"] as const;

	constructor(
		private readonly database: TextDatabase,
		month: string,
		rows: number,
		storedJson = false,
	) {
		super(database, month, rows, storedJson);
	}

	async prepare(question: Question): Promise<PreparedQuestion> {
		const respond = this.responding(question);
		return async () => {
			const begun = performance.now();
			const { text, total } = respond();
			const milliseconds = performance.now() - begun;
			return { milliseconds, answer: () => answerOf(question, text, total) };
		};
	}

	reprepared(): number | null {
		return this.database.reprepared();
	}

	async close(): Promise<void> {
		this.database.close();
	}

	private responding(question: Question): () => Response {
		switch (question.kind) {
			case "list":
				return this.page(question);
			case "row":
				return this.data(writtenRowStatement(question.id, this.object(question, question.projection)));
			case "stats":
				return this.stats(question);
			case "aggregate":
				return this.aggregate(question);
			case "suggest":
				return this.data(
					jsonArrayStatement(suggestStatement(question.request), { value: "value", rows: "total" }),
				);
		}
	}

	private page(question: List): () => Response {
		const { query, projection, format } = question;
		const isJson = format === "json";
		const row = format === "csv" ? csvCells(projection, this.month) : this.object(question, projection);
		const separator = { json: ",", ndjson: "\n", csv: "\r\n" }[format];
		const written = this.database.bind(writtenPageStatement(query, row, separator));
		const counting = this.counting(query);
		const header = format === "csv" ? `${projection.columns.join(",")}\r\n` : "";
		return () => {
			const [rows, found] = written();
			const total = counting(Number(found));
			const lines = rows === null ? "" : String(rows);
			const text = isJson
				? listText(lines, query, total)
				: `${header}${lines}${rows === null ? "" : separator}`;
			return { text, total };
		};
	}

	/** What writes a row as JSON. */
	private object(question: Question, projection: Projection): WrittenRow {
		return this.isStored(question) ? STORED_ROW : jsonObject(projection, this.month);
	}

	/** A response that is one text. */
	private data(statement: Statement): () => Response {
		const bound = this.database.bind(statement);
		return () => ({ text: `{"data":${bound()[0]}}`, total: null });
	}

	private stats({ geography }: Extract<Question, { kind: "stats" }>): () => Response {
		const statements = statsStatements(geography);
		const rows = this.database.bind(statements.rows);
		const statuses = this.database.bind(
			jsonArrayStatement(statements.statuses, { value: "value", rows: "total" }),
		);
		return () => ({
			text: `{"data":{"rows":${rows()[0]},"license_status":${statuses()[0]}}}`,
			total: null,
		});
	}

	private aggregate(question: Extract<Question, { kind: "aggregate" }>): () => Response {
		const { request, filters, geography = null } = question;
		const by = request.by.map((name, i) => `'${name}', group_${i}`);
		const statement = jsonArrayStatement(
			aggregateStatement(request, filters, geography),
			{ by: `json_object(${by.join(", ")})`, rows: "total" },
			"ifnull(max(matched), 0)",
			"ifnull(max(group_count), 0)",
		);
		const bound = this.database.bind(statement);
		return () => {
			const [groups, rows, groupCount] = bound();
			return { text: `{"data":{"groups":${groups},"rows":${rows},"groupCount":${groupCount}}}`, total: null };
		};
	}

	/** What finds the total of a page of which some rows were found. */
	private counting(query: Query): (found: number) => number | null {
		const statement = countStatement(query);
		const count = statement === null ? null : this.database.bind(statement);
		return (found) => {
			if (!query.count) return null;
			return pageTotal(query, found) ?? (count === null ? this.rows : Number(count()[0]));
		};
	}
}
