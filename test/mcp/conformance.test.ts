/**
 * The protocol's own conformance suite against this server. The suite sends no keys, so it goes through
 * a proxy on the loopback interface that adds one. conformance-expected-failures.yml lists the scenarios
 * that fail, with the reason; any other failure fails the test.
 */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { ServedFixture } from "../http/served.js";
import { transportsHere } from "../http/transports.js";

const EXPECTED_FAILURES = fileURLToPath(
	new URL("../../../test/mcp/conformance-expected-failures.yml", import.meta.url),
);
/** Scenarios that must be among those that pass. */
const PASSING = [
	"server-initialize",
	"ping",
	"tools-list",
	"resources-list",
	"prompts-list",
	"dns-rebinding-protection",
];
const SUITE_TIMEOUT_MS = 120_000;

/** A proxy to `port` that adds `key` to every request. */
async function keyedProxy(port: number, key: string): Promise<Server> {
	const proxy = createServer((incoming, outgoing) => {
		const { method, url, headers } = incoming;
		const options = { host: "127.0.0.1", port, path: url, method };
		const forwarded = request(
			{ ...options, headers: { ...headers, authorization: `Bearer ${key}` } },
			(response) => {
				outgoing.writeHead(response.statusCode ?? 502, response.headers);
				response.pipe(outgoing);
			},
		);
		forwarded.on("error", (error) => outgoing.destroy(error));
		incoming.pipe(forwarded);
	});
	proxy.listen(0, "127.0.0.1");
	await once(proxy, "listening");
	return proxy;
}

async function runSuite(url: string): Promise<{ code: number; output: string }> {
	const entry = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/dist/index.js");
	const args = [entry, "server", "--url", url, "--expected-failures", EXPECTED_FAILURES];
	// The suite writes its observations to its working directory.
	const child = spawn(process.execPath, args, { cwd: tmpdir(), timeout: SUITE_TIMEOUT_MS });
	let output = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream.on("data", (chunk) => {
			output += chunk;
		});
	}
	const [code] = await once(child, "close");
	return { code: code as number, output };
}

for (const transport of transportsHere("the conformance suite")) {
	test(`the conformance suite fails in the expected scenarios only, over ${transport}`, async (t) => {
		const served = await ServedFixture.start(transport, { mcp_messages_per_minute: 0 });
		t.after(() => served.close());
		const proxy = await keyedProxy(served.port, await served.key());
		t.after(() => proxy.close());
		const { code, output } = await runSuite(`http://localhost:${(proxy.address() as AddressInfo).port}/mcp`);
		const summary = output.slice(output.indexOf("=== SUMMARY ==="));
		assert.equal(code, 0, summary);
		for (const scenario of PASSING) assert.ok(summary.includes(`✓ ${scenario}:`), `${scenario}\n${summary}`);
	});
}
