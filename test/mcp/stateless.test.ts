/** The stateless revision 2026-07-28, by its own client and message by message, beside the earlier ones. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { TOOL_NAMES } from "../../server/mcp/tools.js";
import { overBothTransports, type ServedFixture } from "../http/served.js";
import { CLIENT_INFO, post, request } from "./tool-client.js";

const VERSION = "2026-07-28";
const META = {
	"io.modelcontextprotocol/protocolVersion": VERSION,
	"io.modelcontextprotocol/clientInfo": CLIENT_INFO,
	"io.modelcontextprotocol/clientCapabilities": {},
};

/** A stateless request and the headers it needs. */
function stateless(
	method: string,
	params: Record<string, unknown> = {},
	meta: Record<string, unknown> = META,
) {
	const name = params.name ?? params.uri;
	return {
		message: request(method, { ...params, _meta: meta }),
		headers: {
			"mcp-protocol-version": VERSION,
			"mcp-method": method,
			...(typeof name === "string" ? { "mcp-name": name } : {}),
		} as Record<string, string>,
	};
}

async function connect(served: ServedFixture, mode: "auto" | "legacy" | { pin: string }): Promise<Client> {
	const client = new Client(CLIENT_INFO, { versionNegotiation: { mode } });
	const headers = { authorization: `Bearer ${await served.key()}` };
	const url = new URL(`http://127.0.0.1:${served.port}/mcp`);
	await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
	return client;
}

overBothTransports("the stateless revision", (served) => {
	for (const mode of ["auto", { pin: VERSION }, "legacy"] as const) {
		test(`its client calls every tool (${JSON.stringify(mode)})`, async () => {
			const client = await connect(served(), mode);
			const { tools } = await client.listTools();
			assert.deepEqual(
				tools.map((tool) => tool.name),
				TOOL_NAMES,
			);
			const { text } = await served().request("/v1/licenses?limit=1&fields=id", await served().key());
			const [{ id }] = (JSON.parse(text) as { data: { id: number }[] }).data;
			const args: Record<string, Record<string, unknown>> = {
				search_licenses: { state: ["CA"] },
				get_license: { id },
				license_history: { id },
				aggregate_licenses: { by: ["state"] },
				verify_licenses: { license: [{ state: "TX", license_number: "TX-1" }] },
				suggest: { field: "office", q: "sm" },
			};
			for (const name of TOOL_NAMES) {
				const result = await client.callTool({ name, arguments: args[name] ?? {} });
				assert.notEqual(result.isError, true, `${name}: ${JSON.stringify(result.content)}`);
				assert.ok(result.structuredContent, name);
			}
			const refused = await client.callTool({ name: "search_licenses", arguments: { state: "Texas" } });
			assert.equal(refused.isError, true);
			assert.equal((await client.listResources()).resources.length, 4);
			const { contents } = await client.readResource({ uri: "rollcall://vocabulary/TX" });
			assert.match(JSON.stringify(contents), /Inactive/);
			assert.equal((await client.listPrompts()).prompts.length, 3);
			await client.close();
		});
	}

	test("server/discover returns versions, capabilities and instructions", async () => {
		const { message, headers } = stateless("server/discover");
		const { status, body } = await post(served(), await served().key(), message, headers);
		assert.equal(status, 200);
		assert.deepEqual(body?.result?.supportedVersions, [VERSION]);
		assert.equal(body?.result?.resultType, "complete");
		assert.equal(body?.result?.cacheScope, "public");
		assert.match(String(body?.result?.instructions), /get_stats/);
		assert.match(JSON.stringify(body?.result?._meta), /serverInfo/);
	});

	test("results have their type, and lists and resources their lifetime", async () => {
		const key = await served().key();
		for (const [method, params, cached] of [
			["tools/list", {}, "public"],
			["resources/list", {}, "public"],
			["resources/templates/list", {}, "public"],
			["prompts/list", {}, "public"],
			["resources/read", { uri: "rollcall://columns" }, "public"],
			["resources/read", { uri: "rollcall://vocabulary" }, "private"],
			["tools/call", { name: "whoami" }, undefined],
		] as const) {
			const { message, headers } = stateless(method, params);
			const { body } = await post(served(), key, message, headers);
			assert.equal(body?.result?.resultType, "complete", method);
			assert.equal(body?.result?.cacheScope, cached, method);
			assert.equal(typeof body?.result?.ttlMs, cached === undefined ? "undefined" : "number");
		}
		const { body } = await post(served(), key, request("tools/list"));
		assert.deepEqual(Object.keys(body?.result ?? {}), ["tools"], "the earlier era has none of it");
	});

	test("methods of the earlier era are unknown with 404, and vice versa", async () => {
		const key = await served().key();
		for (const method of ["ping", "initialize", "logging/setLevel", "nothing"]) {
			const { message, headers } = stateless(method);
			const { status, body } = await post(served(), key, message, headers);
			assert.equal(status, 404, method);
			assert.equal(body?.error?.code, -32601);
		}
		const { body } = await post(served(), key, request("server/discover"));
		assert.equal(body?.error?.code, -32601);
	});

	test("refuses headers that are missing or contradict the body", async () => {
		const key = await served().key();
		const call = stateless("tools/call", { name: "whoami" });
		const cases: Record<string, string | undefined>[] = [
			{ "mcp-protocol-version": undefined },
			{ "mcp-protocol-version": "2025-11-25" },
			{ "mcp-method": undefined },
			{ "mcp-method": "tools/list" },
			{ "mcp-method": "TOOLS/CALL" },
			{ "mcp-name": undefined },
			{ "mcp-name": "get_stats" },
			{ "mcp-name": "=?base64?!!?=" },
		];
		for (const change of cases) {
			const headers = Object.fromEntries(
				Object.entries({ ...call.headers, ...change }).filter(([, value]) => value !== undefined),
			) as Record<string, string>;
			const { status, body } = await post(served(), key, call.message, headers);
			assert.equal(status, 400, JSON.stringify(change));
			assert.equal(body?.error?.code, -32020, JSON.stringify(change));
			assert.equal(body?.id, 1);
		}
		const encoded = `=?base64?${Buffer.from("whoami").toString("base64")}?=`;
		const { status } = await post(served(), key, call.message, { ...call.headers, "mcp-name": encoded });
		assert.equal(status, 200);
	});

	test("refuses requests without the version or the capabilities, and versions it does not know", async () => {
		const key = await served().key();
		const { "io.modelcontextprotocol/clientCapabilities": _, ...withoutCapabilities } = META;
		const { "io.modelcontextprotocol/protocolVersion": __, ...withoutVersion } = META;
		for (const meta of [withoutCapabilities, withoutVersion, {}]) {
			const { message, headers } = stateless("tools/list", {}, meta);
			const { status, body } = await post(served(), key, message, headers);
			assert.equal(status, 400);
			assert.equal(body?.error?.code, -32602);
		}
		const later = { ...META, "io.modelcontextprotocol/protocolVersion": "2027-01-01" };
		const { message, headers } = stateless("tools/list", {}, later);
		const { status, body } = await post(served(), key, message, {
			...headers,
			"mcp-protocol-version": "2027-01-01",
		});
		assert.equal(status, 400);
		assert.equal(body?.error?.code, -32022);
		assert.deepEqual(body?.error?.data, { supported: [VERSION], requested: "2027-01-01" });
	});

	test("a resource that does not exist has the code of its era", async () => {
		const key = await served().key();
		const { message, headers } = stateless("resources/read", { uri: "rollcall://nothing" });
		assert.equal((await post(served(), key, message, headers)).body?.error?.code, -32602);
		const earlier = request("resources/read", { uri: "rollcall://nothing" });
		assert.equal((await post(served(), key, earlier)).body?.error?.code, -32002);
	});
});
