/** Cursors are good on every host, whenever it met the shared store. */

import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { until } from "./host-process.js";
import { Host } from "./host-rig.js";
import { REDIS_MISSING, RedisServer } from "./redis-server.js";

suite("the secret of cursors", { skip: REDIS_MISSING, concurrency: 1 }, () => {
	const same = (a: Host, b: Host) => Buffer.compare(a.access.cursorSecret(), b.access.cursorSecret()) === 0;

	test("a host that was started without the shared store takes that of the others once it is there", async (t) => {
		const redis = await RedisServer.start("--appendonly", "yes", "--appendfsync", "always");
		t.after(() => redis.close());
		const a = await Host.open(t, redis.url);
		await redis.kill();
		const late = await Host.open(t, redis.url);
		assert.equal(same(a, late), false);
		await redis.run();
		await until(() => same(a, late), 10_000, "one secret");
	});

	test("a store that lost its data has it again from the hosts, for those that come later", async (t) => {
		const redis = await RedisServer.start();
		t.after(() => redis.close());
		const a = await Host.open(t, redis.url);
		const before = Buffer.from(a.access.cursorSecret());
		await redis.kill();
		await redis.run();
		await until(() => a.shared.status.dataLosses === 1, 10_000, "the loss");
		await until(
			async () => (await redis.call("HLEN", "rollcall:1:{keys}:secrets")) === 1,
			3_000,
			"the secret",
		);
		const later = await Host.open(t, redis.url);
		assert.ok(same(a, later));
		assert.equal(before.compare(a.access.cursorSecret()), 0, "cursors that clients hold stay good");
	});
});
