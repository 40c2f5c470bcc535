/**
 * Executes one tool call. What an agent can correct (arguments, scope, history, an unknown id) is a result
 * with `isError`, which holds the error body of HTTP and a remedy; any other fault is thrown.
 */

import { FILTERS_BY_NAME, groupDigits } from "../../formats/index.js";
import {
	type ApiError,
	clientError,
	type ErrorCode,
	errorBody,
	errorFor,
	invalidParameter,
} from "../api/errors.js";
import type { Call } from "../api/operation.js";
import { readArguments } from "./arguments.js";
import type { JsonObject } from "./json-rpc.js";
import { RESULT_BYTES_MAX } from "./results/budget.js";
import type { Tool, ToolResult } from "./tool.js";

/** A result of as many characters is within the budget, whatever they are. */
const SURELY_FITTING = RESULT_BYTES_MAX / 3;

/** The result: its structured content is what the tool answers. */
export function callTool(tool: Tool, given: JsonObject, call: Call): ToolResult {
	return toolResult(tool.parameters, () => {
		tool.operation.authorize?.(call.grant, call.services.loaded);
		return tool.answer(readArguments(given, tool.parameters, tool.defaults(call.grant)), call);
	});
}

/** The result whose structured content is what `answer` gives; a refusal where it throws one. */
export function toolResult(parameters: readonly string[], answer: () => string | Uint8Array): ToolResult {
	try {
		const json = answer();
		if (json.length > SURELY_FITTING && Buffer.byteLength(json) > RESULT_BYTES_MAX) throw oversized();
		if (typeof json !== "string") return json;
		return `{"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}}`;
	} catch (error) {
		const reported = clientError(errorFor(parameters, error));
		if (reported === null) throw error;
		return refusal(reported, parameters);
	}
}

/** Values of kilobytes each, as no drop has them, can make even the smallest answer too large. */
function oversized(): ApiError {
	const most = groupDigits(RESULT_BYTES_MAX);
	return invalidParameter(
		"fields",
		`the result would have more than ${most} bytes; ask for fewer fields or rows`,
	);
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

/** What to do where a month is not read. */
const MONTH_REMEDY =
	"Omit snapshot to query the latest month; list_snapshots lists the months this key reads.";

/** What to do where the older month of a comparison is not read. */
const COMPARE_REMEDY =
	"Omit compare to count one month alone; list_snapshots lists the months this key reads.";

/** What to do where a month of a comparison of rows is none. */
const FROM_TO_REMEDY =
	"Omit from and to to compare the two newest months; list_snapshots lists the months this key reads.";

/** What to do where no row has the id. */
const ID_REMEDY =
	"Ids belong to one snapshot; find the row's id with search_licenses (state and license_number).";

/** What to do where no state has the code. */
const STATE_REMEDY = "list_states lists the codes.";

/** What to do where a tool of ids is given a license's number. */
const NUMBER_REMEDY = "By number: search_licenses or license_history, with state and license_number.";

/** What to do where a tool of one license is given a person's name, and by which arguments that is told. */
const NAME_REMEDY = "By name: search_licenses with name, whose rows have ids and license numbers.";
const NAME_ARGUMENT = /^(q|query|(member_)?((full|first|last)_)?name)$/;

/** What to do where a tool that does not count by group or filter is asked to, and the names by which groups are asked for. */
const COUNT_REMEDY = "Counts by group, over any filter: aggregate_licenses.";
const GROUP_ARGUMENT = /^(by|group(_?by)?|dimensions?)$/;

/** What to do where a tool is asked for another form than JSON. */
const FORMAT_REMEDY =
	"Rows as CSV: the same filters with format=csv over HTTP, GET /v1/licenses or /v1/changes.";

/** What to do next in a tool that takes `parameters`, if the message itself does not say. */
function remedyFor({ code, param }: ApiError, parameters: readonly string[]): string {
	const takesMonth = parameters.includes("snapshot");
	if (code === "history_denied" && param === "cursor")
		return "A newer month was published meanwhile: begin again without cursor.";
	if (code === "history_denied" && param === "compare") return COMPARE_REMEDY;
	if (code === "history_denied")
		return takesMonth
			? MONTH_REMEDY
			: "list_snapshots lists the months this key reads; search_licenses answers from the latest.";
	if (code === "invalid_parameter") return argumentRemedy(param ?? "", parameters);
	if (code !== "not_found") return REMEDIES[code] ?? "";
	return param === "id" && parameters.includes(param) ? ID_REMEDY : "list_snapshots lists the loaded months.";
}

/** What to do where the argument `param` breaks a rule, or is none of `parameters`. */
function argumentRemedy(param: string, parameters: readonly string[]): string {
	const isTaken = parameters.includes(param);
	if (param === "snapshot" && isTaken) return MONTH_REMEDY;
	if (param === "compare" && isTaken) return COMPARE_REMEDY;
	if ((param === "from" || param === "to") && isTaken) return FROM_TO_REMEDY;
	if (param === "state" && isTaken) return STATE_REMEDY;
	if (param === "format" && parameters.includes("cursor")) return FORMAT_REMEDY;
	if (!isTaken && isCount(param, parameters)) return COUNT_REMEDY;
	if (parameters[0] === "id" && (param === "state" || param === "license_number")) return NUMBER_REMEDY;
	return parameters.includes("id") && NAME_ARGUMENT.test(param) ? NAME_REMEDY : "";
}

/** Whether `param` asks a tool of rows for groups, or one that counts all licenses of a place for those of a filter. */
function isCount(param: string, parameters: readonly string[]): boolean {
	if (parameters.includes("by") || parameters.includes("id")) return false;
	if (GROUP_ARGUMENT.test(param)) return true;
	return parameters.length === 2 && parameters.includes("snapshot") && FILTERS_BY_NAME.has(param);
}
