/** What happens to Redis, to the object store, to months and to keys during the soak, one at a time. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { BUILDER } from "../../builder/builder-process.js";
import type { Fault } from "../../faulty-relay.js";
import { get, until } from "../../shared-state/host-process.js";
import { RedisServer } from "../../shared-state/redis-server.js";
import { type Cluster, EDITIONS, MONTH, OLD_MONTH } from "./cluster.js";
import type { HostsLoad } from "./load.js";

/** How long a month may take from its instant until every answer is of it: readiness, and two checks of HAProxy. */
const LIVE_GRACE_MS = 4_000;
/** How long after an announcement a month goes live: what its push and pulls take on a busy machine. */
const ANNOUNCED_MS = 20_000;
/** A revoked key may be served for so long. */
const REVOKED_MS_MAX = 1_000;
const LATE_MS = 150;
const SLOW_BYTES_PER_SECOND = 300_000;

export type Events = Readonly<Record<string, () => Promise<void>>>;

/** What events are made with. */
export interface EventControl {
	readonly cluster: Cluster;
	readonly load: HostsLoad;
	pause(secondsMin: number, secondsMax: number): Promise<void>;
	/** Runs `act` while all hosts run and none is stopped or started. */
	locked(act: () => Promise<void>): Promise<void>;
	/** Resolve when all hosts that run are ready, or linked to Redis. */
	allReady(): Promise<void>;
	linked(): Promise<void>;
}

export function serviceEvents(control: EventControl): Events {
	return {
		...redisEvents(control),
		...storeEvents(control),
		...monthEvents(control),
		"a key is revoked": () => revoke(control.cluster, control.load),
	};
}

function redisEvents({ cluster, load, pause, locked, linked }: EventControl): Events {
	const broken = (setting: string) => async () => {
		await cluster.redis.call("CONFIG", "SET", setting, "1");
		await pause(1, 4);
		await cluster.redis.call("CONFIG", "SET", setting, "0");
		await linked();
	};
	const relayed = (fault: Fault) => async () => {
		cluster.redisRelay.set(fault);
		await pause(1, 5);
		cluster.redisRelay.set({ kind: "pass" });
		await linked();
	};
	return {
		// What a host was granted that is not there, nobody could give back.
		"Redis is killed and comes back empty": () =>
			locked(async () => {
				await cluster.redis.kill();
				// A replica that was promoted has what it was sent at first.
				rmSync(join(cluster.redis.folder, "dump.rdb"), { force: true });
				await pause(1, 5);
				load.emptied();
				await cluster.redis.run();
				await linked();
			}),
		"Redis hangs": async () => {
			cluster.redis.pause();
			await pause(1, 5);
			cluster.redis.resume();
			await linked();
		},
		"Redis answers late": relayed({ kind: "late", byMs: LATE_MS }),
		"Redis is out of reach": relayed({ kind: "gone" }),
		"Redis takes no writes": broken("min-replicas-to-write"),
		"Redis is full": broken("maxmemory"),
		"Redis fails over": async () => {
			await failOver(cluster);
			await linked();
		},
	};
}

/** Promotes a replica that has everything, as an orderly failover does. */
async function failOver(cluster: Cluster): Promise<void> {
	const [before, replica] = [cluster.redis, await RedisServer.start()];
	await replica.call("REPLICAOF", "127.0.0.1", before.port);
	const linked = async () => /master_link_status:up/.test(String(await replica.call("INFO", "replication")));
	await until(linked, 20_000, "the replica");
	cluster.redisRelay.set({ kind: "gone" });
	await before.call("SET", "failover", "1");
	const acknowledged = async () => Number(await before.call("WAIT", 1, 1_000)) === 1;
	await until(acknowledged, 20_000, "the replica's acknowledgement");
	await replica.call("REPLICAOF", "NO", "ONE");
	cluster.redis = replica;
	cluster.redisRelay.retarget(replica.url);
	cluster.redisRelay.set({ kind: "pass" });
	await before.close();
}

/** A host that starts meanwhile cannot know that a month was replaced before, so all run. */
function storeEvents({ cluster, pause, locked }: EventControl): Events {
	return {
		"the object store hangs": () =>
			locked(async () => {
				cluster.swift.pause();
				await pause(2, 8);
				cluster.swift.resume();
			}),
		"the object store is out of reach": () =>
			locked(async () => {
				cluster.storeRelay.set({ kind: "gone" });
				await pause(2, 8);
				cluster.storeRelay.set({ kind: "pass" });
			}),
		"the object store returns an old index": async () => {
			const current = await cluster.readIndex();
			await cluster.writeIndex(cluster.firstIndex);
			await pause(2, 8);
			await cluster.writeIndex(current);
		},
	};
}

function monthEvents({ cluster, load, pause, locked, allReady }: EventControl): Events {
	let edition = 0;
	const data = () => cluster.edition(EDITIONS[edition]);
	/** Pushes the other edition; what `during` does must be over before it goes live. */
	const replace = async (during: () => Promise<void>, ...more: (() => Promise<void>)[]) => {
		const before = edition;
		edition = (before + 1) % EDITIONS.length;
		const liveAtMs = Date.now() + ANNOUNCED_MS;
		load.replacing(before, edition);
		const liveAt = new Date(liveAtMs).toISOString();
		const push = cluster.builder("push", MONTH, "--data", data(), "--live-at", liveAt);
		await Promise.all([push, ...more.map((each) => each())]);
		await during();
		await delay(Math.max(0, liveAtMs - Date.now()) + LIVE_GRACE_MS);
		await allReady();
		load.replaced(edition);
	};
	const faulty = (fault: Fault) => () =>
		locked(async () => {
			cluster.storeRelay.set(fault);
			await replace(async () => {
				await pause(2, 5);
				cluster.storeRelay.set({ kind: "pass" });
			});
		});
	return {
		"the month is replaced": () => replace(() => pause(0, 1)),
		"the month is replaced, and the object store is slow": faulty({
			kind: "slow",
			bytesPerSecond: SLOW_BYTES_PER_SECOND,
		}),
		"the month is replaced, and the object store returns wrong bytes": faulty({ kind: "lie" }),
		"the month is replaced, after half a push": async () => {
			const next = cluster.edition(EDITIONS[(edition + 1) % EDITIONS.length]);
			await halfPush(cluster, next, () => pause(0, 1));
			await replace(() => pause(0, 1));
		},
		"two months are pushed at once": () =>
			replace(
				() => pause(0, 1),
				// From the other folder, since a push holds its folder's lock; the older month is the same in both.
				() => cluster.builder("push", OLD_MONTH, "--data", cluster.edition(EDITIONS[1 - edition])),
			),
		"a month is retired and restored": async () => {
			load.oldMonthMayBeMissing = true;
			await cluster.builder("retire", OLD_MONTH);
			await pause(1, 3);
			const liveAtMs = Date.now() + ANNOUNCED_MS;
			await cluster.builder("restore", OLD_MONTH, "--live-at", new Date(liveAtMs).toISOString());
			await delay(Math.max(0, liveAtMs - Date.now()) + LIVE_GRACE_MS);
			await allReady();
			load.oldMonthMayBeMissing = false;
		},
	};
}

/** Begins a push that would be live at the end of the century, and kills it. */
async function halfPush(cluster: Cluster, data: string, wait: () => Promise<void>): Promise<void> {
	const args = ["push", MONTH, "--data", data, "--store", cluster.store, "--live-at", "2099-01-01T00:00:00Z"];
	const environment = { ...process.env, ...cluster.swift.environment };
	const child = spawn(process.execPath, [BUILDER, ...args], { env: environment, stdio: "ignore" });
	const ended = once(child, "exit");
	await wait();
	child.kill("SIGKILL");
	await ended;
}

async function revoke(cluster: Cluster, load: HostsLoad): Promise<void> {
	const { id, key } = await cluster.keys("create", "--tier", "production", "--name", "to be revoked");
	const running = () => cluster.hosts.filter(({ down }) => !down);
	const status = async (port: number) => (await get(port, "/v1/me", key).catch(() => null))?.status;
	for (const host of running())
		await until(async () => host.down || (await status(host.port)) === 200, 10_000, "the key");
	await cluster.keys("revoke", id);
	await delay(REVOKED_MS_MAX);
	for (const { port } of running())
		if ((await status(port)) === 200)
			load.report("served", `a key was served ${REVOKED_MS_MAX} ms after its revocation`);
}
