/** Hosts behind the HAProxy that deploy/haproxy-hosts.cfg configures are restarted one by one, and no request fails. */

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../free-port.js";
import { fixtureFolder } from "../http/served.js";
import { get, hammer, hostFolder, makeKey, startHost, until } from "./host-process.js";
import { REDIS_MISSING, RedisServer } from "./redis-server.js";

const SHIPPED = fileURLToPath(new URL("../../../deploy/haproxy-hosts.cfg", import.meta.url));
const HAPROXY = "/usr/sbin/haproxy";
const HAPROXY_MISSING =
	spawnSync(HAPROXY, ["-v"]).status === 0 ? false : "needs HAProxy: apt-get install haproxy";

/** Starts the shipped backend over these hosts, behind a plain port. */
async function startProxy(
	t: TestContext,
	hosts: readonly { port: number; admin: number }[],
): Promise<number> {
	const port = await freePort();
	const shipped = readFileSync(SHIPPED, "utf8").replaceAll(/^\tserver .*\n/gm, "");
	const servers = hosts.map(
		(host, i) => `\tserver host${i} 127.0.0.1:${host.port} check port ${host.admin}\n`,
	);
	const folder = mkdtempSync(join(tmpdir(), "rollcall-proxy-"));
	const file = join(folder, "haproxy.cfg");
	const front = `defaults\n\tmode http\n\ttimeout connect 2s\n\ttimeout client 15s\n\ttimeout server 15s\nfrontend plain\n\tbind 127.0.0.1:${port}\n\tdefault_backend rollcall_hosts\n`;
	writeFileSync(file, `${front}${shipped}${servers.join("")}`);
	const child = spawn(HAPROXY, ["-db", "-f", file], { stdio: ["ignore", "ignore", "ignore"] });
	t.after(() => {
		child.kill("SIGKILL");
		rmSync(folder, { recursive: true, force: true });
	});
	return port;
}

test("hosts are restarted one by one without a failed request", {
	skip: REDIS_MISSING || HAPROXY_MISSING,
}, async (t) => {
	const months = await fixtureFolder();
	t.after(() => rmSync(months, { recursive: true, force: true }));
	const redis = await RedisServer.start();
	t.after(() => redis.close());
	const places = await Promise.all(
		[1, 2].map(async () => ({
			folder: hostFolder(t, months),
			port: await freePort(),
			admin: await freePort(),
		})),
	);
	const start = ({ folder, port, admin }: (typeof places)[number]) =>
		startHost(t, folder, redis.url, "--workers", "1", "--port", String(port), "--admin-port", String(admin));
	const key = await makeKey(places[0].folder, { rate_limits: { per_minute: null, per_day: null } });
	const hosts = await Promise.all(places.map(start));
	const proxy = await startProxy(t, places);
	const isUp = async () => (await get(proxy, "/v1/me", key.text).catch(() => null))?.status === 200;
	await until(isUp, 10_000, "the proxy");
	for (const { port } of places)
		await until(
			async () => (await get(port, "/v1/me", key.text)).status === 200,
			5_000,
			"the key on every host",
		);
	const load = { untilMs: Number.POSITIVE_INFINITY, connections: 8 };
	t.after(() => {
		load.untilMs = 0;
	});
	const hammering = hammer([proxy], key.text, load);
	for (const [i, place] of places.entries()) {
		await hosts[i].end("SIGTERM");
		hosts[i] = await start(place);
		const ready = async () => (await get(place.admin, "/readyz", "").catch(() => null))?.status === 200;
		await until(ready, 10_000, "readiness");
		// Two checks until the proxy uses it again.
		await delay(1_000);
	}
	load.untilMs = 0;
	const outcomes = await hammering;
	assert.deepEqual(Object.keys(outcomes), ["200"], JSON.stringify(outcomes));
	assert.ok(outcomes[200] > 100);
});
