/**
 * What happens to hosts and to what they share: drawn by a seed, in two lanes at once, so that a host dies while
 * Redis is away or a month is replaced. One host is down at a time, so a quorum always remains. A kind of event is
 * drawn again only when all of its lane have happened, so that a run of some minutes has each.
 */

import { setTimeout as delay } from "node:timers/promises";
import { get, until } from "../../shared-state/host-process.js";
import { CLOCK_OFF_MS_MAX, type Cluster, type HostSlot } from "./cluster.js";
import type { HostsLoad } from "./load.js";
import { type Events, serviceEvents } from "./service-events.js";

const READY_MS_MAX = 60_000;
const BETWEEN_MS = 2_000;
/** A clock is set so many seconds after the beginning of a minute, or before its end, at least. */
const CLOCK_SET_FROM_S = 1.5 + CLOCK_OFF_MS_MAX / 1000;

export interface EventOptions {
	readonly cluster: Cluster;
	readonly load: HostsLoad;
	/** A number in [0, below) of the seed. */
	readonly draw: (below: number) => number;
	/** How long a host is stopped at most, in seconds. */
	readonly freezeSecondsMax: number;
	/** Whether nothing is to begin now. */
	readonly calm: () => boolean;
	readonly told: (text: string) => void;
}

export class HostsEvents {
	/** How often each happened; 0: not yet. */
	readonly counts = new Map<string, number>();
	#running = true;
	/** Held by whoever needs all hosts running, or has one down. */
	#hostsLock: Promise<void> = Promise.resolve();
	#lanes: Promise<unknown> = Promise.resolve();

	constructor(private readonly options: EventOptions) {}

	start(): void {
		const { cluster, load } = this.options;
		const services = serviceEvents({
			cluster,
			load,
			pause: (secondsMin, secondsMax) => this.#pause(secondsMin, secondsMax),
			locked: (act) => this.#locked(act),
			allReady: () => this.#allReady(),
			linked: () => this.#linked(),
		});
		for (const name of [...Object.keys(this.#hostEvents), ...Object.keys(services)]) this.counts.set(name, 0);
		this.#lanes = Promise.all([this.#lane(this.#hostEvents), this.#lane(services)]);
	}

	/** Resolves when what is happening has ended. */
	async stop(): Promise<void> {
		this.#running = false;
		await this.#lanes;
	}

	readonly #hostEvents: Events = {
		"a host is killed": () =>
			this.#withHost(async (host) => {
				this.options.load.killing();
				await this.options.cluster.endHost(host, "SIGKILL");
				await this.#pause(1, 5);
				await this.#restart(host);
			}),
		"a host is restarted": () =>
			this.#withHost(async (host) => {
				const code = await this.options.cluster.endHost(host, "SIGTERM");
				if (code !== 0) this.options.load.report("event", `a host ended with code ${code}`);
				await this.#restart(host);
			}),
		"a host is stopped and continued": () =>
			this.#withHost(async (host) => {
				process.kill(host.process.servingPid, "SIGSTOP");
				await this.#pause(2, this.options.freezeSecondsMax);
				process.kill(host.process.servingPid, "SIGCONT");
				await until(() => this.options.cluster.ready(host), READY_MS_MAX, "readiness");
			}),
		"a host's clock is set": async () => {
			const { cluster, draw } = this.options;
			// Threads that serve learn of it within 100 ms, and until then count in the wrong window near the end of one.
			const second = () => (Date.now() / 1000) % 60;
			while (second() < CLOCK_SET_FROM_S || second() > 60 - CLOCK_SET_FROM_S) await this.#pause(1, 1);
			const offMs = draw(2 * CLOCK_OFF_MS_MAX + 1) - CLOCK_OFF_MS_MAX;
			cluster.setClock(cluster.hosts[draw(cluster.hosts.length)], offMs);
		},
	};

	async #lane(events: Events): Promise<void> {
		let names: string[] = [];
		const { load, draw, told, calm } = this.options;
		while (this.#running) {
			if (calm()) {
				await delay(BETWEEN_MS);
				continue;
			}
			if (names.length === 0) names = Object.keys(events);
			const [name] = names.splice(draw(names.length), 1);
			told(name);
			this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
			load.disrupting();
			try {
				await events[name]();
			} catch (error) {
				load.report("event", `${name}: ${(error as Error).message}`);
			}
			load.disturb();
			await this.#pause(1, BETWEEN_MS / 500);
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
