/** What hosts report of their readiness during the soak: sampled, so that a failed request can be explained by it. */

import { get } from "../../shared-state/host-process.js";
import type { Cluster, HostSlot } from "./cluster.js";

const SAMPLED_MS = 250;
/** A host that has not said for so long whether it is ready is taken as not ready, as by the balancer. */
const ANSWER_MS_MAX = 3_000;
const READY = "ready";

export class Readiness {
	/** When no host was ready the last time, by the monotonic clock. */
	noneMs = Number.NEGATIVE_INFINITY;
	readonly #states: string[];
	readonly #timer: NodeJS.Timeout;
	#sampling = false;

	private constructor(
		private readonly cluster: Cluster,
		private readonly told: (text: string) => void,
	) {
		this.#states = cluster.hosts.map(() => READY);
		this.#timer = setInterval(() => void this.#sample(), SAMPLED_MS);
	}

	/** Reports each change of a host's readiness, with its reason, to `told`. */
	static watch(cluster: Cluster, told: (text: string) => void): Readiness {
		return new Readiness(cluster, told);
	}

	stop(): void {
		clearInterval(this.#timer);
	}

	async #sample(): Promise<void> {
		if (this.#sampling) return;
		this.#sampling = true;
		const states = await Promise.all(this.cluster.hosts.map(stateOf));
		this.#sampling = false;
		states.forEach((state, i) => {
			if (state !== this.#states[i]) this.told(`host ${i}: ${state}`);
			this.#states[i] = state;
		});
		if (!states.includes(READY)) this.noneMs = performance.now();
	}
}

/** {@link READY}, or why a host is not. */
async function stateOf({ adminPort }: HostSlot): Promise<string> {
	let timer: NodeJS.Timeout | undefined;
	const silent = new Promise<string>((resolve) => {
		timer = setTimeout(() => resolve("silent"), ANSWER_MS_MAX);
	});
	const said = get(adminPort, "/readyz", "").then(
		({ status, body }) => (status === 200 ? READY : body.split("\n")[0]),
		(error: Error) => error.message,
	);
	const state = await Promise.race([said, silent]);
	clearTimeout(timer);
	return state;
}
