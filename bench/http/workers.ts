/**
 * One worker against two on two cores, and one against one that counts for metrics. Rates are measured as they are,
 * with what the load generator took of the cores: it needs one too, so the rate of two workers cannot double here.
 * CPU time per request is given beside them: where it stays constant, two cores of their own do twice the work.
 */

import { readFileSync } from "node:fs";
import type { Snapshot } from "../../engine/index.js";
import { mixedPaths, Values } from "./requests.js";
import { measure, median } from "./rounds.js";
import { TwinProcess } from "./twin-process.js";

const SEED = 11;
const CONNECTIONS = 32;
const MIXED_REQUESTS = 2_000;
const WARM_UP_SECONDS = 1;
/** Unit of CPU times in /proc, in seconds; Linux fixes it at 100 a second. */
const TICK_SECONDS = 0.01;

/** Medians of one server over the rounds. */
export interface Measured {
	/** Requests per second by the clock. */
	readonly rate: number;
	/** CPU time per request, in microseconds. */
	readonly cpuUs: number;
	/** Cores that the load generator was busy on; 0 where the system does not tell. */
	readonly loadCores: number;
}

/** Two servers compared. */
export interface Comparison {
	readonly a: Measured;
	readonly b: Measured;
	/** Medians of the rounds' ratios, b over a. */
	readonly rateRatio: number;
	readonly cpuRatio: number;
}

export interface ComparedOptions {
	readonly data: string;
	readonly rounds: number;
	readonly seconds: number;
}

/** One worker, and two. */
export function compareWorkers(options: ComparedOptions, snapshot: Snapshot): Promise<Comparison> {
	const { data: dataFolder } = options;
	return compared(options, snapshot, [
		() => TwinProcess.start({ dataFolder, workers: 1, pin: false }),
		() => TwinProcess.start({ dataFolder, workers: 2, pin: false }),
	]);
}

/** One worker without metrics, and with them, which are read once a round. */
export function compareMetrics(options: ComparedOptions, snapshot: Snapshot): Promise<Comparison> {
	const { data: dataFolder } = options;
	return compared(options, snapshot, [
		() => TwinProcess.start({ dataFolder, workers: 1, pin: true }),
		() => TwinProcess.start({ dataFolder, workers: 1, pin: true, metrics: true }),
	]);
}

async function compared(
	{ rounds, seconds }: ComparedOptions,
	snapshot: Snapshot,
	start: readonly (() => Promise<TwinProcess>)[],
): Promise<Comparison> {
	const paths = mixedPaths(new Values(snapshot, SEED), MIXED_REQUESTS);
	const processes: TwinProcess[] = [];
	const measured: [Measured[], Measured[]] = [[], []];
	try {
		for (const each of start) processes.push(await each());
		for (const process of processes) await measureOnce(process, paths, WARM_UP_SECONDS);
		for (let round = 0; round < rounds; round++) {
			// The first side alternates, so that a trend of the machine favours neither.
			for (const side of round % 2 === 0 ? [0, 1] : [1, 0])
				measured[side].push(await measureOnce(processes[side], paths, seconds));
		}
	} finally {
		for (const process of processes) await process.stop();
	}
	const [a, b] = measured;
	const ratioOf = (of: (side: Measured) => number) => median(b.map((each, i) => of(each) / of(a[i])));
	return {
		a: mediansOf(a),
		b: mediansOf(b),
		rateRatio: ratioOf(({ rate }) => rate),
		cpuRatio: ratioOf(({ cpuUs }) => cpuUs),
	};
}

async function measureOnce(
	process: TwinProcess,
	paths: readonly string[],
	seconds: number,
): Promise<Measured> {
	const { port, authorization, adminPort } = process;
	const load = { port, authorization, paths, connections: CONNECTIONS, waitMs: 0, seconds };
	const before = endedChildrenSeconds();
	const [{ rate, cpuUs }] = await Promise.all([
		measure(process, load),
		adminPort === 0 ? "" : readMetrics(adminPort),
	]);
	return { rate, cpuUs, loadCores: (endedChildrenSeconds() - before) / seconds };
}

/** The metrics of a server. Rejects for any status but 200. */
export async function readMetrics(port: number): Promise<string> {
	const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
	const text = await answer.text();
	if (answer.status !== 200) throw new Error(`/metrics answers ${answer.status}: ${text}`);
	return text;
}

/** CPU time of this process's children that have ended, such as wrk; 0 where the system does not tell. */
function endedChildrenSeconds(): number {
	if (process.platform !== "linux") return 0;
	const stat = readFileSync("/proc/self/stat", "latin1");
	// After the program's name, which may contain spaces: fields 16 and 17, user and system time.
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	return (Number(fields[13]) + Number(fields[14])) * TICK_SECONDS;
}

function mediansOf(measured: readonly Measured[]): Measured {
	return {
		rate: median(measured.map(({ rate }) => rate)),
		cpuUs: median(measured.map(({ cpuUs }) => cpuUs)),
		loadCores: median(measured.map(({ loadCores }) => loadCores)),
	};
}
