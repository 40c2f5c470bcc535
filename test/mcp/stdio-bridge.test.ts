/** The stdio bridge as clients start it: a process of its own, in front of a server. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client as StatelessClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as StatelessTransport } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { TOOLS } from "../../server/mcp/tools.js";
import { monthRows } from "../http/drop-rows.js";
import { publish, ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { CLIENT_INFO, callOk, callRefused, request } from "./tool-client.js";

const MAIN = fileURLToPath(new URL("../../server/main.js", import.meta.url));

let served: ServedFixture;
before(async () => {
	served = await ServedFixture.start(ANY_TRANSPORT);
});
after(() => served.close());

function command(key: string, port = served.port) {
	return {
		command: process.execPath,
		args: [MAIN, "mcp-stdio", "--url", `http://127.0.0.1:${port}`],
		env: { ...process.env, ROLLCALL_KEY: key } as Record<string, string>,
	};
}

/** Runs the bridge over `input` until it exits. */
async function bridge(args: readonly string[], input: string) {
	const child = spawn(process.execPath, [MAIN, "mcp-stdio", ...args], { stdio: "pipe" });
	let output = "";
	let errors = "";
	child.stdout.on("data", (chunk) => {
		output += chunk;
	});
	child.stderr.on("data", (chunk) => {
		errors += chunk;
	});
	child.stdin.end(input);
	const [code] = await once(child, "close");
	const lines = output.split("\n").filter((line) => line !== "");
	return { code: code as number, messages: lines.map((line) => JSON.parse(line)), errors };
}

test("the SDK's client calls tools through it", async () => {
	const client = new Client(CLIENT_INFO);
	await client.connect(new StdioClientTransport(command(await served.key())));
	assert.equal((await client.listTools()).tools.length, TOOLS.length);
	const [first, second] = await Promise.all([
		callOk(client, "search_licenses", { state: "CA" }),
		callOk(client, "list_states"),
	]);
	assert.equal(first.pagination?.total, 141);
	assert.equal((second.data as unknown[]).length, 5);
	assert.equal((await callRefused(client, "search_licenses", { state: "Texas" })).param, "state");
	await client.close();
});

test("the stateless client calls tools through it", async () => {
	const client = new StatelessClient(CLIENT_INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
	await client.connect(new StatelessTransport(command(await served.key())));
	const { structuredContent } = await client.callTool({ name: "whoami", arguments: {} });
	assert.match(JSON.stringify(structuredContent), /enterprise/);
	await client.close();
});

test("streams of notifications come through it, and end with the client's cancellation", async () => {
	const client = new StatelessClient(CLIENT_INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
	await client.connect(new StatelessTransport(command(await served.key())));
	const updated = new Promise<string>((resolve) => {
		client.setNotificationHandler("notifications/resources/updated", ({ params }) => resolve(params.uri));
	});
	const filter = { resourceSubscriptions: ["rollcall://snapshots"] };
	const { honoredFilter, close } = await client.listen(filter);
	assert.deepEqual(honoredFilter, filter);
	await publish(served.dataFolder, "2026-12", monthRows("2026-11"));
	await served.reload();
	assert.equal(await updated, "rollcall://snapshots");
	await close();
	assert.match(JSON.stringify(await client.callTool({ name: "whoami", arguments: {} })), /enterprise/);
	await client.close();
});

test("every request is answered before exit, and HTTP refusals are reported with the reason", async () => {
	const key = await served.key({ tier: "production", rate_limits: { per_minute: 1 } });
	const url = `http://127.0.0.1:${served.port}/mcp`;
	const call = (id: number) => JSON.stringify(request("tools/call", { name: "whoami" }, id));
	const notification = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
	const { code, messages } = await bridge(
		["--url", url, "--key", key],
		`${call(1)}\n\n${notification}\n${call(2)}\n`,
	);
	assert.equal(code, 0);
	assert.equal(messages.length, 2);
	assert.deepEqual(messages.map((message) => message.id).sort(), [1, 2]);
	const refused = messages.find((message) => message.result.isError === true);
	const { error } = JSON.parse(refused.result.content[0].text);
	assert.equal(error.code, "rate_limited");
	assert.ok(error.retry_after_s > 0);
	const listed = await bridge(["--url", url, "--key", key], `${JSON.stringify(request("tools/list"))}\n`);
	assert.equal(listed.messages[0].error.code, 429);
	assert.match(listed.messages[0].error.message, /^rate_limited: /);
	assert.ok(listed.messages[0].error.data.retry_after_s > 0);
	const malformed = await bridge(["--url", url, "--key", await served.key()], "not json\n");
	assert.equal(malformed.messages[0].error.code, -32700);
});

test("only a line feed ends a message", async () => {
	const ids = ["line\u2028separator", "paragraph\u2029separator", "\u{1f600}"];
	const pings = ids.map((id) => JSON.stringify(request("ping", {}, id)).replace(",", ",\r"));
	const { messages } = await bridge(
		["--url", `http://127.0.0.1:${served.port}`, "--key", await served.key()],
		pings.join("\r\n"),
	);
	assert.deepEqual(messages.map((message) => message.id).sort(), ids.sort());
});

test("a wrong key and an unreachable server are reported in the answers", async () => {
	const ping = `${JSON.stringify(request("ping"))}\n`;
	const wrong = await bridge(["--url", `http://127.0.0.1:${served.port}`, "--key", "nothing"], ping);
	assert.equal(wrong.messages[0].error.code, 401);
	const absent = await bridge(["--url", "http://127.0.0.1:1", "--key", "nothing"], ping);
	assert.match(absent.messages[0].error.message, /http:\/\/127\.0\.0\.1:1 does not answer/);
	assert.equal(absent.code, 0);
});

test("an invalid address and a missing key are usage errors in one line", async () => {
	for (const args of [
		["--url", "nowhere", "--key", "k"],
		["--url", "ftp://a/", "--key", "k"],
		[],
		["--key="],
	]) {
		const { code, errors } = await bridge(args, "");
		assert.equal(code, 2, args.join(" "));
		assert.equal(errors.trim().split("\n").length, 1);
		if (args.length < 2) assert.match(errors, /no key: give one as ROLLCALL_KEY/);
	}
});
