/** A long run of the mix, which checks that memory does not grow. */

import type { Snapshot } from "../../engine/index.js";
import { mixedPaths, ONE_BY_ID, pathsOf, Values } from "./requests.js";
import { measure } from "./rounds.js";
import type { TwinProcess } from "./twin-process.js";

const SEED = 7;
const CONNECTIONS = 64;
const SECONDS_A_STRETCH = 10;
/** Mostly single rows, so that a run of millions takes minutes; the mix for the rest. */
const PATHS = { single: 18_000, mixed: 2_000 };

export interface Soak {
	readonly requests: number;
	/** After each interval, the warm-up first. */
	readonly rssMib: readonly number[];
	readonly heapMib: readonly number[];
}

/** Sends at least `requests` requests. Calls `onStretch` after each interval. */
export async function runSoak(
	process: TwinProcess,
	snapshot: Snapshot,
	requests: number,
	onStretch: (soFar: Soak) => void,
): Promise<Soak> {
	const values = new Values(snapshot, SEED);
	const paths = [...pathsOf(ONE_BY_ID, values, PATHS.single), ...mixedPaths(values, PATHS.mixed)];
	const rssMib: number[] = [];
	const heapMib: number[] = [];
	let sent = 0;
	while (sent < requests) {
		const { port, authorization } = process;
		const load = { port, authorization, paths, connections: CONNECTIONS, waitMs: 0 };
		sent += (await measure(process, { ...load, seconds: SECONDS_A_STRETCH })).requests;
		const usage = await process.usage();
		rssMib.push(Math.round(usage.rssBytes / 2 ** 20));
		heapMib.push(Math.round(usage.heapBytes / 2 ** 20));
		onStretch({ requests: sent, rssMib, heapMib });
	}
	return { requests: sent, rssMib, heapMib };
}
