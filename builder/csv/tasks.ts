/** The parser's tasks for worker threads. A worker keeps one parser per session. */

import type { ColumnName } from "../../formats/domain/columns.js";
import type { TaskHandlers } from "../workers/task-table.js";
import type { ChunkReply, ChunkRequest } from "./chunk-messages.js";
import { ChunkParser } from "./chunk-parser.js";
import type { WorkerDictionary } from "./parsed-month.js";

/** Tasks by kind, with their input and output. */
export interface CsvTasks {
	"parse-chunk": { input: ChunkRequest; output: ChunkReply };
	/** Input: the number of a session, which it ends on this worker. */
	"take-dictionaries": { input: number; output: Map<ColumnName, WorkerDictionary> };
}

/** By session. */
const parsers = new Map<number, ChunkParser>();

function parserOf(session: number): ChunkParser {
	let parser = parsers.get(session);
	if (parser === undefined) {
		parser = new ChunkParser();
		parsers.set(session, parser);
	}
	return parser;
}

/** The implementation of each kind of task. */
export const CSV_TASK_HANDLERS: TaskHandlers<CsvTasks> = {
	"parse-chunk": (request) => parserOf(request.session).parse(request),
	"take-dictionaries": (session) => {
		const dictionaries = parserOf(session).takeDictionaries();
		parsers.delete(session);
		return dictionaries;
	},
};
