/** Clients of the tool server: the SDK's own, and bare messages. */

import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { errorResponse } from "../../server/api/schemas/endpoint-responses.js";
import type { ServedFixture } from "../http/served.js";

export const CLIENT_INFO = { name: "test", version: "1.0.0" };

/** Connects the SDK's client with `key`. The caller closes it. */
export async function connectClient(served: ServedFixture, key: string): Promise<Client> {
	const client = new Client(CLIENT_INFO);
	const url = new URL(`http://127.0.0.1:${served.port}/mcp`);
	const headers = { authorization: `Bearer ${key}` };
	await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
	return client;
}

/** A result with rows, as far as tests inspect one. */
export interface Structured {
	readonly columns?: string[];
	readonly rows?: unknown[][];
	readonly data?: unknown;
	readonly pagination?: {
		limit: number;
		total: number | null;
		has_next: boolean;
		next_cursor: string | null;
	};
	readonly meta?: Record<string, unknown>;
	readonly notice?: string;
}

/** The rows of a search as objects. */
export function rowsOf({ columns = [], rows = [] }: Structured): Record<string, unknown>[] {
	return rows.map((row) => objectOf(columns, row));
}

/** A row as an object. */
export function objectOf(columns: readonly string[], row: readonly unknown[]): Record<string, unknown> {
	assert.equal(row.length, columns.length);
	return Object.fromEntries(columns.map((column, i) => [column, row[i]]));
}

/** Calls a tool that must succeed; returns its structured content, which the text copy repeats. */
export async function callOk(
	client: Client,
	name: string,
	args: Record<string, unknown> = {},
): Promise<Structured> {
	const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
	const [text] = result.content;
	assert.ok(text.type === "text");
	assert.notEqual(result.isError, true, text.text);
	assert.deepEqual(JSON.parse(text.text), result.structuredContent);
	return result.structuredContent as unknown as Structured;
}

export interface ToolRefusal {
	readonly code: string;
	readonly message: string;
	readonly param?: string;
	/** What to do next; empty where the message is sufficient. */
	readonly remedyFor: string;
}

/** Calls a tool that must be refused. */
export async function callRefused(
	client: Client,
	name: string,
	args: Record<string, unknown>,
): Promise<ToolRefusal> {
	const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
	assert.equal(result.isError, true, JSON.stringify(result.structuredContent));
	assert.equal(result.structuredContent, undefined, "a refusal has no structured content to validate");
	const texts = result.content.map((item) => (item.type === "text" ? item.text : ""));
	const { retry_after_s: _, ...error } = JSON.parse(texts[0]).error;
	return { ...errorResponse.parse({ error }).error, remedyFor: texts[1] ?? "" };
}

export const JSON_HEADERS = {
	"content-type": "application/json",
	accept: "application/json, text/event-stream",
};

export interface RpcAnswer {
	readonly status: number;
	readonly headers: Headers;
	readonly text: string;
	/** The parsed body; undefined where there is none. */
	readonly body?: {
		readonly id?: unknown;
		readonly result?: Record<string, unknown>;
		readonly error?: { readonly code: unknown; readonly message: string; readonly data?: unknown };
	};
}

/** Posts `message` (an object, or the exact text of a body) to the tool server. */
export async function post(
	served: ServedFixture,
	key: string | null,
	message: unknown,
	headers: Record<string, string> = {},
): Promise<RpcAnswer> {
	const {
		status,
		headers: answered,
		text,
	} = await served.request("/mcp", key, {
		method: "POST",
		headers: { ...JSON_HEADERS, ...headers },
		body: typeof message === "string" ? message : JSON.stringify(message),
	});
	return { status, headers: answered, text, body: text === "" ? undefined : JSON.parse(text) };
}

/** A request of the handshake era. */
export function request(method: string, params?: Record<string, unknown>, id: unknown = 1) {
	return { jsonrpc: "2.0", id, method, params };
}
