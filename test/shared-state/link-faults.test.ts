/**
 * The way to the shared store is slow or ends at another server: limits stay exact, requests wait no longer than
 * documented, and logs and metrics tell.
 */

import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import { hostNotes } from "../../server/admin/host-metrics.js";
import { FaultyRelay } from "../faulty-relay.js";
import { until } from "./host-process.js";
import { Host } from "./host-rig.js";
import { REDIS_MISSING, RedisServer } from "./redis-server.js";

const QUOTA = { per_minute: null, per_day: null, monthly_quota: 60 };

describe("a slow way to the shared store, and a failover", { skip: REDIS_MISSING }, () => {
	let redis: RedisServer;

	before(async () => {
		redis = await RedisServer.start();
	});
	// Undefined where it could not start.
	after(() => (redis as RedisServer | undefined)?.close());

	async function relayed(t: TestContext): Promise<{ relay: FaultyRelay; url: string }> {
		const relay = await FaultyRelay.start(redis.url);
		t.after(() => relay.close());
		return { relay, url: `redis://127.0.0.1:${relay.port}` };
	}

	const linked = (host: Host) => until(() => host.shared.status.linked, 10_000, "the link");

	test("answers that are 200 ms late hold requests up, and no request passes twice", async (t) => {
		const { relay, url } = await relayed(t);
		const [a, b] = [await Host.open(t, url), await Host.open(t, url)];
		const key = await a.key({ rate_limits: QUOTA }, [b]);
		relay.set({ kind: "late", byMs: 200 });
		let passed = 0;
		let longestMs = 0;
		for (const host of [a, b, a, b]) {
			const begunMs = performance.now();
			for (let i = 0; i < 8; i++) if ((await host.take(key)).allowed) passed++;
			longestMs = Math.max(longestMs, performance.now() - begunMs);
		}
		assert.equal(passed, 32);
		assert.ok(longestMs < 8 * 1_000, `${longestMs} ms`);
		assert.equal((await a.metrics()).linked, 1, "late is not away");
		relay.set({ kind: "pass" });
		await until(
			async () => {
				for (const host of [a, b]) passed += (await host.takeUntilRefused(key, 100)).passed;
				return passed === 60;
			},
			5_000,
			"the rest",
		);
		assert.equal((await a.take(key)).code, "quota_exceeded");
	});

	test("answers that come too late count as none: it is reported, and used again when they come in time", async (t) => {
		const { relay, url } = await relayed(t);
		const host = await Host.open(t, url);
		const key = await host.key({ rate_limits: QUOTA });
		assert.equal((await host.take(key)).allowed, true);
		const before = await host.metrics();
		assert.deepEqual([before.linked, before.hosts >= 1, before.exchanges_total >= 1], [1, true, true]);
		assert.ok(before.granted_total >= 1 && before.commands_total > before.exchanges_total);
		assert.ok(Math.abs(before.clock_offset_seconds) < 1 && before.keys_age_seconds < 2);
		relay.set({ kind: "hang" });
		await until(() => !host.shared.status.linked, 5_000, "the loss");
		assert.equal((await host.takeUntilRefused(key, 100)).code, "unavailable");
		const lost = await host.metrics();
		assert.equal(lost.linked, 0);
		assert.match(hostNotes(null, host.shared.status, 1_000).join(), /^the shared store does not answer; /);
		assert.equal(lost["fault unreachable"], 1);
		assert.ok(host.warnings("the shared store does not answer").length > 0);
		relay.set({ kind: "pass" });
		await linked(host);
		assert.equal((await host.take(key)).allowed, true);
		assert.equal((await host.metrics()).linked, 1);
		assert.deepEqual(hostNotes(null, host.shared.status, 1_000), []);
	});

	test("connections that lose all bytes and stay open are replaced, also the one that follows keys", async (t) => {
		const { relay, url } = await relayed(t);
		const [host, other] = [await Host.open(t, url), await Host.open(t, redis.url)];
		const key = await host.key({ rate_limits: QUOTA }, [other]);
		assert.equal((await host.take(key)).allowed, true);
		relay.silence();
		const begunMs = performance.now();
		await until(() => !host.shared.status.linked, 4_000, "the loss");
		await linked(host);
		assert.ok(performance.now() - begunMs < 6_000, "away for a few seconds only");
		assert.equal((await host.take(key)).allowed, true);
		// Changes of keys arrive again.
		await other.key({ rate_limits: QUOTA }, [host]);
	});

	for (const [what, lagging] of [
		["that has everything", false],
		["that lacks the last requests", true],
	] as const) {
		test(`a failover to a replica ${what} lets nothing pass twice`, async (t) => {
			const { relay, url } = await relayed(t);
			const replica = await RedisServer.start("--replicaof", "127.0.0.1", String(redis.port));
			t.after(() => replica.close());
			const caughtUp = async () =>
				/master_link_status:up/.test(String(await replica.call("INFO", "replication")));
			await until(caughtUp, 10_000, "the replica");
			const [a, b] = [await Host.open(t, url), await Host.open(t, url)];
			const key = await a.key({ rate_limits: QUOTA }, [b]);
			let passed = 0;
			for (const host of [a, b]) passed += (await host.takeUntilRefused(key, 12)).passed;
			if (!lagging) assert.equal(await redis.call("WAIT", 1, 5_000), 1);
			await replica.call("REPLICAOF", "NO", "ONE");
			if (lagging) for (const host of [a, b]) passed += (await host.takeUntilRefused(key, 12)).passed;
			relay.retarget(replica.url);
			await until(
				async () => {
					for (const host of [a, b]) passed += (await host.takeUntilRefused(key, 100)).passed;
					return passed >= 60;
				},
				15_000,
				"the rest of the window",
			);
			for (const host of [a, b]) passed += (await host.takeUntilRefused(key, 100)).passed;
			assert.equal(passed, 60);
			for (const host of [a, b]) {
				await linked(host);
				const full = async () => (await host.take(key)).code === "quota_exceeded";
				await until(full, 5_000, "the quota's refusal on both");
				assert.ok(host.warnings("another server took over the shared store").length > 0);
				const { failovers_total, data_losses_total } = await host.metrics();
				assert.ok(failovers_total > 0 && data_losses_total === 0);
			}
		});
	}
});
