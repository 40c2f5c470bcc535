/**
 * Bodies of the tool server, as structured messages and as text. Model: the answer is a JSON-RPC message
 * with the id that was sent, or the API's error with a status below 500; a tool's result repeats its
 * structured content as text, or is an error with a code of the API; and an answer is bounded in length.
 */

import assert from "node:assert/strict";
import { JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { ERROR_STATUS } from "../../../server/api/errors.js";
import { RESULT_BYTES_MAX } from "../../../server/mcp/results/budget.js";
import { TOOLS } from "../../../server/mcp/tools.js";
import type { FuzzTarget } from "../fuzzer.js";
import { type JsonWords, mutateJson } from "../mutations.js";
import { bodyOf, errorOf, ServedTarget } from "./served-target.js";

const BODY_LENGTH_MAX = 200_000;

const WORDS: JsonWords = {
	keys: [
		..."jsonrpc id method params name arguments uri cursor _meta ref argument protocolVersion".split(" "),
		"io.modelcontextprotocol/protocolVersion",
		"io.modelcontextprotocol/clientCapabilities",
		...new Set(TOOLS.flatMap((tool) => tool.parameters)),
	],
	values: [
		..."2.0 tools/list tools/call resources/list resources/read prompts/get completion/complete ping".split(
			" ",
		),
		..."initialize server/discover notifications/initialized 2026-07-28 2025-11-25".split(" "),
		...TOOLS.map((tool) => tool.listed.name),
		..."CA ON 2026-11 2026-10 city sm id state member_full_name asc json verify_license".split(" "),
		1,
		7,
		1_000,
		32_300_000_001,
		["ON", "CA"],
		["id", "state"],
		{ name: "search_licenses", arguments: { state: "ON" } },
	],
	members: [
		["state", ["ON", "CA"]],
		["state", "ON"],
		["last_name", "sm"],
		["limit", 1_000],
		["page", 2],
		["sort", ["office_name", "id"]],
		["order", "desc"],
		["fields", ["id", "member_email"]],
		["count", false],
		["snapshot", "2026-10"],
		["id", "a"],
		["expires_after", "2026-01-01"],
		["cursor", "x"],
		["_meta", { "io.modelcontextprotocol/protocolVersion": "2026-07-28" }],
	],
};

function call(name: string, args: unknown): string {
	return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
}

const SEEDS = [
	call("search_licenses", { state: ["ON"], last_name: "sm", limit: 5 }),
	call("search_licenses", { limit: 1000, fields: ["id", "state"] }),
	call("get_license", { id: 32_300_000_001 }),
	call("license_history", { state: "ON", license_number: "ON-1" }),
	call("suggest", { field: "city", q: "au" }),
	call("get_stats", { state: "ON" }),
	call("list_states", {}),
	call("list_snapshots", {}),
	call("whoami", {}),
	JSON.stringify({
		jsonrpc: "2.0",
		id: "a",
		method: "initialize",
		params: { protocolVersion: "2025-11-25" },
	}),
	JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" }),
	JSON.stringify({
		jsonrpc: "2.0",
		id: 3,
		method: "resources/read",
		params: { uri: "rollcall://dictionary" },
	}),
	JSON.stringify({
		jsonrpc: "2.0",
		id: 4,
		method: "prompts/get",
		params: { name: "verify_license", arguments: { state: "ON", license_number: "1" } },
	}),
	JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
	JSON.stringify({ jsonrpc: "2.0", id: 5, result: {} }),
	JSON.stringify([{ jsonrpc: "2.0", id: 6, method: "ping" }]),
];

/** A bug planted on request: an answer under another id. */
function planted(body: unknown, answer: { id?: unknown }): { id?: unknown } {
	const { method, params, id } = body as { method?: unknown; params?: { arguments?: unknown }; id?: unknown };
	if (method !== "tools/call") return answer;
	const { state } = (params?.arguments ?? {}) as { state?: unknown };
	if (!Array.isArray(state)) return answer;
	if (state.length < 2) return answer;
	if (typeof id !== "string") return answer;
	return { ...answer, id: 0 };
}

interface Answer {
	readonly jsonrpc?: unknown;
	readonly id?: unknown;
	readonly result?: {
		readonly isError?: boolean;
		readonly structuredContent?: unknown;
		readonly content?: { readonly text: string }[];
	};
}

export async function mcpTarget(faulty: boolean): Promise<FuzzTarget> {
	const server = await ServedTarget.start();
	return {
		name: "mcp",
		covers: ["/dist/server/mcp/", "/dist/server/api/", "/dist/test/fuzz/targets/mcp.js"],
		seeds: SEEDS,
		mutate: (input, other, draw) => mutateJson(input, other, WORDS, draw).slice(0, BODY_LENGTH_MAX),
		async run(input) {
			const bytes = Buffer.from(input, "utf8");
			const head =
				`POST /mcp HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${server.keys[input.length % 4]}\r\n` +
				`Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n\r\n`;
			const received = await server.ask(head + bytes.toString("latin1"));
			const text = bodyOf(received);
			assert.ok(text.length < 3 * RESULT_BYTES_MAX, `an answer of ${text.length} characters`);
			if (text === "") {
				assert.equal(received.status, 202);
				return;
			}
			const answer = JSON.parse(text) as Answer;
			if (answer.jsonrpc === undefined) errorOf(text);
			else checkMessage(faulty ? planted(parsedOrNull(input), answer) : answer, parsedOrNull(input));
		},
		close: () => server.close(),
	};
}

function parsedOrNull(text: string): unknown {
	try {
		return JSON.parse(Buffer.from(text, "utf8").toString("utf8")) ?? {};
	} catch {
		// Refused as not JSON.
		return {};
	}
}

function checkMessage(answer: Answer, sent: unknown): void {
	JSONRPCMessageSchema.parse(answer.id === null ? { ...answer, id: undefined } : answer);
	const { id } = sent as { id?: unknown };
	if (answer.id !== null) assert.equal(answer.id, id, "the answer to another request");
	const { result } = answer;
	const text = result?.content?.[0]?.text;
	if (result === undefined || text === undefined) return;
	if (result.isError === true)
		assert.ok(errorOf(text).code in ERROR_STATUS && !text.includes("internal_error"));
	else assert.deepEqual(JSON.parse(text), result.structuredContent);
}
