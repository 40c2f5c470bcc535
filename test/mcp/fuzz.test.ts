/**
 * Random messages, headers and arguments: the answer is always a well-formed message or a refusal of the
 * HTTP request, never an internal error, and bounded in length; and every result of a tool conforms to
 * its output schema.
 */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import fc from "fast-check";
import { errorResponse } from "../../server/api/schemas/endpoint-responses.js";
import { RESULT_BYTES_MAX } from "../../server/mcp/results/budget.js";
import { TOOLS } from "../../server/mcp/tools.js";
import { ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { checkAsyncProperty } from "../oracle/seeded.js";
import { post, request } from "./tool-client.js";

const MANY = 100_000_000;

let served: ServedFixture;
let key: string;
before(async () => {
	served = await ServedFixture.start(ANY_TRANSPORT, { mcp_messages_per_minute: 0 });
	key = await served.key({
		tier: "trial",
		rate_limits: { per_minute: MANY, per_day: MANY, monthly_quota: MANY },
	});
});
after(() => served.close());

const METHODS = [
	"initialize",
	"ping",
	"server/discover",
	"tools/list",
	"tools/call",
	"resources/read",
	"prompts/get",
	"completion/complete",
];

/** Values for arguments: valid ones among invalid ones. */
const value = fc.oneof(
	fc.constantFrom<unknown>(
		"CA",
		"TX",
		"ca,tx",
		"2026-11",
		"2026-10",
		"city",
		"sm",
		"Active",
		"id",
		"asc",
		7,
		true,
	),
	fc.constantFrom<unknown>(
		["CA", "ON"],
		["id", "member_email"],
		["state"],
		null,
		[],
		{},
		-1,
		1e21,
		32_200_000_001,
	),
	fc.jsonValue({ maxDepth: 2 }),
	fc.string({ unit: "binary", maxLength: 20 }),
);

const argumentsOf = (names: readonly string[]) =>
	fc.dictionary(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...names, "fields") }, fc.string()), value, {
		maxKeys: 4,
	});

const toolCall = fc
	.constantFrom(...TOOLS)
	.chain((tool) =>
		fc.record({ name: fc.constant(tool.listed.name), arguments: argumentsOf(tool.parameters) }),
	);

test("any arguments of any tool give a result that conforms to the schema, or a refusal with its code", async (t) => {
	const validator = new AjvJsonSchemaValidator();
	const validators = new Map(
		TOOLS.map((tool) => [
			tool.listed.name,
			validator.getValidator(tool.listed.outputSchema as Record<string, unknown>),
		]),
	);
	let answered = 0;
	let refused = 0;
	await checkAsyncProperty(
		t,
		900,
		fc.asyncProperty(toolCall, async (params) => {
			const { status, body, text } = await post(served, key, request("tools/call", params));
			assert.equal(status, 200, text);
			const result = body?.result as {
				isError?: boolean;
				structuredContent?: unknown;
				content: { text: string }[];
			};
			assert.ok(text.length < 3 * RESULT_BYTES_MAX);
			if (result.isError === true) {
				const { retry_after_s: _, ...error } = JSON.parse(result.content[0].text).error;
				const { code } = errorResponse.parse({ error }).error;
				assert.notEqual(code, "internal_error");
				refused++;
				return;
			}
			const checked = validators.get(params.name)?.(result.structuredContent);
			assert.ok(checked?.valid, checked?.errorMessage);
			assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
			answered++;
		}),
	);
	t.diagnostic(`${answered} answered, ${refused} refused`);
	assert.ok(answered > 0 && refused > 0);
});

const message = fc.oneof(
	fc.record(
		{
			jsonrpc: fc.constantFrom<unknown>("2.0", "2.0", "2.0", "1.0", 2),
			id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue({ maxDepth: 1 })),
			method: fc.oneof(fc.constantFrom(...METHODS), fc.string()),
			params: fc.oneof(
				fc.jsonValue({ maxDepth: 3 }),
				fc.dictionary(
					fc.constantFrom("name", "uri", "arguments", "_meta", "cursor", "ref", "argument"),
					value,
				),
				fc.record({
					_meta: fc.dictionary(
						fc.constantFrom(
							"io.modelcontextprotocol/protocolVersion",
							"io.modelcontextprotocol/clientCapabilities",
							"io.modelcontextprotocol/clientInfo",
						),
						fc.oneof(fc.constantFrom<unknown>("2026-07-28", {}, "2025-11-25"), value),
					),
				}),
			),
		},
		{ requiredKeys: [] },
	),
	fc.jsonValue({ maxDepth: 3 }),
);

const headers = fc.dictionary(
	fc.constantFrom(
		"mcp-protocol-version",
		"mcp-method",
		"mcp-name",
		"mcp-session-id",
		"content-type",
		"accept",
	),
	fc.oneof(
		fc.constantFrom("2026-07-28", "2025-11-25", ...METHODS, "application/json", "*/*", "=?base64?eA==?="),
		fc.string({ unit: fc.constantFrom(..."abc/=?;,. 019-"), maxLength: 12 }),
	),
	{ maxKeys: 3 },
);

test("any body with any headers gets a message or a refusal", async (t) => {
	const text = fc.oneof(
		message.map((m) => JSON.stringify(m)),
		fc.string({ unit: "grapheme" }),
	);
	await checkAsyncProperty(
		t,
		900,
		fc.asyncProperty(text, headers, async (body, sent) => {
			const { status, text: answered } = await post(served, key, body, sent);
			assert.ok(status < 500, `${status} ${answered}`);
			if (answered === "") {
				assert.equal(status, 202);
				return;
			}
			const parsed = JSON.parse(answered);
			if (parsed.jsonrpc === undefined) errorResponse.parse(parsed);
			else JSONRPCMessageSchema.parse(parsed.id === null ? { ...parsed, id: undefined } : parsed);
		}),
	);
});

test("deep nesting, many members and long names are refused briefly", async () => {
	const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`argument_${i}`, i]));
	const long = "x".repeat(60_000);
	const hostile: unknown[] = [
		"[".repeat(60_000),
		"[[],".repeat(15_000),
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":{"__proto__":{"x":1}}}}`,
		request("tools/call", { name: "search_licenses", arguments: many }),
		request("tools/call", { name: "search_licenses", arguments: { [long]: 1 } }),
		request("tools/call", { name: "search_licenses", arguments: { city: long } }),
		request("tools/call", { name: long }),
		request("resources/read", { uri: long }),
		request("prompts/get", { name: "verify_license", arguments: { state: long, license_number: "1" } }),
		request(long),
		{ ...request("ping"), jsonrpc: long },
	];
	for (const body of hostile) {
		const { status, text } = await post(served, key, body);
		assert.ok(status === 200 || status === 400, String(status));
		assert.match(text, /error/);
		assert.ok(text.length < 5_000, `${text.length} ${text.slice(0, 200)}`);
	}
});
