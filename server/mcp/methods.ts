/**
 * The methods of the protocol: what each answers, in which mode, and whether it counts as a request
 * of its key. What never changes is written as text once.
 */

import type { InitializeResult, ServerCapabilities } from "@modelcontextprotocol/sdk/types.js";
import { didYouMean, quoted } from "../../formats/index.js";
import type { Call } from "../api/operation.js";
import { INSTRUCTIONS } from "./instructions.js";
import { isObject, type JsonObject } from "./json-rpc.js";
import type { RequestMessage } from "./message.js";
import type { Offering } from "./offering.js";
import { complete, getPrompt, PROMPT_LIST } from "./prompts.js";
import {
	type CacheHint,
	HANDSHAKE_VERSION_LATEST,
	HANDSHAKE_VERSIONS,
	type ProtocolMode,
	RPC,
	SERVER_INFO,
	STATELESS_VERSIONS,
} from "./protocol.js";
import { changesByMonth, RESOURCE_TEMPLATES, RESOURCES, readResource } from "./resources.js";
import { RpcError } from "./rpc-error.js";
import { URIS_MAX } from "./subscriptions.js";
import type { OfferedTool, ToolResult } from "./tool.js";
import { didYouMeanTool } from "./tool-names.js";

/** The text of a result, and for how long it keeps; null: it is not to be kept. */
export interface Result {
	readonly result: string;
	readonly cache: CacheHint | null;
}

/** The result of a tool call, which is not to be kept. */
export interface Called {
	readonly called: ToolResult;
}

/** The resources that a stream of notifications is about. */
export interface Listening {
	readonly uris: readonly string[];
}

export interface Method {
	readonly modes: readonly ProtocolMode[];
	/** Whether a request counts toward the key's limits, as one to HTTP does. */
	readonly metered: boolean;
	answer(params: JsonObject, call: Call, mode: ProtocolMode): Result | Called | Listening;
}

const BOTH: readonly ProtocolMode[] = ["handshake", "stateless"];
const CAPABILITIES: ServerCapabilities = { tools: {}, resources: {}, prompts: {}, completions: {} };
/** Lists are the same for every key and change with a release only. */
const FIXED: CacheHint = { ttlMs: 3_600_000, cacheScope: "public" };
/** Of what is added, whose answers may change with every call. */
const NOT_KEPT: CacheHint = { ttlMs: 0, cacheScope: "private" };

/** A list that fits one page, so that no cursor was ever given out. A null cursor counts as absent. */
function list(member: string, items: readonly unknown[]): Method {
	const result = JSON.stringify({ [member]: items });
	return {
		modes: BOTH,
		metered: false,
		answer({ cursor }) {
			if (cursor !== undefined && cursor !== null)
				throw new RpcError(RPC.invalidParams, "cursor is none of this server's");
			return { result, cache: FIXED };
		},
	};
}

const DISCOVERY: Result = {
	result: JSON.stringify({
		supportedVersions: STATELESS_VERSIONS,
		capabilities: { ...CAPABILITIES, resources: { subscribe: true } },
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

/** Calls a tool that is offered. Throws RpcError for a name that none has. */
function call(tools: ReadonlyMap<string, OfferedTool>, params: JsonObject, caller: Call): Called {
	const { name, arguments: given } = params;
	if (typeof name !== "string") throw new RpcError(RPC.invalidParams, "name must be text");
	const tool = tools.get(name);
	if (tool === undefined) {
		const names = [...tools.keys()];
		throw new RpcError(
			RPC.invalidParams,
			`no tool ${quoted(name)}${didYouMeanTool(name, names) || "."} The tools are ${names.join(", ")}`,
		);
	}
	if (given !== undefined && given !== null && !isObject(given))
		throw new RpcError(RPC.invalidParams, "arguments must be an object");
	return { called: tool.result(given ?? {}, caller) };
}

function read({ uri }: JsonObject, caller: Call, mode: ProtocolMode): Result {
	if (typeof uri !== "string") throw new RpcError(RPC.invalidParams, "uri must be text");
	return readResource(uri, mode, caller);
}

/** Reads the filter of a stream. Kinds of notifications that this server never sends are left out, as the protocol has it. */
function listen({ notifications }: JsonObject): Listening {
	if (!isObject(notifications)) throw new RpcError(RPC.invalidParams, "notifications must be an object");
	const { resourceSubscriptions: uris = [] } = notifications;
	if (!Array.isArray(uris) || uris.length > URIS_MAX || uris.some((uri) => typeof uri !== "string"))
		throw new RpcError(RPC.invalidParams, `resourceSubscriptions must be a list of up to ${URIS_MAX} URIs`);
	return { uris: [...new Set<string>(uris)].filter(changesByMonth) };
}

/** The methods of a server, by what it offers. */
export class Methods {
	private readonly methods: ReadonlyMap<string, Method>;

	constructor({ tools, added }: Offering) {
		const byName = new Map(tools.map((tool) => [tool.listed.name, tool]));
		/** The answer of an added resource or prompt; else the server's own. */
		const own = (name: string, answer: Method["answer"]): Method["answer"] => {
			if (added === null) return answer;
			return (params, caller, mode) => {
				const result = added.answer(name, params);
				return result === null ? answer(params, caller, mode) : { result, cache: NOT_KEPT };
			};
		};
		const both = (name: string, metered: boolean, answer: Method["answer"]): [string, Method] => [
			name,
			{ modes: BOTH, metered, answer: own(name, answer) },
		];
		this.methods = new Map<string, Method>([
			["initialize", { modes: ["handshake"], metered: false, answer: initialize }],
			["ping", { modes: ["handshake"], metered: false, answer: () => ({ result: "{}", cache: null }) }],
			["server/discover", { modes: ["stateless"], metered: false, answer: () => DISCOVERY }],
			[
				"tools/list",
				list(
					"tools",
					tools.map((tool) => tool.listed),
				),
			],
			[
				"tools/call",
				{ modes: BOTH, metered: true, answer: (params, caller) => call(byName, params, caller) },
			],
			["resources/list", list("resources", [...RESOURCES, ...(added?.resources ?? [])])],
			[
				"resources/templates/list",
				list("resourceTemplates", [...RESOURCE_TEMPLATES, ...(added?.templates ?? [])]),
			],
			["subscriptions/listen", { modes: ["stateless"], metered: false, answer: listen }],
			both("resources/read", true, read),
			["prompts/list", list("prompts", [...PROMPT_LIST, ...(added?.prompts ?? [])])],
			both("prompts/get", false, (params) => ({ result: getPrompt(params), cache: null })),
			both("completion/complete", false, (params) => ({ result: complete(params), cache: null })),
		]);
	}

	/** The method of a request. Throws RpcError where its mode has none of that name. */
	of({ method }: RequestMessage, mode: ProtocolMode): Method {
		const found = this.methods.get(method);
		if (found?.modes.includes(mode)) return found;
		const names = [...this.methods].filter(([, m]) => m.modes.includes(mode)).map(([name]) => name);
		throw new RpcError(
			RPC.methodNotFound,
			`no method ${quoted(method)}${didYouMean(method, names)}`,
			mode === "stateless" ? 404 : null,
		);
	}
}
