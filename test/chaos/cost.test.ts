/**
 * The cost test: what each request that a stranger or a demo key can send costs the server, against the
 * table of bounds in SECURITY.md. Requests are generated from the table of operations, the routes and the
 * table of tools: each path with each method, by each kind of client.
 *
 * Client and server share the process, so the figures are upper bounds of the server's. CPU time is counted in empty
 * requests, so that the bounds hold on any machine: what node:http takes for an empty answer, client and server together.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { Agent, createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { before, test } from "node:test";
import { OPERATIONS } from "../../server/api/operation-table.js";
import { createKeyText } from "../../server/keys/key-text.js";
import { TOOLS } from "../../server/mcp/tools.js";
import { overBothTransports, type ServedFixture } from "../http/served.js";
import { request } from "../mcp/tool-client.js";
import { fuzzRuns } from "../oracle/seeded.js";

const METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH"] as const;
const KEYLESS_PATHS = [
	"/v1/health",
	"/openapi.json",
	"/docs",
	"/docs/swagger-ui-bundle.js",
	"/nowhere",
] as const;
const FILES: readonly string[] = KEYLESS_PATHS.slice(1, 4);
/** Batches of requests of one kind: the cheapest counts, since compiling and collecting garbage are not the request's. */
const BATCHES = 3;
/** Batches before a request is called dearer than its bound. */
const BUSY_BATCHES = 40;
const REPEATS = Math.max(1, Math.ceil(fuzzRuns(6) / BATCHES));

/** The bounds of SECURITY.md, "What a request may cost"; `cpu`: in empty requests. */
const BOUNDS = {
	refusal: { cpu: 30, bytes: 4 * 1024 },
	file: { cpu: 10, bytes: 2 * 1024 * 1024 },
	demo: { cpu: 80, bytes: 256 * 1024 },
} as const;
/**
 * For the first request of a file, in empty requests: once a thread it is made or read, and once compressed in each
 * coding.
 */
const FIRST_CPU_MAX: Readonly<Record<string, number>> = {
	"/openapi.json": 1_500,
	"/docs": 100,
	"/docs/swagger-ui-bundle.js": 5_000,
};
/** Empty requests of a batch that measures them. */
const EMPTY_REQUESTS = 50;
/** For all requests of one test together. */
const MEMORY_BYTES_MAX = 64 * 1024 * 1024;
const DESCRIPTORS_MAX = 16;

const REQUIRED: Readonly<Record<string, string>> = {
	"/v1/suggest": "?field=last_name&q=sm",
	"/v1/licenses/history": "?id=32200000101",
};

interface Sent {
	readonly method: string;
	readonly path: string;
	readonly body?: string;
}

/** Every path of the tables with every method, and every tool. */
function everyRequest(): Sent[] {
	const operations = OPERATIONS.map(({ endpoint }) => {
		const path = endpoint.replace("{id}", "32200000101").replace("{snapshot}/{file}", "2026-11/CA.parquet");
		return path + (REQUIRED[endpoint] ?? "");
	});
	const hostile = [`/v1/licenses?city=${"%41".repeat(5_000)}`, `/v1/licenses?${"x&".repeat(8_000)}`];
	const paths = [...KEYLESS_PATHS, ...operations, ...hostile, "/mcp"];
	const plain = paths.flatMap((path) => METHODS.map((method) => ({ method, path })));
	const messages = [
		...TOOLS.map(({ listed }) => request("tools/call", { name: listed.name, arguments: {} })),
		request("tools/list"),
		"[".repeat(65_000),
		`[${"{},".repeat(21_000)}{}]`,
		`{"jsonrpc":"2.0","id":1,"method":"${"x".repeat(65_000)}"}`,
	];
	const calls = messages.map((message) => ({
		method: "POST",
		path: "/mcp",
		body: typeof message === "string" ? message : JSON.stringify(message),
	}));
	return [...plain, ...calls];
}

/** A connection for each request, since some refusals close theirs. */
const agent = new Agent({ keepAlive: false });

/** CPU time of an empty request in milliseconds, at this moment. */
async function emptyRequestMs(): Promise<number> {
	const server = createServer((_, answer) => answer.writeHead(204).end()).listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	let least = Number.POSITIVE_INFINITY;
	for (let batch = 0; batch < BATCHES; batch++) {
		const before = process.cpuUsage();
		for (let i = 0; i < EMPTY_REQUESTS; i++) await send({ port }, { method: "GET", path: "/" }, null);
		least = Math.min(least, spentMs(before) / EMPTY_REQUESTS);
	}
	server.close();
	return least;
}

/** CPU time of this process since `before`, in milliseconds. */
function spentMs(before: NodeJS.CpuUsage): number {
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1_000;
}

/** Sends a request; resolves to the bytes of the answer's body, as sent. */
function send(
	{ port }: { readonly port: number },
	{ method, path, body }: Sent,
	key: string | null,
): Promise<number> {
	return new Promise((resolve, reject) => {
		const headers: Record<string, string> = { "accept-encoding": "gzip, br" };
		if (key !== null) headers.authorization = `Bearer ${key}`;
		if (body !== undefined) {
			headers["content-type"] = "application/json";
			headers["content-length"] = String(Buffer.byteLength(body));
		}
		const sent = httpRequest({ agent, host: "127.0.0.1", port, method, path, headers }, (answer) => {
			let bytes = 0;
			answer.on("data", (chunk: Buffer) => {
				bytes += chunk.length;
			});
			answer.on("end", () => resolve(bytes));
		});
		sent.on("error", (error) => reject(new Error(`${method} ${path.slice(0, 60)}: ${error.message}`)));
		sent.end(body);
	});
}

function descriptors(): number {
	return readdirSync("/proc/self/fd").length;
}

function boundOf({ path }: Sent, isDemo: boolean): { readonly cpu: number; readonly bytes: number } {
	if (FILES.includes(path)) return BOUNDS.file;
	return isDemo ? BOUNDS.demo : BOUNDS.refusal;
}

interface Costliest {
	cpu: number;
	bytes: number;
	cpuOf: string;
	bytesOf: string;
}

/** Sends every request as one kind of client, each several times, and holds each to its bound. */
async function measure(served: ServedFixture, key: string | null, isDemo: boolean): Promise<Costliest> {
	const emptyMs = await emptyRequestMs();
	const worst: Costliest = { cpu: 0, bytes: 0, cpuOf: "", bytesOf: "" };
	for (const sent of everyRequest()) {
		const name = `${sent.method} ${sent.path.slice(0, 60)} ${sent.body?.slice(0, 60) ?? ""}`;
		// The first compiles code and fills caches.
		await send(served, sent, key);
		let bytes = 0;
		let cpu = Number.POSITIVE_INFINITY;
		const bound = boundOf(sent, isDemo);
		// Other processes on a busy machine make a batch dear, not all of them.
		for (let batch = 0; batch < BATCHES || (cpu > bound.cpu && batch < BUSY_BATCHES); batch++) {
			const before = process.cpuUsage();
			for (let i = 0; i < REPEATS; i++) bytes = Math.max(bytes, await send(served, sent, key));
			cpu = Math.min(cpu, spentMs(before) / REPEATS / emptyMs);
		}
		assert.ok(
			cpu <= bound.cpu,
			`${name}: CPU time of ${cpu.toFixed(1)} empty requests, at most ${bound.cpu}`,
		);
		assert.ok(bytes <= bound.bytes, `${name}: ${bytes} bytes, at most ${bound.bytes}`);
		if (cpu > worst.cpu) Object.assign(worst, { cpu, cpuOf: name });
		if (!FILES.includes(sent.path) && bytes > worst.bytes) Object.assign(worst, { bytes, bytesOf: name });
	}
	return worst;
}

/** Logs what an operator sees by default. */
const SETTINGS = { log_level: "info" } as const;

function tests(served: () => ServedFixture): void {
	const clients: readonly (readonly [string, () => Promise<string | null>])[] = [
		["without a key", async () => null],
		["with a wrong key", async () => createKeyText()],
		[
			"with a key over its limit",
			async () => {
				const key = await served().key({ rate_limits: { per_minute: 1 } });
				await served().request("/v1/me", key);
				return key;
			},
		],
		["with a demo key", () => served().key({ tier: "demo", rate_limits: { per_minute: 1e9, per_day: 1e9 } })],
	];
	/** CPU time of the first request of each file. */
	const firstMs = new Map<string, number>();
	before(async () => {
		await send(served(), { method: "GET", path: "/nowhere" }, null);
		for (const path of FILES) {
			const before = process.cpuUsage();
			await send(served(), { method: "GET", path }, null);
			firstMs.set(path, spentMs(before));
		}
	});
	// Not counted: what the first requests compile, the files they make, and the room that garbage then keeps.
	before(async () => {
		for (let i = 0; i < 2; i++) await measure(served(), null, false);
	});
	test("the first request of each file of the documentation stays within its bound", async (t) => {
		const emptyMs = await emptyRequestMs();
		for (const [path, ms] of firstMs) {
			const cpu = ms / emptyMs;
			t.diagnostic(
				`${path}: ${ms.toFixed(0)} ms, ${cpu.toFixed(0)} empty requests of ${emptyMs.toFixed(3)} ms`,
			);
			assert.ok(cpu <= FIRST_CPU_MAX[path], `${path}: ${cpu} empty requests, at most ${FIRST_CPU_MAX[path]}`);
		}
		assert.equal(firstMs.size, FILES.length);
	});
	for (const [client, keyOf] of clients) {
		test(`${client} stays within its bounds`, async (t) => {
			const key = await keyOf();
			await send(served(), { method: "GET", path: "/openapi.json" }, null);
			const descriptorsBefore = descriptors();
			const memoryBefore = process.memoryUsage.rss();
			const worst = await measure(served(), key, client === "with a demo key");
			const memory = process.memoryUsage.rss() - memoryBefore;
			assert.ok(memory < MEMORY_BYTES_MAX, `${memory} bytes of memory more`);
			assert.ok(descriptors() - descriptorsBefore < DESCRIPTORS_MAX, "descriptors stay open");
			assert.equal(served().app.load.heldBytes, 0, "nothing is held for readers");
			assert.deepEqual(served().logged, [], "no request writes a line to the log");
			t.diagnostic(
				`most CPU ${worst.cpu.toFixed(1)} empty requests: ${worst.cpuOf}; most bytes ${worst.bytes}: ${worst.bytesOf}; memory ${(memory / 1e6).toFixed(1)} MB`,
			);
		});
	}
}

overBothTransports("the cost of a request", tests, SETTINGS);
