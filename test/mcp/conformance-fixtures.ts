/**
 * What the protocol's conformance suites ask a server to offer under fixed names, besides its own tools,
 * resources and prompts, so that their scenarios reach this server's dispatch.
 */

import type { AddedOffers } from "../../server/mcp/offering.js";
import { RPC } from "../../server/mcp/protocol.js";
import { RpcError } from "../../server/mcp/rpc-error.js";
import type { OfferedTool } from "../../server/mcp/tool.js";

/** One red pixel. */
const PNG =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** A WAV file without samples. */
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";
const MISSING_CAPABILITY = -32021;

const text = (value: string) => ({ type: "text", text: value });
const IMAGE = { type: "image", data: PNG, mimeType: "image/png" };

function tool(name: string, content: readonly unknown[], isError = false): OfferedTool {
	return {
		listed: { name, description: `Fixture ${name}.`, inputSchema: { type: "object" } },
		result: () => JSON.stringify(isError ? { content, isError } : { content }),
	};
}

/** A schema with the keywords of JSON Schema 2020-12 that must come through a list unchanged. */
const SCHEMA_2020_12 = {
	$schema: "https://json-schema.org/draft/2020-12/schema",
	type: "object" as const,
	$defs: {
		address: {
			$anchor: "addressDef",
			type: "object",
			properties: { street: { type: "string" }, city: { type: "string" } },
		},
	},
	properties: {
		name: { type: "string" },
		address: { $ref: "#/$defs/address" },
		contactMethod: { type: "string", enum: ["phone", "email"] },
		phone: { type: "string" },
		email: { type: "string" },
	},
	allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
	if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
	// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
	then: { required: ["phone"] },
	else: { required: ["email"] },
	additionalProperties: false,
};

const TOOLS: readonly OfferedTool[] = [
	tool("test_simple_text", [text("This is a simple text response for testing.")]),
	tool("test_image_content", [IMAGE]),
	tool("test_audio_content", [{ type: "audio", data: WAV, mimeType: "audio/wav" }]),
	tool("test_embedded_resource", [
		{
			type: "resource",
			resource: {
				uri: "test://embedded-resource",
				mimeType: "text/plain",
				text: "This is an embedded resource content.",
			},
		},
	]),
	tool("test_multiple_content_types", [
		text("Multiple content types test:"),
		IMAGE,
		{
			type: "resource",
			resource: {
				uri: "test://mixed-content-resource",
				mimeType: "application/json",
				text: '{"test":"data","value":123}',
			},
		},
	]),
	tool("test_error_handling", [text("This tool intentionally returns an error for testing")], true),
	// Suites look at what comes besides the result of these: nothing, as logging and elicitation are not offered.
	tool("test_logging_tool", [text("done")]),
	tool("test_streaming_elicitation", [text("done")]),
	{
		...tool("json_schema_2020_12_tool", [text("done")]),
		listed: {
			name: "json_schema_2020_12_tool",
			description: "Tool with JSON Schema 2020-12 features",
			inputSchema: SCHEMA_2020_12,
		},
	},
	{
		...tool("test_missing_capability", []),
		result() {
			const data = { requiredCapabilities: { sampling: {} } };
			throw new RpcError(MISSING_CAPABILITY, "sampling is needed", 400, data);
		},
	},
];

const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/;

function contentsOf(uri: string): object | null {
	const id = TEMPLATE.exec(uri)?.[1];
	if (uri === "test://static-text")
		return { uri, mimeType: "text/plain", text: "This is the content of the static text resource." };
	if (uri === "test://static-binary") return { uri, mimeType: "image/png", blob: PNG };
	if (id === undefined) return null;
	const data = { id, templateTest: true, data: `Data for ID: ${id}` };
	return { uri, mimeType: "application/json", text: JSON.stringify(data) };
}

const user = (content: object) => ({ role: "user", content });
type Given = Readonly<Record<string, unknown>>;

const PROMPTS: Readonly<Record<string, (given: Given) => object[]>> = {
	test_simple_prompt: () => [user(text("This is a simple prompt for testing."))],
	test_prompt_with_arguments: ({ arg1, arg2 }) => [
		user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
	],
	test_prompt_with_embedded_resource: ({ resourceUri }) => [
		user({
			type: "resource",
			resource: {
				uri: resourceUri,
				mimeType: "text/plain",
				text: "Embedded resource content for testing.",
			},
		}),
		user(text("Please process the embedded resource above.")),
	],
	test_prompt_with_image: () => [user(IMAGE), user(text("Please analyze the image above."))],
};

const argument = (name: string) => ({ name, description: `Argument ${name}`, required: true });
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
	test_prompt_with_arguments: ["arg1", "arg2"],
	test_prompt_with_embedded_resource: ["resourceUri"],
};

export const CONFORMANCE_FIXTURES: AddedOffers = {
	tools: TOOLS,
	resources: [
		{ uri: "test://static-text", name: "static-text", description: "A text.", mimeType: "text/plain" },
		{ uri: "test://static-binary", name: "static-binary", description: "An image.", mimeType: "image/png" },
	],
	templates: [
		{
			uriTemplate: "test://template/{id}/data",
			name: "template",
			description: "Data by id.",
			mimeType: "application/json",
		},
	],
	prompts: Object.keys(PROMPTS).map((name) => ({
		name,
		description: `Fixture ${name}.`,
		arguments: (ARGUMENTS[name] ?? []).map(argument),
	})),
	answer(method, params) {
		if (method === "resources/read") {
			const contents = contentsOf(String(params.uri));
			return contents === null ? null : JSON.stringify({ contents: [contents] });
		}
		const name = method === "prompts/get" ? params.name : (params.ref as Given | undefined)?.name;
		if (typeof name !== "string" || !Object.hasOwn(PROMPTS, name)) return null;
		if (method !== "prompts/get")
			return JSON.stringify({ completion: { values: [], total: 0, hasMore: false } });
		const given = (params.arguments ?? {}) as Given;
		const missing = (ARGUMENTS[name] ?? []).find((each) => given[each] === undefined);
		if (missing !== undefined) throw new RpcError(RPC.invalidParams, `argument ${missing} is required`);
		return JSON.stringify({ messages: PROMPTS[name](given) });
	},
};
