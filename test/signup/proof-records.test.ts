/** A challenge is good on every host and once among all, over a real Redis. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { portalRoutes } from "../../server/portal/portal-pages.js";
import { until } from "../shared-state/host-process.js";
import { Host } from "../shared-state/host-rig.js";
import { REDIS_MISSING, RedisServer } from "../shared-state/redis-server.js";
import { SignupFixture } from "./signup-fixture.js";

describe("signup on several hosts", { skip: REDIS_MISSING }, () => {
	let redis: RedisServer;
	before(async () => {
		redis = await RedisServer.start();
	});
	after(() => redis?.close());

	test("a challenge of one host is taken by another, and by one of them alone", async (t) => {
		const [one, two] = [await Host.open(t, redis.url), await Host.open(t, redis.url)];
		const a = await SignupFixture.start(t, {}, one.shared);
		const b = await SignupFixture.start(t, {}, two.shared);
		const solution = await a.solution();
		const asked = await Promise.all(
			[b, a, b, a].map((host, i) => host.post("/signup", { email: `jo${i}@example.com`, altcha: solution })),
		);
		const statuses = asked.map(({ status }) => status).sort();
		assert.deepEqual(statuses, [202, 400, 400, 400]);
		for (const { status, text } of asked) if (status === 400) assert.match(text, /already submitted/);
		const mails = [a, b].map(async (host) => {
			await host.selfServe.queue.run();
			return host.mail.received.length;
		});
		assert.deepEqual((await Promise.all(mails)).sort(), [0, 1], "one mail of all");
		// In the other direction, too.
		assert.equal(
			(await a.post("/signup", { email: "al@example.com", altcha: await b.solution() })).status,
			202,
		);
	});

	test("the portal shows the usage that all hosts counted", async (t) => {
		const [one, two] = [await Host.open(t, redis.url), await Host.open(t, redis.url)];
		const key = await one.key({}, [two]);
		for (const host of [one, two, two]) await host.take(key);
		const routes = portalRoutes({ access: one.access, apiUrl: "http://api.example.com" });
		const page = routes.find(({ path }) => path === "/portal/key");
		assert.ok(page !== undefined);
		const request = {
			path: page.path,
			query: new URLSearchParams(),
			authorization: `Bearer ${key}`,
			host: "",
			json: true,
			fields: new Map<string, string>(),
			network: "192.0.2.0/24",
		};
		await until(
			async () => {
				const { body } = await page.answer({ ...request, nowMs: Date.now() });
				return (JSON.parse(String(body)) as { usage: { total: number } }).usage.total === 3;
			},
			5_000,
			"the usage of both",
		);
	});

	test("while the shared store is away requests are refused, and the challenge is kept for later", async (t) => {
		const own = await RedisServer.start();
		t.after(() => own.close());
		const host = await Host.open(t, own.url);
		const fixture = await SignupFixture.start(t, {}, host.shared);
		const solution = await fixture.solution();
		await own.kill();
		const away = await fixture.post("/signup", { email: "jo@example.com", altcha: solution });
		assert.equal(away.status, 503);
		assert.equal(away.headers.get("retry-after"), "60");
		await own.run();
		for (let tries = 0; tries < 100; tries++) {
			const again = await fixture.post("/signup", { email: "jo@example.com", altcha: solution });
			if (again.status === 202) return;
			assert.equal(again.status, 503);
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
		assert.fail("the store is back, and no request is taken");
	});

	test("a challenge is good again where the shared store took it and its reply was lost", async (t) => {
		const own = await RedisServer.start();
		t.after(() => own.close());
		const host = await Host.open(t, own.url);
		const fixture = await SignupFixture.start(t, {}, host.shared);
		const altcha = await fixture.solution();
		own.pause();
		const lost = await fixture.post("/signup", { email: "jo@example.com", altcha });
		own.resume();
		assert.equal(lost.status, 503);
		await until(
			async () => {
				const { status, text } = await fixture.post("/signup", { email: "jo@example.com", altcha });
				assert.ok(status === 202 || status === 503, text);
				return status === 202;
			},
			10_000,
			"the request",
		);
		assert.equal((await fixture.post("/signup", { email: "jo@example.com", altcha })).status, 400);
	});

	test("a host that starts without the shared store shares its secret later", async (t) => {
		const own = await RedisServer.start();
		t.after(() => own.close());
		const [one, two] = [await Host.open(t, own.url), await Host.open(t, own.url)];
		const a = await SignupFixture.start(t, {}, one.shared);
		let isAway = true;
		const b = await SignupFixture.start(
			t,
			{},
			{
				reserve: (id, ttlMs) => two.shared.reserve(id, ttlMs),
				secret: (name, secret) =>
					isAway ? Promise.reject(new Error("away")) : two.shared.secret(name, secret),
			},
		);
		const early = await b.post("/signup", { email: "jo@example.com", altcha: await a.solution() });
		assert.equal(early.status, 400, "another secret");
		isAway = false;
		await b.selfServe.upkeep();
		assert.equal(
			(await b.post("/signup", { email: "jo@example.com", altcha: await a.solution() })).status,
			202,
		);
	});
});
