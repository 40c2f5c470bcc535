/** What the shipped proxy configurations refuse, of one client or for want of a server, and what they pass. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { Bystander, type ProxyAnswer } from "./proxy/bystander.js";
import { PROXIES, ProxyProcess, whyNot } from "./proxy/proxy-process.js";

const CONNECTIONS_MAX = 100;
/** More than both files allow at once: nginx 200 a second and a burst of 400, HAProxy 2,000 in ten seconds. */
const REQUESTS = 2_400;
const CLIENTS = 12;

for (const name of PROXIES) {
	test(`${name} limits one client's connections and requests`, { skip: whyNot(name) }, async (t) => {
		const served = await ServedFixture.start(ANY_TRANSPORT, { trusted_proxies: ["127.0.0.1"] });
		t.after(() => served.close());
		const proxy = await ProxyProcess.start(name, served.port, "shipped");
		t.after(() => proxy.close());
		const held = await holdConnections(proxy, CONNECTIONS_MAX + 20);
		const refused = held.filter(({ text, open }) => !open() || text().startsWith("HTTP/1.1 429 "));
		t.diagnostic(`${name}: ${refused.length} of ${held.length} connections refused`);
		assert.ok(refused.length >= 15 && refused.length <= 30, `${refused.length} refused`);
		for (const { end } of held) end();
		await delay(300);
		const answers = await askMany(proxy, REQUESTS);
		const statuses = answers.map(({ status }) => status);
		const limited = statuses.filter((status) => status === 429).length;
		const served404 = statuses.filter((status) => status === 404).length;
		t.diagnostic(`${name}: ${limited} of ${REQUESTS} requests refused`);
		assert.equal(limited + served404, REQUESTS, "every request is answered");
		assert.ok(limited > 0 && served404 >= 400, `${limited} refused, ${served404} served`);
		for (const answer of answers.filter(({ status }) => status === 429)) checkOwn(answer, "rate_limited");
	});

	test(`${name} tells that no server answers, and that a body is too long, as the API does`, {
		skip: whyNot(name),
	}, async (t) => {
		const served = await ServedFixture.start(ANY_TRANSPORT, { trusted_proxies: ["127.0.0.1"] });
		let isServed = true;
		t.after(() => (isServed ? served.close() : undefined));
		const proxy = await ProxyProcess.start(name, served.port);
		t.after(() => proxy.close());
		const client = new Bystander(proxy);
		t.after(() => client.close());
		const head = `POST /mcp HTTP/1.1\r\nHost: rollcall.example\r\nContent-Length: ${(1 << 20) + 1}\r\n\r\n`;
		const long = await client.send(head);
		assert.equal(long.status, 413);
		checkOwn(long, "payload_too_large");
		client.close();
		const unauthorized = await client.ask("/v1/me");
		assert.equal(JSON.parse(unauthorized.body).error.code, "unauthorized", "the server's own refusals pass");
		await served.close();
		isServed = false;
		// The first request may find out that the server's connection is closed; the next, that no other opens.
		for (let i = 0; i < 3; i++) {
			const away = await client.ask("/v1/health");
			assert.ok(name === "nginx" ? away.status === 503 : [502, 503, 504].includes(away.status), away.head);
			checkOwn(away, "unavailable");
		}
	});
}

/** Longer than a balancer that checked health each second would wait. */
const UNHEALTHY_MS = 4_000;

for (const name of PROXIES) {
	test(`${name} sends requests to its only server while that reports 503 as its health`, {
		skip: whyNot(name),
	}, async (t) => {
		let healthStatus = 200;
		const server = createServer(({ url }, response) => {
			response.writeHead(url === "/v1/health" ? healthStatus : 200).end();
		});
		server.listen(0, "127.0.0.1");
		await once(server, "listening");
		t.after(() => {
			server.close();
			server.closeAllConnections();
		});
		const proxy = await ProxyProcess.start(name, (server.address() as AddressInfo).port);
		t.after(() => proxy.close());
		healthStatus = 503;
		await delay(UNHEALTHY_MS);
		assert.equal(await proxy.status("/v1/states"), 200);
		assert.equal(await proxy.status("/v1/health"), 503);
	});
}

/** The longest query that each proxy file passes (docs/API.md §11.4). */
const QUERY_LENGTHS = { nginx: 8_000, haproxy: 16_384 } as const;

for (const name of PROXIES) {
	test(`${name} passes the longest list of licenses`, { skip: whyNot(name) }, async (t) => {
		const served = await ServedFixture.start(ANY_TRANSPORT, { trusted_proxies: ["127.0.0.1"] });
		t.after(() => served.close());
		const proxy = await ProxyProcess.start(name, served.port, "shipped");
		t.after(() => proxy.close());
		const key = await served.key();
		const each = QUERY_LENGTHS[name] / 100;
		const license = (i: number) => `license=CA:${String(i).padStart(Math.floor(each) - 12, "9")}`;
		const query = Array.from({ length: 100 }, (_, i) => license(i)).join("&");
		const client = new Bystander(proxy);
		const { status, body } = await client.ask(`/v1/verify?${query}`, `Authorization: Bearer ${key}\r\n`);
		client.close();
		assert.equal(status, 200, body.slice(0, 200));
		assert.equal(JSON.parse(body).data.length, 100);
	});
}

/** Checks that a refusal of the proxy's own has the form of the API's. */
function checkOwn({ head, body }: ProxyAnswer, code: string): void {
	const { error } = JSON.parse(body) as { error: { code: string; message: string } };
	assert.equal(error.code, code);
	assert.match(head, /^content-type: application\/json\r?$/im);
	assert.match(head, /^x-request-id: \S{8,}\r?$/im);
	if (code === "payload_too_large") return;
	const [, seconds] = /^retry-after: (\d+)\r?$/im.exec(head) ?? [];
	assert.ok(error.message.endsWith(`retry in ${seconds} s`), `${error.message}, Retry-After ${seconds}`);
}

interface Held {
	text(): string;
	open(): boolean;
	end(): void;
}

/** Connections that are each in the middle of a request. */
async function holdConnections(proxy: ProxyProcess, count: number): Promise<Held[]> {
	const held: Held[] = [];
	for (let i = 0; i < count; i++) {
		const socket = proxy.open();
		let text = "";
		let open = true;
		socket.setEncoding("latin1").on("data", (chunk: string) => {
			text += chunk;
		});
		socket.on("error", () => undefined);
		socket.on("close", () => {
			open = false;
		});
		socket.write("POST /mcp HTTP/1.1\r\nHost: rollcall.example\r\nContent-Length: 100\r\n\r\n");
		held.push({ text: () => text, open: () => open, end: () => socket.destroy() });
	}
	await delay(1_500);
	return held;
}

/** Answers to requests sent as fast as they are answered. */
async function askMany(proxy: ProxyProcess, count: number): Promise<ProxyAnswer[]> {
	const answers: ProxyAnswer[] = [];
	let asked = 0;
	const ask = async () => {
		const client = new Bystander(proxy);
		while (asked < count) {
			asked++;
			answers.push(await client.ask("/nowhere"));
		}
		client.close();
	};
	await Promise.all(Array.from({ length: CLIENTS }, ask));
	return answers;
}
