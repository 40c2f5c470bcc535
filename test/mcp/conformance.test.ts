/**
 * The protocol's own conformance suites against this server: the released one, and the newest, for revision
 * 2026-07-28. The server offers the fixtures that the suites ask for (conformance-fixtures.ts). The suites send
 * no keys, so they go through a proxy on the loopback interface that adds one. conformance-expected-failures*.yml
 * list the scenarios that fail, with the reason; any other failure fails the test.
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
import { ANY_TRANSPORT, type TransportName, transportsHere } from "../http/transports.js";
import { CONFORMANCE_FIXTURES } from "./conformance-fixtures.js";

interface Suite {
	readonly entry: string;
	readonly args: readonly string[];
	/** In the folder of this test's source. */
	readonly expectedFailures: string;
	/** Scenarios that must be among those that pass. */
	readonly passing: readonly string[];
}

const RELEASED: Suite = {
	entry: "@modelcontextprotocol/conformance/dist/index.js",
	args: [],
	expectedFailures: "conformance-expected-failures.yml",
	passing: [
		"server-initialize",
		"ping",
		"tools-list",
		"tools-call-mixed-content",
		"resources-templates-read",
		"prompts-get-embedded-resource",
		"dns-rebinding-protection",
	],
};
const NEWEST: Suite = {
	entry: "conformance-2026/dist/index.js",
	args: ["--requirements", "2026-07-28"],
	expectedFailures: "conformance-expected-failures-2026.yml",
	passing: ["server-stateless", "caching", "http-header-validation", "json-schema-2020-12"],
};
const SUITE_TIMEOUT_MS = 120_000;
/** The suites are for Node 22. */
const GLOB_SYNC = new URL("./glob-sync.js", import.meta.url).href;

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

async function runSuite(url: string, suite: Suite): Promise<{ code: number; output: string }> {
	const entry = createRequire(import.meta.url).resolve(suite.entry);
	const expected = fileURLToPath(new URL(`../../../test/mcp/${suite.expectedFailures}`, import.meta.url));
	const args = ["--import", GLOB_SYNC, entry, "server", "--url", url, ...suite.args];
	// The suite writes its observations to its working directory.
	const child = spawn(process.execPath, [...args, "--expected-failures", expected], {
		cwd: tmpdir(),
		timeout: SUITE_TIMEOUT_MS,
	});
	let output = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream.on("data", (chunk) => {
			output += chunk;
		});
	}
	const [code] = await once(child, "close");
	return { code: code as number, output };
}

function testSuite(name: string, suite: Suite, transport: TransportName): void {
	test(`the ${name} conformance suite fails in the expected scenarios only, over ${transport}`, async (t) => {
		const served = await ServedFixture.start(transport, { mcp_messages_per_minute: 0 }, CONFORMANCE_FIXTURES);
		t.after(() => served.close());
		const proxy = await keyedProxy(served.port, await served.key());
		t.after(() => proxy.close());
		const { port } = proxy.address() as AddressInfo;
		const { code, output } = await runSuite(`http://localhost:${port}/mcp`, suite);
		const summary = output.slice(output.indexOf("=== SUMMARY ==="));
		assert.equal(code, 0, summary);
		for (const scenario of suite.passing)
			assert.ok(summary.includes(`✓ ${scenario}:`), `${scenario}\n${summary}`);
	});
}

for (const transport of transportsHere("the conformance suite")) testSuite("released", RELEASED, transport);
testSuite("newest", NEWEST, ANY_TRANSPORT);
