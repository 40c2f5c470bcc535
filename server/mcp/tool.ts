/** What a tool is, and what the answers of several tools need. */

import type { Tool as ListedTool } from "@modelcontextprotocol/sdk/types.js";
import type { Answer, Call } from "../api/operation.js";
import type { AnyOperation } from "../api/operation-table.js";
import { requireAnswerSize } from "../api/responses/answer-size.js";
import type { Grant } from "../api/scope/grant.js";
import { parametersOf } from "./arguments.js";
import type { JsonObject } from "./json-rpc.js";

/** Arguments as raw parameters, defaults included. */
export type RawArguments = Readonly<Record<string, unknown>>;

/**
 * The structured content of a result as JSON: an object of at most RESULT_BYTES_MAX bytes, but for values of a size
 * that no drop has. Bytes may be a view that the next rendering overwrites. Throws ApiError.
 */
export type ToolAnswer = (given: RawArguments, call: Call) => Uint8Array | string;

/** The result of a call: JSON text or, of one that succeeded, its structured content as {@link ToolAnswer} gives it. */
export type ToolResult = string | Uint8Array;

export interface Tool {
	readonly listed: ListedTool;
	/** Arguments it takes. */
	readonly parameters: readonly string[];
	readonly operation: AnyOperation;
	/** Values of absent arguments, where they differ from HTTP's. */
	defaults(grant: Grant): JsonObject;
	readonly answer: ToolAnswer;
}

/** A tool as the protocol's dispatch sees it. */
export interface OfferedTool {
	readonly listed: ListedTool;
	/** Throws what the API does not answer itself. */
	result(given: JsonObject, call: Call): ToolResult;
}

/** Reads the arguments and checks them against grant and history; the work is left to the answer. Throws ApiError. */
export function answerOf(operation: AnyOperation, given: RawArguments, call: Call): Answer {
	const asked = operation.read(parametersOf(given), call.grant);
	const answer = operation.answer(asked, call);
	call.services.recentCalls.note({ operation, asked, grant: call.grant, gzip: false });
	return answer;
}

/** The JSON body of an operation's answer, as HTTP has it. Throws ApiError. */
export function bodyOf(operation: AnyOperation, given: RawArguments, call: Call): Uint8Array | string {
	const { bytes } = answerOf(operation, given, call).body();
	requireAnswerSize(bytes);
	return bytes;
}

/** {@link bodyOf} as text. */
export function bodyText(operation: AnyOperation, given: RawArguments, call: Call): string {
	const body = bodyOf(operation, given, call);
	if (typeof body === "string") return body;
	return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
}

/** The body of an operation's answer as data. REQUIRES: an operation that is not rendered row by row. */
export function bodyValue<T>(operation: AnyOperation, given: RawArguments, call: Call): T {
	const answer = answerOf(operation, given, call);
	if (answer.value === undefined) throw new TypeError(`${operation.endpoint} has no value`);
	return answer.value() as T;
}
