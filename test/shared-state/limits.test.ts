/** Limits are exact over all hosts: real servers, a real Redis. */

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { fixtureFolder } from "../http/served.js";
import { get, hammer, hostFolder, makeKey, startHost, until } from "./host-process.js";
import { REDIS_MISSING, RedisServer } from "./redis-server.js";

describe("limits of hosts that share them", { skip: REDIS_MISSING }, () => {
	let months = "";
	let redis: RedisServer;

	before(async () => {
		months = await fixtureFolder();
		redis = await RedisServer.start();
	});
	after(async () => {
		rmSync(months, { recursive: true, force: true });
		await redis.close();
	});

	test("three hosts under load let through exactly the limit together", async (t) => {
		const folders = [1, 2, 3].map(() => hostFolder(t, months));
		const limits = { per_minute: null, per_day: 500, monthly_quota: null };
		const key = await makeKey(folders[0], { rate_limits: limits });
		const hosts = await Promise.all(
			folders.map((folder) => startHost(t, folder, redis.url, "--workers", "2")),
		);
		const ports = hosts.map(({ port }) => port);
		for (const port of ports)
			await until(async () => (await get(port, "/v1/me", key.text)).status === 200, 3_000, "the key");
		const outcomes = await hammer(ports, key.text, { connections: 20, untilMs: Date.now() + 2_000 });
		console.log(outcomes, await redis.commands());
		assert.equal(outcomes[200] + 3, 500);
		assert.deepEqual(Object.keys(outcomes).sort(), ["200", "429"]);
		for (const host of hosts) host.child.kill("SIGTERM");
	});
});
