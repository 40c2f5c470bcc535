/**
 * What happens to hosts and to what they share: drawn by a seed, in two lanes at once, so that a host dies while
 * Redis is away or a month is replaced. One host is down at a time, so a quorum always remains.
 *
 * The store hangs only while all hosts run: a host that starts then cannot know that a month was replaced.
 */

import { setTimeout as delay } from "node:timers/promises";
import { get, until } from "../../shared-state/host-process.js";
import { type Cluster, EDITIONS, type HostSlot, MONTH, OLD_MONTH } from "./cluster.js";
import type { HostsLoad } from "./load.js";

/** How long a month may take from its instant until every answer is of it: readiness, and two checks of HAProxy. */
const LIVE_GRACE_MS = 4_000;
/** How long after an announcement a month goes live. */
const ANNOUNCED_MS = 4_000;
const READY_MS_MAX = 60_000;
const BETWEEN_MS = 2_000;
/** A revoked key may be served for so long. */
const REVOKED_MS_MAX = 1_000;

export interface EventOptions {
	readonly cluster: Cluster;
	readonly load: HostsLoad;
	/** A number in [0, below) of the seed. */
	readonly draw: (below: number) => number;
	/** How long a host is stopped at most, in seconds. */
	readonly freezeSecondsMax: number;
	readonly told: (text: string) => void;
}

export class HostsEvents {
	/** How often each happened. */
	readonly counts = new Map<string, number>();
	#running = true;
	#edition = 0;
	/** Held by whoever needs all hosts running, or has one down. */
	#hostsLock: Promise<void> = Promise.resolve();
	#lanes: Promise<unknown> = Promise.resolve();

	constructor(private readonly options: EventOptions) {}

	start(): void {
		this.#lanes = Promise.all([this.#lane(this.#hostEvents), this.#lane(this.#serviceEvents)]);
	}

	/** Resolves when what is happening has ended. */
	async stop(): Promise<void> {
		this.#running = false;
		await this.#lanes;
	}

	readonly #hostEvents: Readonly<Record<string, () => Promise<void>>> = {
		"a host is killed": () =>
			this.#withHost(async (host) => {
				this.options.load.killing();
				await host.process.end("SIGKILL");
				await this.#pause(1, 5);
				await this.#restart(host);
			}),
		"a host is restarted": () =>
			this.#withHost(async (host) => {
				const code = await host.process.end("SIGTERM");
				if (code !== 0) this.options.load.report(`a host ended with code ${code}`);
				await this.#restart(host);
			}),
		"a host is stopped and continued": () =>
			this.#withHost(async (host) => {
				process.kill(host.process.servingPid, "SIGSTOP");
				await this.#pause(2, this.options.freezeSecondsMax);
				process.kill(host.process.servingPid, "SIGCONT");
				await until(() => this.options.cluster.ready(host), READY_MS_MAX, "readiness");
			}),
	};

	readonly #serviceEvents: Readonly<Record<string, () => Promise<void>>> = {
		"Redis is killed and comes back empty": async () => {
			const { redis } = this.options.cluster;
			await redis.kill();
			await this.#pause(1, 5);
			await redis.run();
			await this.#linked();
		},
		"Redis hangs": async () => {
			const { redis } = this.options.cluster;
			redis.pause();
			await this.#pause(1, 5);
			redis.resume();
			await this.#linked();
		},
		"the object store hangs": () =>
			this.#locked(async () => {
				this.options.cluster.swift.pause();
				await this.#pause(2, 8);
				this.options.cluster.swift.resume();
			}),
		"the month is replaced": () => this.#replace(),
		"a month is retired and restored": async () => {
			const { cluster, load } = this.options;
			load.oldMonthMayBeMissing = true;
			await cluster.builder("retire", OLD_MONTH);
			await this.#pause(1, 3);
			await cluster.builder("restore", OLD_MONTH);
			await delay(LIVE_GRACE_MS);
			await this.#allReady();
			load.oldMonthMayBeMissing = false;
		},
		"a key is revoked": () => this.#revoke(),
	};

	async #lane(events: Readonly<Record<string, () => Promise<void>>>): Promise<void> {
		const names = Object.keys(events);
		const { load, draw, told } = this.options;
		while (this.#running) {
			const name = names[draw(names.length)];
			told(name);
			this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
			load.disrupting();
			try {
				await events[name]();
			} catch (error) {
				load.report(`${name}: ${(error as Error).message}`);
			}
			load.disturb();
			await this.#pause(1, BETWEEN_MS / 500);
		}
	}

	async #replace(): Promise<void> {
		const { cluster, load } = this.options;
		const before = this.#edition;
		this.#edition = (before + 1) % EDITIONS.length;
		const data = cluster.edition(EDITIONS[this.#edition]);
		const liveAtMs = Date.now() + ANNOUNCED_MS;
		load.allowed = new Set([before, this.#edition]);
		await cluster.builder("push", MONTH, "--data", data, "--live-at", new Date(liveAtMs).toISOString());
		await delay(Math.max(0, liveAtMs - Date.now()) + LIVE_GRACE_MS);
		await this.#allReady();
		load.allowed = new Set([this.#edition]);
	}

	async #revoke(): Promise<void> {
		const { cluster, load } = this.options;
		const { id, key } = await cluster.keys("create", "--tier", "production", "--name", "to be revoked");
		const running = () => cluster.hosts.filter(({ down }) => !down);
		for (const { port } of running())
			await until(
				async () => (await get(port, "/v1/me", key).catch(() => null))?.status === 200,
				5_000,
				"the key",
			);
		await cluster.keys("revoke", id);
		await delay(REVOKED_MS_MAX);
		for (const { port } of running()) {
			const status = (await get(port, "/v1/me", key).catch(() => null))?.status;
			if (status === 200) load.report(`a key was served ${REVOKED_MS_MAX} ms after its revocation`);
		}
	}

	/** Runs `act` on a host, which is down meanwhile. */
	#withHost(act: (host: HostSlot) => Promise<void>): Promise<void> {
		return this.#locked(async () => {
			const { cluster, draw } = this.options;
			const host = cluster.hosts[draw(cluster.hosts.length)];
			host.down = true;
			await act(host);
			host.down = false;
			// Until HAProxy uses it again.
			await delay(BETWEEN_MS);
		});
	}

	async #locked(act: () => Promise<void>): Promise<void> {
		const before = this.#hostsLock;
		let release = (): void => undefined;
		this.#hostsLock = new Promise((resolve) => {
			release = resolve;
		});
		await before;
		try {
			await act();
		} finally {
			release();
		}
	}

	async #restart(host: HostSlot): Promise<void> {
		await this.options.cluster.startHost(host);
		await until(() => this.options.cluster.ready(host), READY_MS_MAX, "readiness");
	}

	async #allReady(): Promise<void> {
		const { cluster } = this.options;
		const ready = async () =>
			(await Promise.all(cluster.hosts.map((host) => host.down || cluster.ready(host)))).every(Boolean);
		await until(ready, READY_MS_MAX, "readiness of all");
	}

	/** Waits until the hosts that run are linked to Redis again. */
	async #linked(): Promise<void> {
		const { cluster } = this.options;
		const linked = async ({ adminPort }: HostSlot) =>
			/^rollcall_shared_linked 1$/m.test(
				(await get(adminPort, "/metrics", "").catch(() => null))?.body ?? "",
			);
		const all = async () =>
			(await Promise.all(cluster.hosts.map((host) => host.down || linked(host)))).every(Boolean);
		await until(all, READY_MS_MAX, "the link to Redis");
	}

	async #pause(secondsMin: number, secondsMax: number): Promise<void> {
		const endMs =
			performance.now() +
			1000 * (secondsMin + this.options.draw(1000 * (secondsMax - secondsMin) + 1) / 1000);
		while (performance.now() < endMs) {
			this.options.load.disturb();
			await delay(Math.min(200, endMs - performance.now()));
		}
	}
}
