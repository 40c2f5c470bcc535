/**
 * HAProxy with the shipped file, before hosts of which none has a live month: those that can serve the months they have
 * get the requests, and from the first that has the month on that one alone.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../shared-state/host-process.js";
import { ProxyProcess, whyNot } from "./proxy/proxy-process.js";

const NOTICED_MS_MAX = 20_000;
/** More than one check of a host. */
const SOME_CHECKS_MS = 700;

interface Host {
	readonly port: number;
	readonly adminPort: number;
	/** Statuses of its admin port, by path. */
	readonly says: Record<string, number>;
}

async function listen(t: TestContext, server: Server): Promise<number> {
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	t.after(() => {
		server.close();
		server.closeAllConnections();
	});
	return (server.address() as AddressInfo).port;
}

/** A host that answers every request by its name. */
async function host(t: TestContext, name: string): Promise<Host> {
	const says: Record<string, number> = { "/readyz": 200, "/readyz?behind": 200 };
	const serving = createServer((_, response) => void response.end(name));
	const admin = createServer((asked, response) => {
		response.writeHead(says[asked.url ?? ""] ?? 404).end();
	});
	return { port: await listen(t, serving), adminPort: await listen(t, admin), says };
}

function ask(port: number): Promise<{ status: number; body: string }> {
	return new Promise((resolve, reject) => {
		const options = { host: "127.0.0.1", port, path: "/v1/me", rejectUnauthorized: false, agent: false };
		const sent = request(options, (response) => {
			let body = "";
			response.setEncoding("utf8").on("data", (text: string) => {
				body += text;
			});
			response.once("end", () => resolve({ status: response.statusCode as number, body }));
		});
		sent.once("error", reject).end();
	});
}

test("requests go to hosts that lack the month only while no host has it", {
	skip: whyNot("haproxy"),
}, async (t) => {
	const hosts = [await host(t, "a"), await host(t, "b"), await host(t, "c")];
	const [a, b, c] = hosts;
	const proxy = await ProxyProcess.start("haproxy", hosts);
	t.after(() => proxy.close());
	/** Who answers a dozen requests, as a sorted text; null: HAProxy has no host for one of them. */
	const answering = async () => {
		const names = new Set<string>();
		for (let i = 0; i < 12; i++) {
			const { status, body } = await ask(proxy.port);
			// Also where this process was too busy to answer checks in time.
			if (status === 503) return null;
			assert.equal(status, 200, body);
			names.add(body);
		}
		return [...names].sort().join("");
	};
	const answeredBy = (names: string) =>
		until(async () => (await answering()) === names, NOTICED_MS_MAX, `answers of ${names}`);
	await answeredBy("abc");
	// The third cannot serve at all.
	c.says["/readyz?behind"] = 503;
	for (const { says } of hosts) says["/readyz"] = 503;
	await answeredBy("ab");
	await delay(SOME_CHECKS_MS);
	await answeredBy("ab");
	b.says["/readyz"] = 200;
	await answeredBy("b");
	a.says["/readyz"] = 200;
	await answeredBy("ab");
});
