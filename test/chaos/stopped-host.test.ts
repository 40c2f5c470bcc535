/**
 * A whole server that is stopped while a window ends and a month goes live, and continued: it lets nothing pass twice,
 * and is not ready before it serves that month.
 *
 * A relay shifts the shared store's clock, so that a minute ends when the test needs it. `npm run chaos -- stopped-host`
 * runs it.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { announce } from "../../builder/object-store/index-changes.js";
import { pushFiles } from "../../builder/object-store/push-month.js";
import { IDLE_MS } from "../../server/shared-state/lease-table.js";
import { freePort } from "../free-port.js";
import { MONTHS, StoreRig } from "../object-store/store-rig.js";
import { SWIFT_MISSING } from "../object-store/swift-store.js";
import { fuzzRuns } from "../oracle/seeded.js";
import type { ServerProcess } from "../serve/server-process.js";
import { get, makeKey, startHost, until } from "../shared-state/host-process.js";
import { REDIS_MISSING, RedisServer } from "../shared-state/redis-server.js";

const LIMIT = 200;
/**
 * How long before the end of the minute the server is stopped, and how long after it is continued: before its sweep
 * clears leases of windows that ended, so that nothing but their tags keeps requests from being taken from them.
 */
const STOPPED_MS = 2_500;
const RESUMED_MS = IDLE_MS / 2;
/** The end of the minute is so far away when it is about to come: hosts read the clock once a second. */
const NEAR_MS = 6_000;
/** A balancer checks twice before it uses a host again (deploy/haproxy-hosts.cfg). */
const CHECK_MS = 500;

/** Times, in ms since 1970, are integers of 13 digits, and nothing else that Redis replies is. */
const TIME = /^:(1\d{12})\r$/gm;

/** A relay to Redis. `shift` gets what is added to all times. */
async function shiftedRedis(t: TestContext, redis: RedisServer): Promise<{ port: number; shiftMs: number }> {
	const relay = { port: 0, shiftMs: 0 };
	const server = createServer((socket) => {
		const upstream = connect(redis.port, "127.0.0.1");
		let rest = "";
		socket.pipe(upstream);
		upstream.setEncoding("latin1").on("data", (text: string) => {
			const lines = (rest + text).lastIndexOf("\n") + 1;
			const whole = (rest + text).slice(0, lines);
			rest = (rest + text).slice(lines);
			socket.write(
				whole.replaceAll(TIME, (_, ms) => `:${Number(ms) + relay.shiftMs}\r`),
				"latin1",
			);
		});
		const end = () => {
			socket.destroy();
			upstream.destroy();
		};
		for (const each of [socket, upstream]) each.on("error", () => undefined).on("close", end);
		t.after(() => socket.destroy());
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	t.after(() => server.close());
	relay.port = (server.address() as { port: number }).port;
	return relay;
}

const skip =
	fuzzRuns(0) === 0
		? "half a minute of a stopped server; `npm run chaos -- stopped-host` runs it"
		: REDIS_MISSING || SWIFT_MISSING;

interface PausedHost {
	readonly process: ServerProcess;
	readonly adminPort: number;
}

test("a server stopped through the end of a window and a month's instant", {
	skip,
}, async (t) => {
	const [rig, redis] = await Promise.all([StoreRig.start(), RedisServer.start()]);
	t.after(() => Promise.all([rig.close(), redis.close()]));
	const relay = await shiftedRedis(t, redis);
	const url = rig.freshUrl();
	await rig.announceAt(url, 0, [MONTHS[1]]);
	const next = await pushFiles(rig.open(url), rig.other, MONTHS[1]);
	Object.assign(process.env, rig.swift.environment);
	const folders = ["a", "b"].map((name) => mkdtempSync(join(rig.folder, name)));
	const open = await makeKey(folders[0], { rate_limits: { per_minute: null, per_day: null } });
	const limited = await makeKey(folders[0], { rate_limits: { per_minute: LIMIT, monthly_quota: 1_000_000 } });
	const start = async (folder: string): Promise<PausedHost> => {
		const adminPort = await freePort();
		const months = ["--months-from", url, "--months-poll-s", "1", "--workers", "1"];
		const shared = `redis://127.0.0.1:${relay.port}`;
		const process = await startHost(t, folder, shared, ...months, "--admin-port", String(adminPort));
		return { process, adminPort };
	};
	const [a, b] = await Promise.all(folders.map(start));
	const ready = async ({ adminPort }: PausedHost) => (await get(adminPort, "/readyz", "")).status === 200;
	const rows = async ({ process }: PausedHost) => {
		const { status, body } = await get(process.port, "/v1/licenses?limit=20", open.text);
		return status === 200 ? JSON.stringify((JSON.parse(body) as { data: unknown }).data) : `${status}`;
	};
	const admitted = async ({ process }: PausedHost, requests: number) => {
		const all = Array.from({ length: requests }, () => get(process.port, "/v1/me", limited.text));
		return (await Promise.all(all)).filter(({ status }) => status === 200).length;
	};
	await until(async () => (await ready(a)) && (await ready(b)), 20_000, "readiness");
	await until(async () => (await rows(b)).startsWith("["), 5_000, "the key on the other host");
	const before = await rows(a);

	// A minute that ends well after the test, by this machine's clock.
	const liveAtMs = Math.ceil(Date.now() / 60_000 + 2) * 60_000;
	let endMs = 0;
	/** Moves the shared clock, so that the minute ends in `leftMs`. */
	const moveEnd = async (leftMs: number) => {
		endMs = Date.now() + leftMs;
		relay.shiftMs = liveAtMs - endMs;
		const moved = async ({ adminPort }: PausedHost) => {
			const { body } = await get(adminPort, "/metrics", "");
			const offset = Number(/^rollcall_shared_clock_offset_seconds (\S+)$/m.exec(body)?.[1]);
			return Math.abs(offset * 1_000 - relay.shiftMs) < 400;
		};
		await until(async () => (await moved(a)) && (await moved(b)), 10_000, "the clock");
	};
	const untilEnd = (offMs: number) => delay(endMs + offMs - Date.now());
	await announce(rig.open(url), [next], liveAtMs, () => Date.now());
	const pulled = ({ process }: PausedHost) =>
		process.lines.filter(({ msg }) => msg === "a month is here from the object store").length === 2;
	await until(() => pulled(a) && pulled(b), 20_000, "the month on both");
	// Again, where hosts took too long to read the clock.
	do await moveEnd(NEAR_MS);
	while (Date.now() > endMs - STOPPED_MS);
	await untilEnd(-STOPPED_MS);
	// A lease grows while it is used, so that it holds some of the minute that ends.
	for (let round = 0; round < 6; round++) assert.equal(await admitted(a, 5), 5);
	process.kill(a.process.servingPid, "SIGSTOP");
	assert.ok(Date.now() < endMs, "it was stopped before the end");

	await untilEnd(50);
	// They wait in the stopped server's sockets, which holds a lease of the minute before.
	const waiting = admitted(a, LIMIT);
	await untilEnd(RESUMED_MS);
	process.kill(a.process.servingPid, "SIGCONT");
	const continuedMs = Date.now();
	assert.ok(continuedMs < endMs + IDLE_MS, "leases of the minute before are not swept yet");
	assert.equal(await ready(b), true);
	let after = before;
	const isLive = async () => {
		after = await rows(b);
		return after !== before;
	};
	await until(isLive, 1_000, "the month on the other host");
	let checks = 0;
	while (checks < 2) {
		checks = (await ready(a)) ? checks + 1 : 0;
		if (checks < 2) await delay(CHECK_MS);
		assert.ok(Date.now() - continuedMs < 20_000, "it gets ready");
	}
	assert.equal(await rows(a), after, "a host that is ready serves the month that is live");
	let second = await waiting;
	await until(
		async () => {
			second += (await admitted(a, 40)) + (await admitted(b, 40));
			assert.ok(second <= LIMIT, `${second} of ${LIMIT} in the next minute`);
			return second === LIMIT;
		},
		15_000,
		"the whole limit",
	);
	assert.equal((await admitted(a, 20)) + (await admitted(b, 20)), 0, "nothing beyond it");
});
