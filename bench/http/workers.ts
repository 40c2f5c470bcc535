/**
 * One worker against two on two cores. The load generator needs a core too, so the rate cannot double
 * here. The measure is CPU time per request: where it stays constant, two cores do twice the work.
 */

import type { Snapshot } from "../../engine/index.js";
import { mixedPaths, Values } from "./requests.js";
import { measure, median } from "./rounds.js";
import { TwinProcess } from "./twin-process.js";

const SEED = 11;
const CONNECTIONS = 32;
const MIXED_REQUESTS = 2_000;

export interface WorkersOutcome {
	/** CPU time per request with one worker and with two, in microseconds. */
	readonly cpuUs: readonly [number, number];
	/** Work of two cores over that of one: 2 × the first over the second. */
	readonly scaling: number;
}

export async function compareWorkers(
	{ data, rounds, seconds }: { readonly data: string; readonly rounds: number; readonly seconds: number },
	snapshot: Snapshot,
): Promise<WorkersOutcome> {
	const paths = mixedPaths(new Values(snapshot, SEED), MIXED_REQUESTS);
	const one = await TwinProcess.start({ dataFolder: data, workers: 1, pin: false });
	const two = await TwinProcess.start({ dataFolder: data, workers: 2, pin: false });
	const costs: [number[], number[]] = [[], []];
	try {
		for (let round = 0; round < rounds; round++) {
			for (const [i, process] of [one, two].entries()) {
				const { port, authorization } = process;
				const load = { port, authorization, paths, connections: CONNECTIONS, waitMs: 0, seconds };
				costs[i].push((await measure(process, load)).cpuUs);
			}
		}
	} finally {
		await one.stop();
		await two.stop();
	}
	const cpuUs = [median(costs[0]), median(costs[1])] as const;
	return { cpuUs, scaling: (2 * cpuUs[0]) / cpuUs[1] };
}
