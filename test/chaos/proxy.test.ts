/**
 * nginx and HAProxy in front of the server, as shipped in deploy/: hostile bytes through them while
 * others ask over the same connections to the server. No client gets another's answer, and no request
 * is one to the proxy and two to the server.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT, TRANSPORTS, type TransportName, whyNotOver } from "../http/transports.js";
import { fuzzRuns, tellSeed } from "../oracle/seeded.js";
import { largeMonthFolder } from "../serve/large-month.js";
import { attempts } from "./http/attempts.js";
import { HOSTILE_CASES, SMUGGLED } from "./http/cases.js";
import { provokeOn } from "./http/judge.js";
import { Bystander, type ProxyAnswer } from "./proxy/bystander.js";
import { PROXIES, type ProxyName, ProxyProcess, whyNot } from "./proxy/proxy-process.js";
import { disagreement, Relay } from "./proxy/relay.js";

const CONNECTIONS = 16;
const BYSTANDERS = 4;
/** Around the server's 10 s for an idle connection and the proxies' 8 s. */
const IDLE_MS = [7_500, 8_500, 9_500, 10_500, 11_500];
const BY_PROXY = new Set([502, 503, 504]);
const MIB = 1024 * 1024;

class Stack {
	private constructor(
		readonly served: ServedFixture,
		readonly relay: Relay,
		readonly proxy: ProxyProcess,
		readonly key: string,
	) {}

	static async start(name: ProxyName, transport: TransportName): Promise<Stack> {
		const data = await largeMonthFolder();
		const settings = { data, trusted_proxies: ["127.0.0.1"], failed_keys_per_minute: 3 };
		const served = await ServedFixture.start(transport, settings);
		const key = await served.key({ rate_limits: { per_minute: 1_000_000 } });
		const relay = await Relay.start(served.port);
		try {
			return new Stack(served, relay, await ProxyProcess.start(name, relay.port), key);
		} catch (error) {
			await relay.close();
			await served.close();
			throw error;
		}
	}

	async close(): Promise<void> {
		await this.proxy.close();
		await this.relay.close();
		await this.served.close();
	}

	/** One request on a connection of its own. */
	async ask(path: string, headers = "", body = "", method = "GET"): Promise<ProxyAnswer> {
		const bystander = new Bystander(this.proxy);
		try {
			const credentials = `Authorization: Bearer ${this.key}\r\n${headers}`;
			return await bystander.ask(path, credentials, body, method);
		} finally {
			bystander.close();
		}
	}
}

/** Requests unknown paths, each unique, while `goesOn`; returns every answer that is not the 404 for its path. */
async function watch(proxy: ProxyProcess, who: number, goesOn: () => boolean): Promise<string[]> {
	const wrong: string[] = [];
	const bystander = new Bystander(proxy);
	for (let i = 0; goesOn(); i++) {
		const path = `/bystander-${who}-${i}`;
		const { status, body } = await bystander.ask(path);
		// On a busy machine a proxy may answer itself that its server is slow; that is not another client's answer.
		if (BY_PROXY.has(status)) continue;
		if (status !== 404 || !body.includes(`${path}\\"`))
			wrong.push(`${path}: ${status} ${body.slice(0, 200)}`);
		await delay(1);
	}
	bystander.close();
	return wrong;
}

test("HAProxy gives up root once its ports are open", {
	skip: whyNot("haproxy") ?? (process.getuid?.() !== 0 && "needs root, as Debian's unit has"),
}, async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const proxy = await ProxyProcess.start("haproxy", served.port);
	t.after(() => proxy.close());
	assert.notEqual(proxy.userId(), 0);
});

// Side by side, since most of their time is spent in silence.
describe("behind a proxy", { concurrency: true }, () => {
	for (const name of PROXIES)
		for (const transport of TRANSPORTS)
			describe(`${name} in front of ${transport}`, {
				skip: whyNot(name) || whyNotOver(transport),
				concurrency: 1,
			}, () => {
				let stack: Stack;
				before(async () => {
					stack = await Stack.start(name, transport);
				});
				// Undefined where it could not start, which is what the run must then report.
				after(() => (stack as Stack | undefined)?.close());

				test("hostile bytes affect no other client, and hide no request from either side", async (t) => {
					const mutants = fuzzRuns(150);
					tellSeed(t, 2 * HOSTILE_CASES.length + mutants);
					const todo = attempts(HOSTILE_CASES, mutants);
					let attacking = true;
					const bystanders = Array.from({ length: BYSTANDERS }, (_, who) =>
						watch(stack.proxy, who, () => attacking),
					);
					let tried = 0;
					const attack = async () => {
						for (let next = todo.next(); next.done !== true; next = todo.next(), tried++)
							await provokeOn(stack.proxy.open(), next.value.segments);
					};
					await Promise.all(Array.from({ length: CONNECTIONS }, attack));
					attacking = false;
					const wrong = (await Promise.all(bystanders)).flat();
					const disagreements = stack.relay.conversations.map(disagreement).filter((d) => d !== null);
					t.diagnostic(`${name}, ${transport}: tried ${tried}, lost ${wrong.length + disagreements.length}`);
					assert.deepEqual([...wrong, ...disagreements], []);
					assert.equal((await stack.ask("/v1/health")).status, 200);
				});

				test("clients share connections to the server", async () => {
					const begun = stack.relay.conversations.length;
					for (let i = 0; i < 30; i++) assert.equal((await stack.ask("/v1/me")).status, 200);
					const opened = stack.relay.conversations.length - begun;
					// A pool is one thread's, and the next thread may look in vain.
					assert.ok(opened <= 15, `${opened} connections for 30 requests`);
				});

				test("the client's address is taken from the proxy alone", async () => {
					const forged = "X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-For: 203.0.113.10\r\n";
					const bystander = new Bystander(stack.proxy);
					for (let i = 0; i < 10; i++) {
						const { status } = await bystander.ask("/v1/me", `Authorization: Bearer wrong\r\n${forged}`);
						assert.equal(status, 401, "not counted for an address that is not the client's");
					}
					bystander.close();
					const sent = Buffer.concat(stack.relay.conversations.flatMap((c) => c.toServer)).toString("latin1");
					assert.doesNotMatch(sent, /203\.0\.113/);
					assert.match(sent, /^x-forwarded-for: 127\.0\.0\.1\r$/im);
				});

				test("a large response arrives complete, and its tag avoids the next one", async () => {
					const path = "/v1/licenses?limit=1000&format=csv";
					const direct = await stack.served.request(path, stack.key);
					const through = await stack.ask(path);
					assert.ok(direct.text.length > 300_000);
					assert.equal(through.body, direct.text);
					const again = await stack.ask(path, `If-None-Match: ${direct.headers.get("etag")}\r\n`);
					assert.equal(again.status, 304);
				});

				test("a message to the tools comes through; one that is too long does not", async () => {
					const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
					const type = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
					const { status, body } = await stack.ask("/mcp", type, message, "POST");
					assert.equal(status, 200, body);
					assert.match(body, /search_licenses/);
					const post = `POST /mcp HTTP/1.1\r\nHost: rollcall.example\r\n${type}Authorization: Bearer ${stack.key}\r\n`;
					const bystander = new Bystander(stack.proxy);
					// The head alone: HAProxy closes with its answer, and a client that still sends a body may lose it.
					const long = await bystander.send(`${post}Content-Length: ${MIB + 1}\r\n\r\n`);
					bystander.close();
					assert.equal(long.status, 413, long.body);
					const whole = await stack.ask("/mcp", type, " ".repeat(MIB + 1), "POST").then(
						(refused) => String(refused.status),
						(error: Error) => error.message,
					);
					assert.match(whole, name === "nginx" ? /^413$/ : /^413$|^closed without an answer/);
					// nginx reads a body in chunks whole and sends its length; HAProxy passes chunks on, its own.
					const chunked = `${message.length.toString(16)}\r\n${message}\r\n0\r\n\r\n`;
					const answer = await bystander.send(`${post}Transfer-Encoding: chunked\r\n\r\n${chunked}`);
					bystander.close();
					assert.equal(answer.status, 200, answer.body);
				});

				test("a message over HTTP/2 without a length, as HTTP/2 allows, is answered", async () => {
					const { port } = stack.proxy;
					const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
					for (let i = 0; i < 2; i++) {
						const asked = session.request({
							":method": "POST",
							":path": "/mcp",
							authorization: `Bearer ${stack.key}`,
							"content-type": "application/json",
						});
						asked.write('{"jsonrpc":"2.0","id":1,');
						asked.end('"method":"tools/list"}');
						const [headers] = await once(asked, "response");
						const body = Buffer.concat(await asked.toArray()).toString();
						assert.equal(headers[":status"], 200, body);
						assert.match(body, /search_licenses/);
					}
					session.destroy();
				});

				test("clients without TLS are redirected to it", async () => {
					const location = await new Promise((resolve, reject) => {
						const { plainPort: port } = stack.proxy;
						const headers = { host: "rollcall.example" };
						request({ port, host: "127.0.0.1", path: "/v1/stats?x=1", headers }, (response) => {
							response.resume();
							resolve([response.statusCode, response.headers.location]);
						})
							.once("error", reject)
							.end();
					});
					assert.deepEqual(location, [308, "https://rollcall.example/v1/stats?x=1"]);
				});

				test("a request after any idle time is answered: the proxy closes idle connections first", async () => {
					await Promise.all(
						IDLE_MS.map(async (idleMs) => {
							const bystander = new Bystander(stack.proxy);
							for (let i = 0; i < 2; i++) {
								const { status } = await bystander.ask("/bystander");
								assert.equal(status, 404, `after ${idleMs} ms`);
								if (i === 0) await delay(idleMs);
							}
							bystander.close();
						}),
					);
				});
			});
});

test("the judge of conversations detects hidden and ambiguous requests", () => {
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
	const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
	const hidden = `GET ${SMUGGLED} HTTP/1.1\r\nHost: a\r\n\r\n`;
	const say = (sent: string, received: string) =>
		disagreement({ toServer: [Buffer.from(sent)], fromServer: [Buffer.from(received)] });
	assert.equal(say(get + get, ok + ok), null);
	assert.equal(say(get.replace("GET", "HEAD") + get, `${ok.slice(0, -2)}${ok}`), null);
	const post = `POST / HTTP/1.1\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`;
	assert.equal(say(post, ok), null);
	assert.match(say(post, ok + ok) ?? "", /2 answers to 1 requests/);
	assert.match(say(`GET / HTTP/1.1\r\n: x\r\n\r\n`, ok) ?? "", /passed on: the header/);
	assert.match(say(`GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n`, ok) ?? "", /Transfer-Encoding/);
	const chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
	assert.equal(say(`${chunked}3\r\nabc\r\n0\r\n\r\n${get}`, ok + ok), null);
	assert.match(
		say(`${chunked}${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`, ok + ok) ?? "",
		/2 answers/,
	);
	assert.match(say(`${chunked}3\r\nabcd\r\n0\r\n\r\n`, ok) ?? "", /a chunk that ends/);
	assert.match(say(`${chunked}3 \r\nabc\r\n0\r\n\r\n`, ok) ?? "", /the chunk/);
	assert.match(say(`GET / HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n`, ok) ?? "", /lengths/);
	assert.match(say("GET / HTTP/1.0\r\n\r\n", ok) ?? "", /passed on/);
});
