/** What becomes of shared limits when the store that hosts share fails, on a real Redis: never over a limit. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { hostNotes } from "../../server/admin/host-metrics.js";
import type { Key } from "../../server/keys/key.js";
import { suspendKey } from "../../server/keys/lifecycle.js";
import { parseSharedAddress } from "../../server/shared-state/address.js";
import { RedisLink } from "../../server/shared-state/redis.js";
import { SharedKeyStore } from "../../server/shared-state/shared-key-store.js";
import { until } from "./host-process.js";
import { Host, rigFolder } from "./host-rig.js";
import { REDIS_MISSING, RedisServer } from "./redis-server.js";

const OPERATING = fileURLToPath(new URL("../../../docs/OPERATING.md", import.meta.url));
const DAILY = { per_minute: null, per_day: 200, monthly_quota: null };
const QUOTA = { per_minute: null, per_day: null, monthly_quota: 200 };

describe("shared limits while the shared store fails", { skip: REDIS_MISSING }, () => {
	let redis: RedisServer;

	before(async () => {
		redis = await RedisServer.start();
	});
	after(() => redis.close());

	const lost = (host: Host) => until(() => !host.shared.status.linked, 3_000, "the loss");
	const linked = (host: Host) => until(() => host.shared.status.linked, 5_000, "the link");

	test("hosts ten seconds apart share one window, and an idle lease goes back", async (t) => {
		const a = await Host.open(t, redis.url, { offMs: -10_000 });
		const b = await Host.open(t, redis.url, { offMs: 10_000 });
		const key = await a.key({ rate_limits: { ...DAILY, per_day: 50 } }, [b]);
		for (let i = 0; i < 20; i++) assert.equal((await a.take(key)).allowed, true);
		let passed = 20;
		await until(
			async () => {
				passed += (await b.takeUntilRefused(key, 100)).passed;
				return passed === 50;
			},
			4_000,
			"what the other host returned",
		);
		assert.equal((await a.take(key)).code, "rate_limited");
		assert.ok(Math.abs(a.shared.status.clockOffsetMs - 10_000) < 50, "both go by the shared clock");
		assert.ok(Math.abs(b.shared.status.clockOffsetMs + 10_000) < 50);
		// Months go live by this clock.
		const [here, there] = [a, b].map((host) => host.leases.sharedClock(host.clock).now());
		assert.ok(Math.abs(here - there) < 100, `${here - there} ms apart`);
	});

	test("without the store keys with a quota get 503, others the limits of this host; after it returns empty nothing passes twice", async (t) => {
		const [a, b] = [await Host.open(t, redis.url), await Host.open(t, redis.url)];
		const quota = await a.key({ rate_limits: QUOTA }, [b]);
		const daily = await a.key({ rate_limits: DAILY }, [b]);
		let passed = 0;
		for (const host of [a, b]) passed += (await host.takeUntilRefused(quota, 60)).passed;
		await redis.kill();
		for (const host of [a, b]) {
			await lost(host);
			const rest = await host.takeUntilRefused(quota, 300);
			passed += rest.passed;
			// Full, where the other host holds the rest.
			assert.match(rest.code ?? "", /^(unavailable|quota_exceeded)$/);
			assert.deepEqual(await host.takeUntilRefused(daily, 300), { passed: 200, code: "rate_limited" });
		}
		assert.ok(passed <= 200, `${passed} of 200`);
		await redis.run();
		for (const host of [a, b]) {
			await linked(host);
			assert.ok(host.warnings("the shared store lost its memory").length > 0);
			const { data_losses_total, failovers_total } = await host.metrics();
			assert.ok(data_losses_total > 0 && failovers_total === 0);
		}
		// What hosts hold is claimed first, for three seconds.
		await delay(3_500);
		for (const host of [a, b]) passed += (await host.takeUntilRefused(quota, 300)).passed;
		await delay(1_500);
		for (const host of [a, b]) passed += (await host.takeUntilRefused(quota, 300)).passed;
		assert.equal(passed, 200, "claims of both hosts were kept");
		assert.equal((await b.take(daily)).code, "rate_limited", "what was counted without a lease counts");
	});

	test("what hosts counted before they were restarted is given back to a store that returns empty", async (t) => {
		const folders = [rigFolder(), rigFolder()];
		const open = () => Promise.all(folders.map((dataFolder) => Host.open(t, redis.url, { dataFolder })));
		const before = await open();
		const quota = await before[0].key({ rate_limits: QUOTA }, [before[1]]);
		for (const host of before) assert.equal((await host.takeUntilRefused(quota, 60)).passed, 60);
		for (const host of before) await host.close();
		const after = await open();
		assert.equal((await after[0].take(quota)).allowed, true, "a lease of this run");
		await redis.kill();
		for (const host of after) await lost(host);
		await redis.run();
		for (const host of after) await linked(host);
		await delay(3_500);
		let passed = 121;
		await until(
			async () => {
				for (const host of after) passed += (await host.takeUntilRefused(quota, 300)).passed;
				return passed >= 200;
			},
			4_000,
			"the rest",
		);
		for (const host of after) passed += (await host.takeUntilRefused(quota, 300)).passed;
		assert.equal(passed, 200);
	});

	for (const [what, command, broken, whole] of [
		[
			"takes no writes",
			"CONFIG",
			["SET", "min-replicas-to-write", "1"],
			["SET", "min-replicas-to-write", "0"],
		],
		["is full", "CONFIG", ["SET", "maxmemory", "1"], ["SET", "maxmemory", "0"]],
		// Of a server that nothing listens as.
		["became a replica, which only reads,", "REPLICAOF", ["127.0.0.1", "1"], ["NO", "ONE"]],
	] as const) {
		test(`a store that ${what} is reported, and used again when it does`, async (t) => {
			const host = await Host.open(t, redis.url);
			const key = await host.key({ rate_limits: QUOTA });
			assert.equal((await host.take(key)).allowed, true);
			await redis.call(command, ...broken);
			try {
				await lost(host);
				const told = () => /NOREPLICAS|OOM|READONLY|UNBLOCKED/.test(host.shared.status.fault ?? "");
				await until(told, 3_000, "the reason");
				assert.ok(host.warnings("the shared store takes no writes").length > 0);
				// A connection that ends with the server's role is reported in between.
				const counted = async () => (await host.metrics())["fault read_only"] === 1;
				await until(counted, 3_000, "the metric");
				assert.equal((await host.metrics()).linked, 0);
				const [note] = hostNotes(null, host.shared.status, 1_000);
				assert.match(note, /^the shared store takes no writes: .*; requests are counted by the leases/);
				assert.equal((await host.takeUntilRefused(key, 200)).code, "unavailable");
			} finally {
				await redis.call(command, ...whole);
			}
			await linked(host);
			assert.equal((await host.take(key)).allowed, true);
			assert.equal((await host.metrics())["fault read_only"], 0);
		});
	}

	test("a store that hangs delays a request by a second at most; with allow it is then counted here", async (t) => {
		const host = await Host.open(t, redis.url, { deny: false });
		const key = await host.key({ rate_limits: QUOTA });
		assert.equal((await host.take(key)).allowed, true);
		redis.pause();
		try {
			const begunMs = performance.now();
			assert.equal((await host.takeUntilRefused(key, 20)).passed, 20);
			assert.ok(performance.now() - begunMs < 2_000, "one wait for all");
			await lost(host);
		} finally {
			redis.resume();
		}
		await linked(host);
		assert.equal((await host.takeUntilRefused(key, 300)).passed, 179, "the twenty were reported");
	});

	test("keys are refused after the configured time without contact with the store", async (t) => {
		const host = await Host.open(t, redis.url, { staleAfterMs: 1_500 });
		const key = await host.key({});
		assert.equal(host.access.fault(), null);
		redis.pause();
		try {
			await until(() => host.find(key) === null, 4_000, "the refusal");
			assert.match(host.access.fault() ?? "", /was not heard for too long/);
		} finally {
			redis.resume();
		}
		await until(() => host.find(key) !== null, 4_000, "the key again");
	});

	test("a host that is started again without the store trusts its keys no longer than before", async (t) => {
		const dataFolder = rigFolder();
		const folder = { dataFolder, staleAfterMs: 3_000 };
		const first = await Host.open(t, redis.url, folder);
		const key = await first.key({});
		await first.close();
		const away = "redis://127.0.0.1:1";
		const second = await Host.open(t, away, { ...folder, staleAfterMs: 60_000 });
		assert.notEqual(second.find(key), null, "its own copy of the keys serves");
		await second.close();
		await delay(folder.staleAfterMs);
		const third = await Host.open(t, away, folder);
		await until(() => third.find(key) === null, 500, "the refusal");
		await third.close();
		// The host was last heard with a clock that was an hour ahead.
		const ahead = await Host.open(t, redis.url, { ...folder, offMs: 3_600_000 });
		await ahead.close();
		const corrected = await Host.open(t, away, { ...folder, staleAfterMs: 500 });
		await until(() => corrected.find(key) === null, 2_000, "the refusal by a corrected clock");
		await corrected.close();
		const linkedAgain = await Host.open(t, redis.url, folder);
		assert.notEqual(linkedAgain.find(key), null);
	});

	test("the user that the documentation gives the service may do all it does, and nothing else", async (t) => {
		const line = /^user rollcall (on >PASSWORD .*)$/m.exec(readFileSync(OPERATING, "utf8"));
		assert.ok(line !== null);
		await redis.call("ACL", "SETUSER", "rollcall", ...line[1].replace("PASSWORD", "p@ss/word").split(" "));
		const url = redis.url.replace("//", `//rollcall:${encodeURIComponent("p@ss/word")}@`);
		const [a, b] = [await Host.open(t, url), await Host.open(t, url)];
		const key = await a.key({ rate_limits: DAILY }, [b]);
		assert.equal((await b.take(key)).allowed, true);
		assert.equal(await b.shared.reserve("challenge-2", 1_000), true);
		await b.access.settle();
		await b.access.usage.behind?.((b.find(key) as Key).id);
		assert.ok((await a.shared.hosts()).length >= 2);
		const commands = await SharedKeyStore.open(url);
		t.after(() => commands.close());
		await commands.loadAll();
		await suspendKey(commands, (a.find(key) as Key).id, { by: "test", nowMs: Date.now() });
		assert.deepEqual(await commands.acknowledged(2_000), []);
		assert.ok((await commands.audit()).length > 0 && (await commands.lastUsed()) !== null);
		await a.close();
		await b.close();
		const denied = String(await redis.call("ACL", "LOG"));
		assert.equal(denied, "", "nothing that it tried was denied");
		const link = new RedisLink({ address: parseSharedAddress(url), name: "test" });
		t.after(() => link.close());
		await link.open();
		await assert.rejects(link.call("FLUSHALL"), { code: "denied" });
	});

	test("by the documentation's users, what hosts wrote outlasts a restart of Redis", async (t) => {
		const users = readFileSync(OPERATING, "utf8").match(/^user (rollcall|default) .*$/gm) ?? [];
		assert.equal(users.length, 2);
		const other = await RedisServer.start("--appendonly", "yes", "--appendfsync", "always");
		t.after(() => other.close());
		const file = join(other.folder, "users.conf");
		writeFileSync(file, users.map((line) => `${line.replace("PASSWORD", "secret")}\n`).join(""));
		const restart = async () => {
			await other.kill();
			await other.run(file);
		};
		await restart();
		const url = other.url.replace("//", "//rollcall:secret@");
		await assert.rejects(SharedKeyStore.open(other.url), { code: "denied" });
		const host = await Host.open(t, url);
		const key = await host.key({ rate_limits: DAILY });
		await until(async () => (await host.take(key)).allowed, 2_000, "a grant");
		await restart();
		await until(() => host.shared.status.failovers === 1, 10_000, "the restart");
		assert.equal(host.shared.status.dataLosses, 0);
	});

	test("a wrong password and a database that is not there are reported as such, not as a store that is away", async (t) => {
		for (const [path, code, reason] of [
			["//nobody:wrong@", "denied", /WRONGPASS/],
			["//", "failed", /DB index is out of range/],
		] as const) {
			const address = redis.url.replace("//", path).replace(/(\/\d*)?$/, code === "failed" ? "/99999" : "");
			const host = await Host.open(t, address);
			await until(() => host.shared.status.faultCode === code, 5_000, code);
			assert.match(host.shared.status.fault ?? "", reason);
			assert.equal((await host.metrics())[`fault ${code}`], 1);
			assert.equal(host.warnings("the shared store").length, 1, host.lines.join(""));
			await assert.rejects(SharedKeyStore.open(address), { code });
		}
	});

	test("a store that refused, and then is away, is reported as away", async (t) => {
		const other = await RedisServer.start();
		t.after(() => other.close());
		const host = await Host.open(t, `${other.url}/99999`);
		await until(() => host.shared.status.faultCode === "failed", 5_000, "the refusal");
		await other.kill();
		// A command that waited fails first, with words of its own.
		await until(() => /ECONNREFUSED/.test(host.shared.status.fault ?? ""), 5_000, "that it is away");
		assert.equal(host.shared.status.faultCode, "unreachable");
	});

	test("an id is one host's among all, which gets it again where a reply was lost", async (t) => {
		const [a, b] = [await Host.open(t, redis.url), await Host.open(t, redis.url)];
		const taken = await Promise.all([a, b, a, b].map((host) => host.shared.reserve("challenge-1", 60_000)));
		assert.equal(taken.filter(Boolean).length, 2);
		assert.deepEqual(taken.slice(0, 2), taken.slice(2));
		assert.deepEqual((await a.shared.hosts()).length >= 2, true);
	});
});
