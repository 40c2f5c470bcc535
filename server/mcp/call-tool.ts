/**
 * Executes one tool call. What an agent can correct (arguments, scope, history, an unknown id) is a result
 * with `isError`, which holds the error body of HTTP and a remedy; any other fault is thrown.
 */

import { RawParameters } from "../../formats/index.js";
import { limitReached } from "../api/admission.js";
import { type ApiError, clientError, type ErrorCode, errorBody } from "../api/errors.js";
import type { Call } from "../api/operation.js";
import { requireAnswerSize } from "../api/responses/answer-size.js";
import { readArguments } from "./arguments.js";
import type { JsonObject } from "./message.js";
import type { Tool } from "./tools.js";

/**
 * The JSON text of the result. The structured content is the operation's JSON as rendered; the protocol
 * requires the same as text, for older clients.
 */
export function callTool(tool: Tool, given: JsonObject, call: Call): string {
	try {
		tool.operation.authorize?.(call.grant, call.services.loaded);
		const { raw, defaults } = readArguments(given, tool.parameters, tool.defaults(call.grant));
		const json = tool.sized(raw, (parameters) =>
			withDefaults(runOperation(tool, parameters, call), defaults),
		);
		return `{"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}}`;
	} catch (error) {
		const told = clientError(error);
		if (told === null) throw error;
		return refusal(told, tool.parameters);
	}
}

/** `json` with `meta.defaults`, the arguments that the tool chose itself; `meta` ends the document, and has members. */
function withDefaults(json: string, defaults: JsonObject): string {
	if (Object.keys(defaults).length === 0) return json;
	return `${json.slice(0, -2)},"defaults":${JSON.stringify(defaults)}}}`;
}

/** The JSON body of the operation's answer. Throws ApiError. */
export function runOperation(
	{ operation }: Pick<Tool, "operation">,
	raw: Readonly<Record<string, unknown>>,
	call: Call,
): string {
	const asked = operation.read(RawParameters.of(raw), call.grant);
	const { bytes, requests = 1 } = operation.answer(asked, call).body();
	requireAnswerSize(bytes);
	if (requests > 1) countMore(requests - 1, call);
	if (typeof bytes === "string") return bytes;
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** Counts the requests that a call is worth besides the one it was admitted as. Throws ApiError. */
function countMore(requests: number, { key, nowMs, services }: Call): void {
	const decision = services.limits.take(key, "/mcp", nowMs, requests);
	if (!decision.allowed) throw limitReached(decision);
}

/** The result of a call that was refused. */
export function refusal(error: ApiError, parameters: readonly string[] = []): string {
	const texts = [toolErrorBody(error), remedyFor(error, parameters)].filter((text) => text !== "");
	return JSON.stringify({ content: texts.map((text) => ({ type: "text", text })), isError: true });
}

/** The error body of HTTP, with what HTTP says in the header `Retry-After`. */
function toolErrorBody(error: ApiError): string {
	const body = errorBody(error);
	return error.retryAfterS === null ? body : `${body.slice(0, -2)},"retry_after_s":${error.retryAfterS}}}`;
}

const REMEDIES: Partial<Record<ErrorCode, string>> = {
	scope_denied: "Stay within the grant that the message lists; whoami describes it in full.",
	unavailable: "The data is not available at the moment; retry in a minute.",
};

/** A map, since parameter names come from the client. */
const REMEDIES_BY_PARAM: ReadonlyMap<string, string> = new Map([
	["id", "Ids belong to one snapshot; find the row's id with search_licenses (state and license_number)."],
	["page", "Narrow the search with more filters, or reverse the sort order."],
	["state", "list_states lists the codes."],
]);

/** What to do next in a tool that takes `parameters`, if the message itself does not say. */
function remedyFor({ code, param }: ApiError, parameters: readonly string[]): string {
	const takesMonth = parameters.includes("snapshot");
	if (code === "history_denied")
		return takesMonth
			? "Omit snapshot to query the latest month; list_snapshots lists the months this key reads."
			: "list_snapshots lists the months this key reads; search_licenses answers from the latest.";
	if (code !== "invalid_parameter" && code !== "not_found") return REMEDIES[code] ?? "";
	const known = param !== null && parameters.includes(param) ? REMEDIES_BY_PARAM.get(param) : undefined;
	return known ?? (code === "not_found" ? "list_snapshots lists the loaded months." : "");
}
