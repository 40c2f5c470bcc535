/**
 * The methods of the protocol: what each answers, in which era, and whether it counts as a request
 * of its key. What never changes is written as text once.
 */

import type { InitializeResult, ServerCapabilities } from "@modelcontextprotocol/sdk/types.js";
import { didYouMean, quoted } from "../../formats/index.js";
import type { Call } from "../api/operation.js";
import { callTool } from "./call-tool.js";
import { INSTRUCTIONS } from "./instructions.js";
import { isObject, type JsonObject, type RequestMessage } from "./message.js";
import { complete, getPrompt, PROMPT_LIST } from "./prompts.js";
import {
	type CacheHint,
	type Era,
	HANDSHAKE_VERSION_LATEST,
	HANDSHAKE_VERSIONS,
	RPC,
	RpcError,
	SERVER_INFO,
	STATELESS_VERSIONS,
} from "./protocol.js";
import { RESOURCE_TEMPLATES, RESOURCES, readResource } from "./resources.js";
import { findTool, TOOL_NAMES, TOOLS } from "./tools.js";

/** The text of a result, and for how long it keeps; null: it is not to be kept. */
export interface Result {
	readonly result: string;
	readonly cache: CacheHint | null;
}

export interface Method {
	readonly eras: readonly Era[];
	/** Whether a request counts toward the key's limits, as one to HTTP does. */
	readonly metered: boolean;
	answer(params: JsonObject, call: Call, era: Era): Result;
}

const BOTH: readonly Era[] = ["handshake", "stateless"];
const CAPABILITIES: ServerCapabilities = { tools: {}, resources: {}, prompts: {}, completions: {} };
/** Lists are the same for every key and change with a release only. */
const FIXED: CacheHint = { ttlMs: 3_600_000, cacheScope: "public" };

/** A list that fits one page, so that no cursor was ever given out. */
function list(member: string, items: readonly unknown[]): Method {
	const result = JSON.stringify({ [member]: items });
	return {
		eras: BOTH,
		metered: false,
		answer({ cursor }) {
			if (cursor !== undefined) throw new RpcError(RPC.invalidParams, "cursor is none of this server's");
			return { result, cache: FIXED };
		},
	};
}

const DISCOVERY: Result = {
	result: JSON.stringify({
		supportedVersions: STATELESS_VERSIONS,
		capabilities: CAPABILITIES,
		instructions: INSTRUCTIONS,
	}),
	cache: FIXED,
};

function initialize({ protocolVersion }: JsonObject): Result {
	if (typeof protocolVersion !== "string")
		throw new RpcError(RPC.invalidParams, "protocolVersion must be text");
	const result: InitializeResult = {
		protocolVersion: versionFor(protocolVersion),
		capabilities: CAPABILITIES,
		serverInfo: SERVER_INFO,
		instructions: INSTRUCTIONS,
	};
	return { result: JSON.stringify(result), cache: null };
}

/**
 * The version offered to a client that wants `wanted`: that one, else the newest one before it, which its
 * software is the likeliest to know, else the latest.
 */
function versionFor(wanted: string): string {
	return HANDSHAKE_VERSIONS.find((version) => version <= wanted) ?? HANDSHAKE_VERSION_LATEST;
}

function call({ name, arguments: given }: JsonObject, caller: Call): Result {
	if (typeof name !== "string") throw new RpcError(RPC.invalidParams, "name must be text");
	const tool = findTool(name);
	if (tool === undefined)
		throw new RpcError(
			RPC.invalidParams,
			`no tool ${quoted(name)}${didYouMean(name, TOOL_NAMES) || "."} The tools are ${TOOL_NAMES.join(", ")}`,
		);
	if (given !== undefined && given !== null && !isObject(given))
		throw new RpcError(RPC.invalidParams, "arguments must be an object");
	return { result: callTool(tool, given ?? {}, caller), cache: null };
}

const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
	["initialize", { eras: ["handshake"], metered: false, answer: initialize }],
	["ping", { eras: ["handshake"], metered: false, answer: () => ({ result: "{}", cache: null }) }],
	["server/discover", { eras: ["stateless"], metered: false, answer: () => DISCOVERY }],
	[
		"tools/list",
		list(
			"tools",
			TOOLS.map((t) => t.listed),
		),
	],
	["tools/call", { eras: BOTH, metered: true, answer: call }],
	["resources/list", list("resources", RESOURCES)],
	["resources/templates/list", list("resourceTemplates", RESOURCE_TEMPLATES)],
	[
		"resources/read",
		{
			eras: BOTH,
			metered: true,
			answer({ uri }, caller, era) {
				if (typeof uri !== "string") throw new RpcError(RPC.invalidParams, "uri must be text");
				return readResource(uri, era, caller);
			},
		},
	],
	["prompts/list", list("prompts", PROMPT_LIST)],
	[
		"prompts/get",
		{ eras: BOTH, metered: false, answer: (params) => ({ result: getPrompt(params), cache: null }) },
	],
	[
		"completion/complete",
		{ eras: BOTH, metered: false, answer: (params) => ({ result: complete(params), cache: null }) },
	],
]);

/** The method of a request. Throws RpcError where its era has none of that name. */
export function methodOf({ method }: RequestMessage, era: Era): Method {
	const found = METHODS.get(method);
	if (found?.eras.includes(era)) return found;
	const names = [...METHODS].filter(([, m]) => m.eras.includes(era)).map(([name]) => name);
	throw new RpcError(
		RPC.methodNotFound,
		`no method ${quoted(method)}${didYouMean(method, names)}`,
		era === "stateless" ? 404 : null,
	);
}
