/** The latency that an occasional client sees while others attack or overload the server. */

import { setTimeout as delay } from "node:timers/promises";
import { Client } from "../../serve/server-process.js";

export interface Probe {
	/** Ends the probe. Resolves to what each request took, in milliseconds, ascending. */
	stop(): Promise<readonly number[]>;
}

/** Requests `path` every `intervalMs` on one connection. Anything but 200 goes to `onFailure`. */
export function askEvery(
	port: number,
	key: string,
	path: string,
	intervalMs: number,
	onFailure: (what: string) => void,
): Probe {
	let asking = true;
	const times: number[] = [];
	const run = async () => {
		const client = new Client(port, key);
		while (asking) {
			const begun = performance.now();
			try {
				const { status, body } = await client.get(path);
				if (status !== 200) onFailure(`${status} ${body.slice(0, 200)}`);
			} catch (error) {
				onFailure((error as Error).message);
			}
			times.push(performance.now() - begun);
			await delay(intervalMs);
		}
		client.close();
	};
	const running = run();
	return {
		async stop() {
			asking = false;
			await running;
			return times.sort((a, b) => a - b);
		},
	};
}

/** The value below which `share` (0..1) of `sorted` lie; NaN of none. */
export function percentile(sorted: readonly number[], share: number): number {
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** `p50 1.2 ms, p99 3.4 ms, max 5.6 ms of 100`. */
export function tellTimes(sorted: readonly number[]): string {
	const told = [
		["p50", percentile(sorted, 0.5)],
		["p99", percentile(sorted, 0.99)],
		["max", sorted.at(-1) ?? Number.NaN],
	] as const;
	return `${told.map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`).join(", ")} of ${sorted.length}`;
}
