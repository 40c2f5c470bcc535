/**
 * One call of a tool. What an agent can mend (arguments, scope, history, an id that does not exist)
 * is a result with `isError`, which holds the error body of HTTP and a remedy; any other fault is thrown.
 */

import { RawParameters } from "../../formats/index.js";
import { ApiError, type ErrorCode, errorBody } from "../api/errors.js";
import type { Call } from "../api/operation.js";
import { readArguments } from "./arguments.js";
import type { JsonObject } from "./message.js";
import type { Tool } from "./tools.js";

/**
 * The text of the result of a call. The structured content is the operation's JSON as it was
 * rendered, and the text copy is the same again, as the protocol wants it for older clients.
 */
export function callTool(tool: Tool, given: JsonObject, call: Call): string {
	try {
		tool.operation.authorize?.(call.grant, call.services.loaded);
		const raw = readArguments(given, tool.parameters, tool.defaults(call.grant));
		const json = tool.sized(raw, (parameters) => runOperation(tool, parameters, call));
		return `{"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}}`;
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		return refusal(error);
	}
}

/** The JSON body that the operation answers with. Throws ApiError. */
export function runOperation(
	{ operation }: Pick<Tool, "operation">,
	raw: Readonly<Record<string, unknown>>,
	call: Call,
): string {
	const { bytes } = operation.answer(operation.read(RawParameters.of(raw), call.grant), call).body();
	if (typeof bytes === "string") return bytes;
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

function refusal(error: ApiError): string {
	const texts = [errorBody(error), remedyFor(error)].filter((text) => text !== "");
	return JSON.stringify({ content: texts.map((text) => ({ type: "text", text })), isError: true });
}

const REMEDIES: Partial<Record<ErrorCode, string>> = {
	scope_denied: "Stay within the grant that the message lists; whoami tells it in full.",
	history_denied:
		"Leave snapshot out to ask the latest month; list_snapshots tells which months this key reads.",
	not_found: "list_snapshots tells the months there are.",
	unavailable: "The data is not being served at the moment; try again in a minute.",
};

const REMEDIES_BY_PARAM: Readonly<Record<string, string>> = {
	id: "Ids belong to one snapshot; find the row's id with search_licenses (state and license_number).",
	page: "Narrow the search with more filters, or sort the other way round.",
	state: "list_states tells the codes.",
	field: "The fields are city, office and last_name.",
};

/** What to do next, where the message itself doesn't say. */
function remedyFor({ code, param }: ApiError): string {
	const general = REMEDIES[code] ?? "";
	if (code !== "invalid_parameter" && code !== "not_found") return general;
	return (param === null ? undefined : REMEDIES_BY_PARAM[param]) ?? general;
}
