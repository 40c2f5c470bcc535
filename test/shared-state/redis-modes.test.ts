/** A Redis that is a cluster, that speaks TLS, that other versions of this program use: each real. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { before, describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { suspendKey } from "../../server/keys/lifecycle.js";
import { parseSharedAddress } from "../../server/shared-state/address.js";
import { faultWords } from "../../server/shared-state/fault-words.js";
import { RedisLink } from "../../server/shared-state/redis.js";
import { readUsage, sendBatch } from "../../server/shared-state/script-calls.js";
import { SharedKeyStore } from "../../server/shared-state/shared-key-store.js";
import { makeCertificate, NO_OPENSSL } from "../certificate.js";
import { freePort } from "../free-port.js";
import { until } from "./host-process.js";
import { Host, rigFolder } from "./host-rig.js";
import { REDIS_MISSING, RedisServer } from "./redis-server.js";

const MAIN = fileURLToPath(new URL("../../server/main.js", import.meta.url));
const LIMITS = { per_minute: null, per_day: 200, monthly_quota: 1_000 };

async function started(t: TestContext, ...settings: string[]): Promise<RedisServer> {
	const redis = await RedisServer.start(...settings);
	t.after(() => redis.close());
	return redis;
}

/** Two hosts and a command do all that hosts and commands do with the shared store. */
async function doEverything(t: TestContext, url: string): Promise<void> {
	const [a, b] = [await Host.open(t, url), await Host.open(t, url)];
	const key = await a.key({ rate_limits: LIMITS }, [b]);
	const id = a.find(key)?.id as string;
	for (const host of [a, b]) assert.equal((await host.takeUntilRefused(key, 40)).passed, 40);
	for (const host of [a, b]) await host.access.settle();
	await until(
		async () => {
			await b.access.usage.behind?.(id);
			return b.access.usage.usage(id, 1, Date.now()).total === 80;
		},
		4_000,
		"the usage of both",
	);
	assert.equal(await a.shared.reserve("once", 1_000), true);
	assert.equal((await b.shared.hosts()).length >= 2, true);
	const commands = await SharedKeyStore.open(url);
	await commands.loadAll();
	await suspendKey(commands, id, { by: "test", nowMs: Date.now() });
	assert.deepEqual(await commands.acknowledged(2_000), []);
	assert.ok((await commands.audit()).length > 0 && (await commands.lastUsed()) !== null);
	commands.close();
	for (const host of [a, b]) {
		await host.close();
		assert.deepEqual(host.warnings(""), []);
	}
}

describe("kinds of Redis", { skip: REDIS_MISSING }, () => {
	test("the names of each script's keys are on one node of a cluster", async (t) => {
		const redis = await started(t, "--cluster-enabled", "yes");
		await redis.call("CLUSTER", "ADDSLOTSRANGE", 0, 16_383);
		const covered = async () => /cluster_state:ok/.test(String(await redis.call("CLUSTER", "INFO")));
		await until(covered, 5_000, "the cluster");
		// It refuses what is not.
		await assert.rejects(redis.call("EVAL", "return 1", 2, "{a}", "{b}"), /CROSSSLOT/);
		await doEverything(t, redis.url);
	});

	test("versions of the schema side by side leave each other's names alone", async (t) => {
		const redis = await started(t);
		await doEverything(t, redis.url);
		const names = ((await redis.call("KEYS", "*")) as string[]).sort();
		assert.ok(names.length >= 10, names.join());
		for (const name of names) {
			assert.match(name, /^rollcall:1:/);
			// Of a later version, by the same names and of other types.
			await redis.call("RPUSH", name.replace("rollcall:1:", "rollcall:2:"), name);
		}
		await redis.call("DEL", ...names);
		await doEverything(t, redis.url);
		const later = ((await redis.call("KEYS", "rollcall:2:*")) as string[]).sort();
		assert.deepEqual(later, names.map((name) => name.replace("rollcall:1:", "rollcall:2:")).sort());
		for (const name of later)
			assert.deepEqual(await redis.call("LRANGE", name, 0, -1), [name.replace(":2:", ":1:")]);
	});

	test("a batch that is sent again counts once", async (t) => {
		const redis = await started(t);
		const link = new RedisLink({ address: parseSharedAddress(redis.url), name: "test" });
		t.after(() => link.close());
		await link.open();
		const entries = [
			{ day: 20_000, keyId: "k", requests: [3, 0, 2], lastUsed: 7 },
			{ day: 20_001, keyId: "k", requests: [5], lastUsed: 9 },
		];
		const batch = { number: 1, entries };
		assert.equal(await sendBatch(link, "h", batch), 0);
		assert.equal(await sendBatch(link, "h", batch), 1, "applied before");
		assert.equal(await sendBatch(link, "other", batch), 0, "of another host");
		const read = await readUsage(link, "h", "k", [20_000, 20_001], 3);
		assert.deepEqual(read, {
			applied: 1,
			days: [
				[6, 0, 4],
				[10, 0, 0],
			],
		});
	});
});

test("a lost connection and a port without TLS are told in an operator's words", () => {
	const library =
		'Reached the max retries per request limit (which is 0). Refer to "maxRetriesPerRequest" option.';
	assert.match(faultWords(library, false), /^the connection was lost before the reply: [^"]*$/);
	assert.equal(faultWords("connect ETIMEDOUT", false), "connect ETIMEDOUT");
	assert.equal(faultWords("connect ECONNREFUSED", true), "connect ECONNREFUSED");
});

test("a port without TLS is asked about", { skip: REDIS_MISSING }, async (t) => {
	const redis = await started(t);
	const args = [MAIN, "keys", "list", "--shared", redis.url.replace("redis:", "rediss:")];
	const ran = promisify(execFile)(process.execPath, args);
	const { stderr } = await ran.catch((error: { stderr: string }) => error);
	assert.match(stderr, /ETIMEDOUT: does this port use TLS/);
});

describe("TLS to the shared store", { skip: REDIS_MISSING || NO_OPENSSL }, () => {
	const folder = rigFolder();
	const file = (name: string) => join(folder, name);

	before(() => {
		makeCertificate(folder);
	});

	test("rediss:// verifies the server, by name or address", async (t) => {
		const tlsPort = await freePort();
		const certificate = ["--tls-cert-file", file("cert.pem"), "--tls-key-file", file("key.pem")];
		await started(
			t,
			"--tls-port",
			String(tlsPort),
			...certificate,
			"--tls-auth-clients",
			"no",
			"--bind",
			"127.0.0.1",
			"127.0.0.2",
		);
		const list = async (host: string, env: Record<string, string>) => {
			const args = [MAIN, "keys", "list", "--shared", `rediss://${host}:${tlsPort}`, "--json"];
			const ran = promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
			return ran.catch((error: { stdout: string; stderr: string }) => error);
		};
		const trusting = { NODE_EXTRA_CA_CERTS: file("cert.pem") };
		const [byAddress, byName, untrusted, another] = await Promise.all([
			list("127.0.0.1", trusting),
			list("localhost", trusting),
			list("127.0.0.1", {}),
			list("127.0.0.2", trusting),
		]);
		for (const { stdout, stderr } of [byAddress, byName]) {
			assert.equal(stderr, "", "no warning either");
			assert.deepEqual(JSON.parse(stdout), []);
		}
		assert.match(untrusted.stderr, /self-signed certificate/);
		assert.match(another.stderr, /does not match certificate|127\.0\.0\.2/);
		for (const { stdout } of [untrusted, another])
			assert.equal(JSON.parse(stdout).error.code, "unreachable", "and no list");
	});
});
