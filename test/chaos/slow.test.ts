/**
 * Clients that are slow, half-closed or disconnected, over both transports: a client that half-closes
 * after asking gets its answer, a reset in the middle of one costs nothing, and those who drip are
 * cut off while the others are served. With slowhttptest installed, `npm run chaos -- slow` lets it
 * have its way too.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { ServedFixture } from "../http/served.js";
import { transportsHere, whyNotOver } from "../http/transports.js";
import { fuzzRuns } from "../oracle/seeded.js";
import { largeMonthFolder } from "../serve/large-month.js";
import { limitlessKey, ServerProcess } from "../serve/server-process.js";
import { askEvery, percentile, tellTimes } from "./load/probe.js";
import { findProgram } from "./proxy/proxy-process.js";

/** Slow connections of each kind; more on request. */
const CONNECTIONS = Math.min(fuzzRuns(20), 1_000);
const ON_REQUEST = process.env.ROLLCALL_FUZZ_RUNS !== undefined;
const BIG_PAGE = "/v1/licenses?limit=1000&format=csv";
/** uWebSockets.js looks every four seconds for what has been silent or incomplete for ten. */
const CUT_OFF_MS_MAX = { uws: 16_000, node: 36_000 } as const;
const DRIP_MS = 400;

function get(path: string, key: string): string {
	return `GET ${path} HTTP/1.1\r\nHost: rollcall.test\r\nAuthorization: Bearer ${key}\r\n\r\n`;
}

function call(key: string): string {
	const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
	const head = `POST /mcp HTTP/1.1\r\nHost: rollcall.test\r\nAuthorization: Bearer ${key}\r\n`;
	const types = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
	return `${head}${types}Content-Length: ${body.length}\r\n\r\n${body}`;
}

/** A connection whose errors show in what is missing, and what came on it. */
async function open(port: number): Promise<{ socket: Socket; text: () => string }> {
	const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
	const chunks: Buffer[] = [];
	socket.on("data", (chunk: Buffer) => chunks.push(chunk));
	socket.on("error", () => undefined);
	await once(socket, "connect");
	return { socket, text: () => Buffer.concat(chunks).toString("latin1") };
}

/** Sends `bytes` and closes the sending side at once; what came until the server closed, or in five seconds. */
async function halfClosed(port: number, bytes: string): Promise<string> {
	const { socket, text } = await open(port);
	socket.end(bytes);
	await Promise.race([once(socket, "close"), delay(5_000, undefined, { ref: false })]);
	socket.destroy();
	return text();
}

function isWhole(answer: string): boolean {
	const end = answer.indexOf("\r\n\r\n");
	const promised = Number(/^content-length: (\d+)/im.exec(answer)?.[1] ?? -1);
	return answer.startsWith("HTTP/1.1 200 ") && answer.length - end - 4 === promised;
}

/** Sends `bytes` one by one for as long as the connection lives; resolves to the milliseconds it lived. */
async function drip(port: number, begin: string, bytes: string, withinMs: number): Promise<number> {
	const { socket } = await open(port);
	const begun = performance.now();
	let lives = true;
	socket.once("close", () => {
		lives = false;
	});
	// Half closed is closed enough for one who waits.
	socket.once("end", () => {
		lives = false;
	});
	socket.write(begin);
	for (let i = 0; lives && performance.now() - begun < withinMs; i++) {
		await delay(DRIP_MS);
		if (lives && bytes !== "") socket.write(bytes[i % bytes.length]);
	}
	socket.destroy();
	return performance.now() - begun;
}

for (const transport of transportsHere("slow clients")) {
	describe(`slow and vanishing clients, over ${transport}`, () => {
		let served: ServedFixture;
		let key: string;
		before(async () => {
			served = await ServedFixture.start(transport, { data: await largeMonthFolder() });
			key = await served.key({ rate_limits: { per_minute: 1_000_000, per_day: 1_000_000 } });
		});
		after(() => served.close());

		test("a client that closes its side once it has asked gets its whole answer", async () => {
			for (const bytes of [get("/v1/me", key), get(BIG_PAGE, key), call(key)])
				for (let i = 0; i < 10; i++) assert.ok(isWhole(await halfClosed(served.port, bytes)), bytes);
		});

		test("responses that are reset halfway leave nothing behind", async () => {
			const { load } = served.app;
			for (let i = 0; i < CONNECTIONS; i++) {
				const { socket } = await open(served.port);
				socket.pause();
				for (let asked = 0; asked < 1 + (i % 14); asked++) socket.write(get(BIG_PAGE, key));
				await delay(i % 5);
				socket.resetAndDestroy();
			}
			for (let i = 0; i < 100 && load.pending + load.heldBytes > 0; i++) await delay(20);
			assert.deepEqual([load.pending, load.heldBytes], [0, 0]);
			assert.equal((await served.request("/v1/me", key)).status, 200);
		});

		const tooLong = transport === "node" && !ON_REQUEST && "half a minute of dripping; npm run chaos -- slow";
		test("clients that send a head or a body byte by byte are disconnected, and the others are served", {
			skip: tooLong,
		}, async (t) => {
			const failures: string[] = [];
			const probe = askEvery(served.port, key, "/v1/licenses?limit=10", 20, (what) => failures.push(what));
			const post = "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
			const kinds: readonly (readonly [begin: string, bytes: string])[] = [
				["", ""],
				["GET /v1/he", ""],
				["GET /v1/health HTTP/1.1\r\nHost: a\r\n", "X-A: b\r\n"],
				[`${post}Authorization: Bearer ${key}\r\nContent-Length: 4096\r\n\r\n{`, ""],
				[`${post}Authorization: Bearer ${key}\r\nContent-Length: 4096\r\n\r\n{`, " "],
			];
			const within = CUT_OFF_MS_MAX[transport];
			const lives = await Promise.all(
				kinds.flatMap(([begin, bytes]) =>
					Array.from({ length: CONNECTIONS }, () => drip(served.port, begin, bytes, within)),
				),
			);
			const times = await probe.stop();
			const longest = Math.max(...lives);
			t.diagnostic(
				`${transport}: ${lives.length} slow clients, each cut off within ${(longest / 1000).toFixed(1)} s; meanwhile ${tellTimes(times)}`,
			);
			assert.ok(longest < within, "all are cut off");
			assert.deepEqual(failures, []);
			assert.ok(percentile(times, 0.5) < 100, tellTimes(times));
			assert.deepEqual([served.app.load.pending, served.app.load.heldBytes], [0, 0]);
		});
	});
}

test("over uWebSockets.js, what a client has not taken when it closes its side is lost", {
	skip: whyNotOver("uws"),
}, async (t) => {
	// Known limit, asserted so that a version of the library without it is noticed.
	const served = await ServedFixture.start("uws", { data: await largeMonthFolder() });
	t.after(() => served.close());
	const key = await served.key({ rate_limits: { per_minute: 1_000_000 } });
	const { socket, text } = await open(served.port);
	socket.pause();
	let asked = 0;
	for (; served.app.load.heldBytes === 0 && asked < 100; asked++) {
		socket.write(get(BIG_PAGE, key));
		await delay(60);
	}
	socket.end();
	await delay(200);
	assert.deepEqual([served.app.load.pending, served.app.load.heldBytes], [0, 0]);
	socket.resume();
	await Promise.race([once(socket, "close"), delay(3_000, undefined, { ref: false })]);
	const answers = text().split("HTTP/1.1 200 ").slice(1);
	assert.ok(answers.length >= asked - 1);
	assert.ok(!isWhole(`HTTP/1.1 200 ${answers.at(-1)}`));
});

const program = findProgram("slowhttptest");
const without = program === undefined && "slowhttptest is not installed (apt-get install slowhttptest)";
const skip = ON_REQUEST ? without : "a minute of slowhttptest; npm run chaos -- slow";

for (const transport of transportsHere("slowhttptest")) {
	test(`slowhttptest does not keep others from being served, over ${transport}`, { skip }, async (t) => {
		const folder = await largeMonthFolder();
		const key = (await limitlessKey(folder)).text;
		const server = await ServerProcess.start(t, folder, "--transport", transport, "--workers", "1");
		const root = `http://127.0.0.1:${server.port}`;
		const connections = String(CONNECTIONS);
		const common = ["-c", connections, "-r", connections, "-l", "15", "-p", "2", "-i", "2"];
		const attacks = {
			"slow headers": ["-H", "-u", `${root}/v1/health`],
			"slow bodies": ["-B", "-t", "POST", "-s", "100000", "-u", `${root}/mcp`],
			"slow reading": [
				"-X",
				"-w",
				"10",
				"-y",
				"20",
				"-n",
				"1",
				"-z",
				"32",
				"-k",
				"3",
				"-u",
				`${root}/openapi.json`,
			],
			ranges: ["-R", "-t", "HEAD", "-a", "10", "-b", "3000", "-u", `${root}/openapi.json`],
		};
		for (const [name, flags] of Object.entries(attacks)) {
			const failures: string[] = [];
			const probe = askEvery(server.port, key, "/v1/licenses?limit=10", 20, (what) => failures.push(what));
			const { stdout } = await promisify(execFile)(program ?? "", [...common, ...flags], { timeout: 60_000 });
			const times = await probe.stop();
			const rss = (server.residentBytes() / 2 ** 20).toFixed(0);
			t.diagnostic(`${transport}, ${name}, ${connections} connections: ${tellTimes(times)}; ${rss} MiB`);
			assert.doesNotMatch(stdout, /service available:\W+\S*NO/);
			assert.deepEqual(failures, []);
			assert.ok(percentile(times, 0.99) < 500, tellTimes(times));
		}
		assert.equal(await server.end("SIGTERM"), 0);
	});
}
