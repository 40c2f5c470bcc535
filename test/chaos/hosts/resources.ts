/** Memory and disk that the hosts and their stores use during the soak: sampled, and bounded however long it runs. */

import type { Cluster } from "./cluster.js";

const SAMPLED_MS = 5_000;
const MIB = 2 ** 20;
/** Of one host with two workers: what one has after minutes of this load, and half as much again. */
const HOST_BYTES_MAX = 600 * MIB;
/** Of two editions of a month on every host, in the store, and replaced ones until they are removed. */
const DISK_BYTES_MAX = 1_024 * MIB;

/** What was promised, and what was found. */
export interface HostsPromise {
	readonly promise: string;
	readonly held: boolean;
	readonly found: string;
}

export class Resources {
	#hostBytes = 0;
	readonly #timer: NodeJS.Timeout;

	private constructor(private readonly cluster: Cluster) {
		this.#timer = setInterval(() => this.#sample(), SAMPLED_MS);
	}

	static watch(cluster: Cluster): Resources {
		return new Resources(cluster);
	}

	/** Stops sampling. */
	async judge(): Promise<HostsPromise[]> {
		clearInterval(this.#timer);
		this.#sample();
		const disk = await this.cluster.diskBytes();
		return [
			bounded("memory of a host", this.#hostBytes, HOST_BYTES_MAX),
			bounded("disk of everything", disk, DISK_BYTES_MAX),
		];
	}

	#sample(): void {
		for (const { process: host, down } of this.cluster.hosts) {
			if (down) continue;
			try {
				this.#hostBytes = Math.max(this.#hostBytes, host.residentBytes());
			} catch (error) {
				// It ends just now.
				if (!/ENOENT|ESRCH/.test((error as Error).message)) throw error;
			}
		}
	}
}

function bounded(what: string, found: number, most: number): HostsPromise {
	const mib = (bytes: number) => `${Math.round(bytes / MIB)} MiB`;
	return {
		promise: `${what} stays below ${mib(most)}`,
		held: found > 0 && found < most,
		found: `${mib(found)} at most`,
	};
}
