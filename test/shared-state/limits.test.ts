/** Limits are exact over all hosts: real servers, a real Redis. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { get, hammer, hostFolder, makeKey, startHost, until } from "./host-process.js";
import { REDIS_MISSING } from "./redis-server.js";
import { sharedFixture } from "./shared-fixture.js";

describe("limits of hosts that share them", { skip: REDIS_MISSING }, () => {
	const shared = sharedFixture();

	test("three hosts under load let through exactly the limit together", async (t) => {
		const folders = [1, 2, 3].map(() => hostFolder(t, shared.months));
		const limits = { per_minute: null, per_day: 500, monthly_quota: null };
		const key = await makeKey(folders[0], { rate_limits: limits });
		const hosts = await Promise.all(
			folders.map((folder) => startHost(t, folder, shared.redis.url, "--workers", "2")),
		);
		const ports = hosts.map(({ port }) => port);
		for (const port of ports)
			await until(async () => (await get(port, "/v1/me", key.text)).status === 200, 3_000, "the key");
		const outcomes = await hammer(ports, key.text, { connections: 20, untilMs: Date.now() + 2_000 });
		console.log(outcomes, await shared.redis.commands());
		assert.equal(outcomes[200] + 3, 500);
		assert.deepEqual(Object.keys(outcomes).sort(), ["200", "429"]);
		for (const host of hosts) host.child.kill("SIGTERM");
	});
});
