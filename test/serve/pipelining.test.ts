/**
 * Clients that pipeline requests and read nothing: whatever they ask for, the memory that the server
 * holds for them is bounded, its metrics show it, and it is freed when they disconnect.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ServedFixture } from "../http/served.js";
import { TRANSPORTS, whyNotOver } from "../http/transports.js";
import { fuzzRuns } from "../oracle/seeded.js";
import { largeMonthFolder } from "./large-month.js";
import { limitlessKey, ServerProcess } from "./server-process.js";

const MIB = 2 ** 20;
const CONNECTIONS = 30;
const REQUESTS = Math.min(400, fuzzRuns(400));
/** Budget for responses held, in the tests. */
const HELD_MIB = 4;
/** What a warm process may grow by on top: garbage not collected yet. */
const GROWTH_BYTES_MAX = 128 * MIB;
/** Requests of each kind that are answered and read before: code is compiled then, and the heap as large as they need. */
const WARM_REQUESTS = 60;
const SETTLE_MS = 350;

/** What is asked: bodies of every size, from every kind of route, and responses without a body. */
const ASKED: readonly (readonly [string, string, string?])[] = [
	["GET", "/openapi.json"],
	["GET", "/openapi.json", "Accept-Encoding: gzip\r\n"],
	["GET", "/docs/swagger-ui.css"],
	["GET", "/docs"],
	["GET", "/v1/health"],
	["GET", "/v1/licenses?limit=1"],
	["GET", "/v1/licenses?limit=10"],
	["GET", "/v1/licenses?limit=30"],
	["GET", "/v1/licenses"],
	["GET", "/v1/licenses?limit=1000&format=csv"],
	["GET", "/v1/licenses?limit=1000&format=ndjson"],
	["GET", "/nowhere"],
	["GET", "/v1/licenses?limit=0"],
	["PUT", "/v1/licenses"],
	["HEAD", "/openapi.json"],
	["HEAD", "/v1/licenses"],
	["OPTIONS", "/v1/licenses"],
];

function request([method, path, headers = ""]: (typeof ASKED)[number], key: string): string {
	return `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${headers}\r\n`;
}

/** Opens connections that send `bytes` and never read. */
async function unreadConnections(port: number, bytes: string): Promise<Socket[]> {
	const sockets = Array.from({ length: CONNECTIONS }, () => connect(port, "127.0.0.1"));
	for (const socket of sockets) {
		socket.pause();
		// The server may disconnect who does not read.
		socket.on("error", () => undefined);
		await once(socket, "connect");
		socket.write(bytes);
	}
	return sockets;
}

/** Asks for everything and reads the answers, over one connection. */
async function warmUp(port: number, key: string): Promise<void> {
	const socket = connect(port, "127.0.0.1").resume();
	socket.write(ASKED.map((asked) => request(asked, key).repeat(WARM_REQUESTS)).join(""));
	// Answers come in order, so this one is the last.
	socket.end(`GET /v1/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
	await once(socket, "close");
}

for (const transport of TRANSPORTS) {
	const skip = whyNotOver(transport);
	test(`pipelined requests of a client that does not read hold bounded memory, over ${transport}`, {
		skip,
	}, async (t) => {
		const folder = await largeMonthFolder();
		t.after(() => rmSync(folder, { recursive: true, force: true }));
		const key = (await limitlessKey(folder)).text;
		const budget = ["--slow-readers-mib", String(HELD_MIB), "--answer-cache-mib", "8"];
		const flags = ["--transport", transport, "--workers", "1", ...budget];
		const server = await ServerProcess.start(t, folder, ...flags);
		await warmUp(server.port, key);
		const before = server.residentBytes();
		for (const asked of ASKED) {
			const sockets = await unreadConnections(server.port, request(asked, key).repeat(REQUESTS));
			await delay(SETTLE_MS);
			const grown = server.residentBytes() - before;
			for (const socket of sockets) socket.destroy();
			t.diagnostic(`${transport}: ${asked.join(" ").trim()}: ${(grown / MIB).toFixed(0)} MiB`);
			assert.ok(grown < GROWTH_BYTES_MAX, `${asked[0]} ${asked[1]}: grew by ${(grown / MIB).toFixed(0)} MiB`);
			const answer = await fetch(`http://127.0.0.1:${server.port}/v1/health`);
			assert.equal(answer.status, 200, "others are served");
		}
		assert.equal(await server.end("SIGTERM"), 0);
	});

	test(`what is held is counted, at most the budget, and freed, over ${transport}`, { skip }, async (t) => {
		const settings = { data: await largeMonthFolder(), slow_readers_mib: HELD_MIB };
		const served = await ServedFixture.start(transport, settings);
		t.after(() => served.close());
		const key = await served.key({ rate_limits: { per_minute: 1_000_000, per_day: 1_000_000 } });
		const { load } = served.app;
		// Requests one by one, since a transport may end a connection that sends one too early.
		const sockets = await unreadConnections(served.port, "");
		let heldMax = 0;
		for (let round = 0; round < 40; round++) {
			for (const socket of sockets)
				if (socket.writable) socket.write(request(["GET", "/v1/licenses?limit=1000&format=csv"], key));
			await delay(20);
			heldMax = Math.max(heldMax, load.heldBytes);
			assert.ok(load.heldBytes <= HELD_MIB * MIB, `${load.heldBytes} bytes are held`);
		}
		assert.ok(heldMax > 0, "what waits for its readers is counted");
		for (const socket of sockets) socket.destroy();
		for (let i = 0; i < 100 && load.pending + load.heldBytes > 0; i++) await delay(20);
		assert.deepEqual([load.pending, load.heldBytes], [0, 0]);
	});

	test(`requests pipelined by a client that reads are all answered, in order, over ${transport}`, {
		skip,
	}, async (t) => {
		const served = await ServedFixture.start(transport);
		t.after(() => served.close());
		const socket = connect(served.port, "127.0.0.1");
		let text = "";
		socket.setEncoding("latin1").on("data", (chunk: string) => {
			text += chunk;
		});
		const paths = Array.from({ length: 60 }, (_, i) => `/nowhere-${i}`);
		for (const path of paths) socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
		for (let i = 0; i < 100 && text.split("HTTP/1.1 404").length <= paths.length; i++) await delay(20);
		assert.deepEqual(
			[...text.matchAll(/no path \\"(\/nowhere-\d+)\\"/g)].map((match) => match[1]),
			paths,
		);
		socket.destroy();
	});
}
