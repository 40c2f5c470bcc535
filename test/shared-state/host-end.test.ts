/** A host that is stopped ends in order: its store is closed, and other hosts know that it has left. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { fixtureFolder } from "../http/served.js";
import { startHost, until } from "./host-process.js";
import { REDIS_MISSING, RedisServer } from "./redis-server.js";

for (const workers of ["1", "2"])
	test(`a host of ${workers} workers without a supervisor exits with 0 after SIGTERM`, {
		timeout: 60_000,
		skip: REDIS_MISSING,
	}, async (t) => {
		const redis = await RedisServer.start();
		t.after(() => redis.close());
		const server = await startHost(t, await fixtureFolder(), redis.url, "--workers", workers);
		const link = "the shared store answers";
		await until(() => server.lines.some(({ msg }) => msg === link), 10_000, link);
		assert.equal(await server.end("SIGTERM"), 0);
		assert.equal(server.lines.at(-1)?.msg, "stopped");
	});
