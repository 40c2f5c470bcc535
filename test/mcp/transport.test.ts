/** The tool server over HTTP: methods, origins, media types, sizes, versions, keys and limits. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { META_CAPABILITIES, META_VERSION } from "../../server/mcp/protocol.js";
import { overBothTransports } from "../http/served.js";
import { JSON_HEADERS, post, request } from "./tool-client.js";

const MINUTE_MS = 60_000;
const PING = request("ping");
const WHOAMI = request("tools/call", { name: "whoami" });
const STATELESS_WHOAMI = request("tools/call", {
	name: "whoami",
	_meta: { [META_VERSION]: "2026-07-28", [META_CAPABILITIES]: {} },
});
const STATELESS_HEADERS = {
	"mcp-protocol-version": "2026-07-28",
	"mcp-method": "tools/call",
	"mcp-name": "whoami",
};

overBothTransports("POST /mcp", (served) => {
	test("is the only method, besides OPTIONS", async () => {
		const key = await served().key();
		for (const method of ["GET", "HEAD", "DELETE", "PUT", "PATCH"]) {
			const { status, headers } = await served().request("/mcp", key, { method, headers: JSON_HEADERS });
			assert.equal(status, 405, method);
			assert.equal(headers.get("allow"), "POST, OPTIONS");
		}
		assert.equal((await served().request("/mcp", null, { method: "OPTIONS" })).status, 204);
	});

	test("needs a key, as other paths do", async () => {
		const { status, headers, body } = await post(served(), null, PING);
		assert.equal(status, 401);
		assert.match(headers.get("www-authenticate") ?? "", /^Bearer/);
		assert.equal(body?.error?.code, "unauthorized");
		assert.equal((await post(served(), null, PING, { "x-api-key": await served().key() })).status, 200);
	});

	test("refuses pages of foreign origins, and serves those of this machine and programs without one", async () => {
		const key = await served().key();
		for (const origin of [
			"https://evil.example",
			"http://127.0.0.1.evil.example",
			"null",
			"http://localhost.evil",
		]) {
			const { status, body } = await post(served(), key, WHOAMI, { origin });
			assert.equal(status, 403, origin);
			assert.equal(body?.result, undefined);
		}
		for (const origin of ["http://localhost:6274", "http://127.0.0.1", "http://[::1]:8080"])
			assert.equal((await post(served(), key, WHOAMI, { origin })).status, 200, origin);
	});

	test("checks Content-Type, Content-Encoding and Accept", async () => {
		const key = await served().key();
		const status = async (headers: Record<string, string>) =>
			(await post(served(), key, PING, headers)).status;
		assert.equal(await status({ "content-type": "text/plain" }), 415);
		assert.equal(await status({ "content-type": "application/json; charset=latin1" }), 415);
		assert.equal(await status({ "content-type": "application/json; charset=utf-8" }), 200);
		assert.equal(await status({ "content-encoding": "gzip" }), 415);
		assert.equal(await status({ accept: "text/html" }), 406);
		assert.equal(await status({ accept: "application/json;q=0, text/event-stream" }), 406);
		assert.equal(await status({ accept: "application/json;q=0, */*" }), 406);
		assert.equal(await status({ accept: "*/*" }), 200);
	});

	test("has no parameters, and takes no key in the query even beside a good one", async () => {
		const key = await served().key();
		const asked = async (query: string, given: string | null) => {
			const init = { method: "POST", headers: JSON_HEADERS, body: JSON.stringify(WHOAMI) };
			const { status, code, message, param } = await served().refused(`/mcp?${query}`, given, init);
			return { refusal: [status, code, param], message };
		};
		for (const name of ["api_key", "token", "X-API-Key"]) {
			const { refusal, message } = await asked(`${name}=${key}`, key);
			assert.deepEqual(refusal, [400, "invalid_parameter", name]);
			assert.match(message, /not read from the query string/);
			assert.ok(!message.includes(key));
		}
		assert.deepEqual((await asked("x=1", key)).refusal, [400, "invalid_parameter", "x"]);
		assert.deepEqual((await asked("x=%FF", key)).refusal.slice(0, 2), [400, "invalid_parameter"]);
		const { refusal, message } = await asked(`api_key=${key}`, null);
		assert.deepEqual(refusal.slice(0, 2), [401, "unauthorized"]);
		assert.match(message, /not read from the query string/);
		const { status } = await served().request("/mcp?", key, {
			method: "POST",
			headers: JSON_HEADERS,
			body: JSON.stringify(PING),
		});
		assert.equal(status, 200, "an empty query is none");
	});

	test("answers invalid JSON-RPC messages with 400 and the protocol's code", async () => {
		const key = await served().key();
		const cases: [unknown, number, unknown][] = [
			["", -32700, null],
			["{", -32700, null],
			['{"jsonrpc":"2.0","id":1,"method":"ping",}', -32700, null],
			["[]", -32600, null],
			[[PING, PING], -32600, null],
			["1", -32600, null],
			[{ ...PING, jsonrpc: "1.0" }, -32600, 1],
			[{ ...PING, method: 5 }, -32600, 1],
			[{ ...PING, params: [1] }, -32600, 1],
			[{ ...PING, id: null }, -32600, null],
			[{ ...PING, id: 1.5 }, -32600, null],
			[{ ...PING, id: {} }, -32600, null],
		];
		for (const [message, code, id] of cases) {
			const { status, body } = await post(served(), key, message);
			assert.equal(status, 400, JSON.stringify(message));
			assert.equal(body?.error?.code, code, JSON.stringify(message));
			assert.equal(body?.id, id, JSON.stringify(message));
		}
		const notUtf8 = await fetch(`http://127.0.0.1:${served().port}/mcp`, {
			method: "POST",
			headers: { ...JSON_HEADERS, authorization: `Bearer ${key}` },
			body: Buffer.from([0x22, 0xff, 0x22]),
		});
		assert.equal(notUtf8.status, 400);
	});

	test("echoes ids of text and of numbers", async () => {
		const key = await served().key();
		for (const id of [0, -7, 9_007_199_254_740_991, "a", "", '"\\é'])
			assert.equal((await post(served(), key, { ...PING, id })).body?.id, id);
	});

	test("answers unknown methods and malformed arguments with protocol errors", async () => {
		const key = await served().key();
		const unknown = await post(served(), key, request("tools/lst"));
		assert.equal(unknown.status, 200);
		assert.equal(unknown.body?.error?.code, -32601);
		assert.match(unknown.body?.error?.message ?? "", /did you mean "tools\/list"/);
		const cases: [string, Record<string, unknown>][] = [
			["tools/call", {}],
			["tools/call", { name: "nothing" }],
			["tools/call", { name: "__proto__" }],
			["tools/call", { name: "whoami", arguments: [] }],
			["tools/list", { cursor: "x" }],
			["initialize", {}],
			["prompts/get", { name: "verify_license" }],
			["resources/read", {}],
		];
		for (const [method, params] of cases) {
			const { status, body } = await post(served(), key, request(method, params));
			assert.equal(status, 200);
			assert.equal(body?.error?.code, -32602, JSON.stringify(params));
		}
	});

	test("takes a null cursor of a list for none, as clients send that fill in every parameter", async () => {
		const key = await served().key();
		const lists = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];
		for (const method of lists) {
			const { body } = await post(served(), key, request(method, { cursor: null }));
			assert.deepEqual(body?.result, (await post(served(), key, request(method))).body?.result, method);
			assert.ok(body?.result !== undefined, JSON.stringify(body));
		}
	});

	test("acknowledges notifications and responses with 202 and no body, and calls no tool", async () => {
		const key = await served().key();
		for (const message of [
			{ jsonrpc: "2.0", method: "notifications/initialized" },
			{ jsonrpc: "2.0", method: "tools/call", params: { name: "whoami" } },
			{ jsonrpc: "2.0", id: 1, result: {} },
		]) {
			const { status, text, headers } = await post(served(), key, message);
			assert.equal(status, 202);
			assert.equal(text, "");
			assert.equal(headers.get("mcp-session-id"), null);
		}
		const { text } = await served().request("/v1/usage?days=1", key);
		assert.equal((JSON.parse(text) as { data: { total: number } }).data.total, 1, "this request alone");
	});

	test("agrees on the requested version if supported, else on its latest, and checks the header later", async () => {
		const key = await served().key();
		const agreed = async (protocolVersion: string) => {
			const params = { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } };
			const { body, headers } = await post(served(), key, request("initialize", params));
			assert.equal(headers.get("mcp-session-id"), null, "no sessions");
			return body?.result?.protocolVersion;
		};
		assert.equal(await agreed("2025-06-18"), "2025-06-18");
		assert.equal(await agreed("2025-11-25"), "2025-11-25");
		assert.equal(await agreed("1999-01-01"), "2025-11-25");
		const header = (version: string) => post(served(), key, PING, { "mcp-protocol-version": version });
		assert.equal((await header("2025-06-18")).status, 200);
		assert.equal(await agreed("2025-03-26"), "2024-11-05", "which requires batches, is not offered");
		assert.equal((await header("2025-03-26")).status, 400);
		const { status, body } = await header("1999-01-01");
		assert.equal(status, 400);
		assert.equal(body?.error?.code, -32022);
		assert.match(JSON.stringify(body?.error?.data), /"supported":\["2026-07-28","2025-11-25"/);
	});

	test("counts each call as one request, sends limit headers, and reports a limit that is reached in the result", async () => {
		const key = await served().key({
			tier: "production",
			rate_limits: { per_minute: 3, monthly_quota: 100 },
		});
		for (const message of [
			request("tools/list"),
			PING,
			{ jsonrpc: "2.0", method: "notifications/initialized" },
		]) {
			const { headers } = await post(served(), key, message);
			assert.equal(headers.get("ratelimit-remaining"), "3", "what reads no data counts nothing");
		}
		for (const remaining of ["2", "1", "0"]) {
			const { status, headers } = await post(served(), key, WHOAMI);
			assert.equal(status, 200);
			assert.equal(headers.get("ratelimit-remaining"), remaining);
			assert.equal(headers.get("x-quota-limit"), "100");
		}
		const refused = await post(served(), key, WHOAMI);
		assert.equal(refused.status, 200);
		assert.ok(refused.body?.result !== undefined);
		const { isError, content } = refused.body.result as { isError: boolean; content: { text: string }[] };
		assert.equal(isError, true);
		const { error } = JSON.parse(content[0].text);
		assert.equal(error.code, "rate_limited");
		assert.equal(error.retry_after_s, Number(refused.headers.get("retry-after")));
		assert.ok(error.retry_after_s > 0);
		assert.equal((await served().request("/v1/me", key)).status, 429, "one limit for both");
		const listed = await post(served(), key, request("tools/list"));
		assert.equal(listed.status, 429, "a message that is no call is refused as over HTTP");
		const stateless = await post(served(), key, STATELESS_WHOAMI, STATELESS_HEADERS);
		assert.equal(stateless.body?.result?.isError, true, "in either era");
	});

	test("counts a call for many licenses as several requests, or as none where a limit has no room for them", async () => {
		const rate_limits = { per_minute: 5, monthly_quota: 100 };
		const key = await served().key({ tier: "production", rate_limits });
		const verify = (licenses: number) => {
			const license = Array(licenses).fill("TX:1");
			return post(served(), key, request("tools/call", { name: "verify_licenses", arguments: { license } }));
		};
		const never = await verify(51);
		assert.equal(never.headers.get("ratelimit-remaining"), "5", "a refused call counts toward nothing");
		const errorOf = ({ body }: typeof never) => {
			assert.ok(body?.result !== undefined);
			const { content } = body.result as unknown as { content: { text: string }[] };
			return JSON.parse(content[0].text).error;
		};
		assert.equal(errorOf(never).code, "rate_limited");
		assert.equal(
			errorOf(never).message,
			"This request counts as 6, more than the limit of 5 requests per minute, so waiting does not help; ask for less in one request. One request has room for 50 licenses.",
		);
		assert.equal(errorOf(never).retry_after_s, undefined);
		const counted = await verify(31);
		assert.notEqual(counted.body?.result?.isError, true);
		assert.equal(counted.headers.get("ratelimit-remaining"), "1");
		assert.equal(counted.headers.get("x-quota-used"), "4");
		const refused = await verify(11);
		assert.match(errorOf(refused).message, /counts as 2, and 1 of .* or retry in \d+ s\.$/);
		assert.equal(refused.headers.get("ratelimit-remaining"), "1");
		assert.equal((await verify(10)).headers.get("ratelimit-remaining"), "0");
	});

	test("counts under /mcp in the key's usage", async () => {
		const key = await served().key();
		await post(served(), key, WHOAMI);
		await post(served(), key, request("resources/read", { uri: "rollcall://columns" }));
		const { text } = await served().request("/v1/usage?days=1", key);
		const { by_endpoint } = (JSON.parse(text) as { data: { by_endpoint: unknown[] } }).data;
		assert.deepEqual(by_endpoint[0], { endpoint: "/mcp", requests: 2 });
	});
});

overBothTransports(
	"messages that do not count as requests",
	(served) => {
		test("have a limit of their own, beyond which no body is read", async () => {
			const key = await served().key();
			const messages = [
				request("tools/list"),
				{ jsonrpc: "2.0", method: "notifications/initialized" },
				"not JSON",
				request("no/such/method"),
			];
			for (const message of messages) assert.notEqual((await post(served(), key, message)).status, 429);
			assert.equal((await served().refused("/mcp", key)).status, 429);
			for (const message of [...messages, WHOAMI]) {
				const refused = await post(served(), key, message);
				assert.equal(refused.status, 429);
				assert.equal(refused.body?.error?.code, "rate_limited");
				assert.equal(refused.headers.get("retry-after"), "30");
			}
			assert.equal((await served().request("/v1/me", key)).status, 200, "requests go on");
			assert.equal((await post(served(), await served().key(), PING)).status, 200, "so do other keys");
			served().clock.nowMs += MINUTE_MS;
			assert.equal((await post(served(), key, PING)).status, 200);
			served().clock.nowMs -= MINUTE_MS;
		});

		test("limit calls that a limit has no room for, which count toward nothing else", async () => {
			const key = await served().key({ rate_limits: { per_minute: 1 } });
			const license = Array(100).fill("TX:1");
			const call = request("tools/call", { name: "verify_licenses", arguments: { license } });
			for (let i = 0; i < 4; i++) assert.equal((await post(served(), key, call)).status, 200);
			assert.equal((await post(served(), key, call)).status, 429);
		});

		test("do not limit calls", async () => {
			const key = await served().key();
			for (let i = 0; i < 20; i++) assert.equal((await post(served(), key, WHOAMI)).status, 200);
		});
	},
	{ mcp_messages_per_minute: 4 },
);

overBothTransports("GET /mcp", (served) => {
	test("is 401 without a key, 405 with one, and no request of it, since clients open a stream when they connect", async () => {
		const key = await served().key({ rate_limits: { per_minute: 2 } });
		for (const method of ["GET", "HEAD", "DELETE", "PUT"]) {
			const { status, headers } = await served().request("/mcp", null, { method });
			assert.equal(status, 401, method);
			assert.equal(headers.get("www-authenticate"), 'Bearer realm="rollcall"');
		}
		const wrong = await served().refused("/mcp", "nonsense");
		assert.equal(wrong.status, 401);
		const { status, headers } = await served().refused("/mcp", key);
		assert.equal(status, 405);
		assert.equal(headers.get("allow"), "POST, OPTIONS");
		assert.equal(headers.get("ratelimit-remaining"), "2");
		for (let i = 0; i < 2; i++) assert.equal((await served().request("/v1/me", key)).status, 200);
		assert.equal((await served().refused("/mcp", key)).status, 429, "as any other message");
		assert.equal((await served().request("/mcp", null, { method: "OPTIONS" })).status, 204);
	});
});

overBothTransports(
	"POST /mcp with listed origins",
	(served) => {
		test("serves pages of those origins", async () => {
			const key = await served().key();
			assert.equal((await post(served(), key, PING, { origin: "https://agents.example" })).status, 200);
			assert.equal((await post(served(), key, PING, { origin: "https://other.example" })).status, 403);
		});
	},
	{ cors_origins: ["https://agents.example"] },
);
