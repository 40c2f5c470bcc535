/** The limits by client of the shipped proxy configurations: what is too much is refused, what is not is served. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { Bystander } from "./proxy/bystander.js";
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
		const statuses = await askMany(proxy, REQUESTS);
		const limited = statuses.filter((status) => status === 429).length;
		const served404 = statuses.filter((status) => status === 404).length;
		t.diagnostic(`${name}: ${limited} of ${REQUESTS} requests refused`);
		assert.equal(limited + served404, REQUESTS, "every request is answered");
		assert.ok(limited > 0 && served404 >= 400, `${limited} refused, ${served404} served`);
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

/** Statuses of requests sent as fast as they are answered. */
async function askMany(proxy: ProxyProcess, count: number): Promise<number[]> {
	const statuses: number[] = [];
	let asked = 0;
	const ask = async () => {
		const client = new Bystander(proxy);
		while (asked < count) {
			asked++;
			statuses.push((await client.ask("/nowhere")).status);
		}
		client.close();
	};
	await Promise.all(Array.from({ length: CLIENTS }, ask));
	return statuses;
}
