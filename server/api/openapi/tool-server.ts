/** `POST /mcp` in the OpenAPI document. What the messages hold is the protocol's business, not OpenAPI's. */

import { headerReferences, LIMIT_HEADERS } from "./components.js";

const MESSAGE = {
	type: "object",
	description: "A JSON-RPC 2.0 message of the Model Context Protocol.",
	properties: {
		jsonrpc: { const: "2.0" },
		id: { type: ["string", "integer", "null"] },
		method: { type: "string" },
		params: { type: "object" },
		result: { type: "object" },
		error: {
			type: "object",
			properties: { code: { type: "integer" }, message: { type: "string" }, data: {} },
			required: ["code", "message"],
		},
	},
	required: ["jsonrpc"],
} as const;

const EVENTS = {
	type: "string",
	description: "Server-sent events, the data of each a message: of subscriptions/listen alone.",
} as const;

const SEARCH = { name: "search_licenses", arguments: { state: ["CA"], last_name: "smi", limit: 3 } } as const;

/** An error of the HTTP request in the API's form, or of the message in JSON-RPC's. */
function refusal(description: string, headers = LIMIT_HEADERS) {
	return {
		description,
		headers: headerReferences(headers),
		content: {
			"application/json": { schema: { anyOf: [{ $ref: "#/components/schemas/Error" }, MESSAGE] } },
			"application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
		},
	};
}

export const TOOL_SERVER_PATH = {
	post: {
		operationId: "callTools",
		tags: ["Tools"],
		summary: "Speak JSON-RPC to the tool server",
		description:
			"A stateless Model Context Protocol server over Streamable HTTP, with JSON answers but for streams of notifications. Its tools are the operations " +
			"of this API and obey the same key, scope, masking and limits.",
		requestBody: {
			required: true,
			content: {
				"application/json": {
					schema: MESSAGE,
					example: { jsonrpc: "2.0", id: 1, method: "tools/call", params: SEARCH },
				},
			},
		},
		responses: {
			"200": {
				description: "The answer to a request.",
				headers: headerReferences([...LIMIT_HEADERS, "Retry-After"]),
				content: { "application/json": { schema: MESSAGE }, "text/event-stream": { schema: EVENTS } },
			},
			"202": { description: "A notification was taken.", headers: headerReferences(LIMIT_HEADERS) },
			"400": refusal("The body is no message."),
			"401": { $ref: "#/components/responses/Unauthorized" },
			"403": refusal("A page of a foreign origin sent the request, or the access token lacks a scope.", [
				...LIMIT_HEADERS,
				"WWW-Authenticate",
			]),
			"404": refusal("The method does not exist."),
			"406": refusal("Accept does not take JSON."),
			"413": refusal("The message is larger than 64 KiB."),
			"415": refusal("The body is not JSON."),
			"429": { $ref: "#/components/responses/TooManyRequests" },
			"500": { $ref: "#/components/responses/InternalError" },
			"503": { $ref: "#/components/responses/Unavailable" },
		},
	},
} as const;
