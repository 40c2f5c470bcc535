/** The operator's console on the admin port: who may look, who may change, and how it looks in Chromium. */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { chromium } from "playwright-core";
import type { SharedMetrics } from "../../server/admin/thread-metrics.js";
import { SharedMetrics as Metrics } from "../../server/admin/thread-metrics.js";
import { MetricsHistory } from "../../server/console/metrics-history.js";
import { revokeKey } from "../../server/keys/lifecycle.js";
import { Store } from "../../server/store/store.js";
import { freePort } from "../free-port.js";
import { fixtureFolder } from "../http/served.js";
import { limitlessKey, ServerProcess } from "../serve/server-process.js";
import { CHROMIUM, skip } from "./installed-chromium.js";

const TOKEN = "operator-token-of-the-test";

interface Reply {
	readonly status: number;
	readonly body: string;
}

/** A request with any `Host`, which fetch does not send. */
function ask(
	port: number,
	method: string,
	path: string,
	headers: Record<string, string>,
	body = "",
): Promise<Reply> {
	return new Promise((resolve, reject) => {
		const sent = request({ host: "127.0.0.1", port, method, path, headers }, (response) => {
			let text = "";
			response.setEncoding("utf8").on("data", (chunk: string) => {
				text += chunk;
			});
			response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
		});
		sent.on("error", reject);
		sent.end(body);
	});
}

/** The id of a key that is revoked. */
async function revokedKey(dataFolder: string): Promise<string> {
	const { id } = await limitlessKey(dataFolder);
	const store = Store.open({ dataFolder, create: false });
	await revokeKey(store, id, { by: "test", nowMs: Date.now() });
	await store.close();
	return id;
}

test("the console shows months and keys to this machine, and changes a key with the token alone", async (t) => {
	const data = await fixtureFolder();
	const { id, text } = await limitlessKey(data);
	const adminPort = await freePort();
	const flags = ["--admin-port", String(adminPort), "--operator-token", TOKEN, "--workers", "1"];
	const server = await ServerProcess.start(t, data, ...flags);
	const authorized = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" };
	assert.equal((await ask(adminPort, "GET", "/console", {})).status, 200);
	assert.match((await ask(adminPort, "GET", "/console", {})).body, /class="brand" href="\/"/);
	assert.deepEqual(await ask(adminPort, "GET", "/", {}), { status: 303, body: "/console\n" });
	const state = JSON.parse(
		(await ask(adminPort, "GET", "/console/state", { Accept: "application/json" })).body,
	);
	assert.deepEqual(
		state.months.map(({ month }: { month: string }) => month),
		["2026-11", "2026-10", "2026-09"],
	);
	assert.equal(state.ready, "ready");
	assert.equal(state.signups, null);
	assert.equal(state.hosts, null, "this server is alone");
	assert.equal(state.keys[0].id, id);
	assert.ok(!JSON.stringify(state).includes(text));
	const report = `/console/report?month=2026-11`;
	assert.equal((await ask(adminPort, "GET", report, {})).status, 404);
	mkdirSync(join(data, "reports"), { recursive: true });
	writeFileSync(join(data, "reports", "2026-11.html"), "<h1>Build of 2026-11</h1>");
	assert.match((await ask(adminPort, "GET", report, {})).body, /Build of 2026-11/);
	assert.equal((await ask(adminPort, "GET", report, { Host: "evil.example" })).status, 401);
	assert.equal((await ask(adminPort, "GET", "/console/report?month=../keys", {})).status, 404);

	const rebound = { Host: "evil.example", Accept: "application/json" };
	assert.equal((await ask(adminPort, "GET", "/console/state", rebound)).status, 401, "a name pointed here");
	assert.equal((await ask(adminPort, "GET", "/console/state", { ...rebound, ...authorized })).status, 200);

	const body = JSON.stringify({ id });
	const json = { "Content-Type": "application/json" };
	for (const headers of [json, { ...json, Authorization: "Bearer wrong" }])
		assert.equal((await ask(adminPort, "POST", "/console/suspend", headers, body)).status, 401);
	const foreign = { ...authorized, Origin: "https://evil.example" };
	assert.equal((await ask(adminPort, "POST", "/console/suspend", foreign, body)).status, 403);
	const status = async () =>
		(await fetch(`http://127.0.0.1:${server.port}/v1/me`, { headers: { Authorization: `Bearer ${text}` } }))
			.status;
	assert.equal(await status(), 200);
	assert.equal((await ask(adminPort, "POST", "/console/suspend", authorized, body)).status, 200);
	assert.equal(await status(), 401);
	assert.equal((await ask(adminPort, "POST", "/console/resume", authorized, body)).status, 200);
	assert.equal(await status(), 200);
	const unknown = JSON.stringify({ id: "key_none" });
	assert.equal((await ask(adminPort, "POST", "/console/suspend", authorized, unknown)).status, 404);
	const ended = await revokedKey(data);
	const final = await ask(adminPort, "POST", "/console/suspend", authorized, JSON.stringify({ id: ended }));
	assert.deepEqual([final.status, JSON.parse(final.body).error.code], [409, "key_revoked"]);
	assert.equal((await ask(adminPort, "GET", "/metrics", {})).status, 200);
	// An open console goes on asking while the server stops.
	const seen = new Set<number>();
	let stopped = false;
	const looking = (async () => {
		while (!stopped) {
			for (const path of ["/console/state", "/metrics", "/readyz"]) {
				const reply = await ask(adminPort, "GET", path, {}).catch(() => null);
				if (reply !== null) seen.add(reply.status);
			}
		}
	})();
	assert.equal(await server.end("SIGTERM"), 0);
	stopped = true;
	await looking;
	assert.ok(!seen.has(500), `${[...seen]}`);
});

test("beyond this machine the console is closed without a token", async (t) => {
	const data = await fixtureFolder();
	const adminPort = await freePort();
	const server = await ServerProcess.start(
		t,
		data,
		...["--admin-port", String(adminPort), "--admin-host", "0.0.0.0", "--workers", "1"],
	);
	const reply = await ask(adminPort, "GET", "/console/state", { Accept: "application/json" });
	assert.equal(reply.status, 403);
	assert.match(reply.body, /--operator-token/);
	await server.end("SIGTERM");
});

test("without its script the console says what it needs", { skip }, async (t) => {
	const data = await fixtureFolder();
	const adminPort = await freePort();
	const server = await ServerProcess.start(t, data, "--admin-port", String(adminPort), "--workers", "1");
	const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
	t.after(() => browser.close());
	const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
	await page.goto(`http://127.0.0.1:${adminPort}/console`);
	assert.match(await page.locator("main").innerText(), /requires JavaScript/);
	await page.getByRole("link", { name: "/metrics" }).click();
	assert.match(await page.locator("body").innerText(), /rollcall_requests_total/);
	await server.end("SIGTERM");
});

test("the history has rates and percentiles of each interval, for an hour", () => {
	const metrics: SharedMetrics = Metrics.allocate(2);
	const history = new MetricsHistory(metrics);
	history.sample(0);
	const thread = metrics.thread(1);
	const answered = { method: "GET", bytes: 1, requestId: "", trace: null };
	for (let i = 0; i < 99; i++) thread.answered({ ...answered, endpoint: "/v1/me", status: 200, ms: 0.4 });
	thread.answered({ ...answered, endpoint: "/v1/licenses", status: 503, ms: 40 });
	thread.set("shed", 5);
	history.sample(10_000);
	const [sample] = history.samples;
	assert.deepEqual(sample, {
		at_ms: 10_000,
		per_second: 10,
		failed_per_second: 0.1,
		shed_per_second: 0.5,
		cut_off_per_second: 0,
		p50_ms: 0.5,
		p99_ms: 0.5,
		loop_lag_ms: 0,
	});
	for (let i = 2; i < 400; i++) history.sample(i * 10_000);
	assert.equal(history.samples.length, 360);
	assert.equal(history.samples[359].p50_ms, null);
});
