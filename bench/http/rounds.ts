/**
 * Runs subject and twin alternately in short rounds, so that other load on the machine affects both
 * alike, and reports the median of the rounds' ratios. CPU time per request is reported beside the rate,
 * since other processes hardly change it.
 */

import { type Load, type LoadResult, runLoad } from "./load.js";
import type { TwinProcess } from "./twin-process.js";

/** Share of its core below which the twin had time to spare. */
const BUSY_CORE = 0.97;
const WARM_UP_SECONDS = 2;

/** A scenario run on both sides. */
export interface Scenario {
	readonly name: string;
	/** Requests to the subject. */
	readonly paths: readonly string[];
	/** Whether the subject is the twin too, on other paths: what a kind of answer costs with the library alone. */
	readonly isBound?: true;
	/** Requests to the twin: the same paths, whose bodies it holds, or a single path; null: the subject, uncompressed, is its twin. */
	readonly twinPaths: readonly string[] | null;
	readonly ifNoneMatch?: string;
	readonly acceptEncoding?: string;
	/** Values of `Authorization`, by turns; absent: that of the process. */
	readonly authorization?: readonly string[];
	/** Whether no path may be requested twice. */
	readonly once?: true;
	readonly connections: number;
	/** Delay of each connection before a request, in milliseconds; 0: none. */
	readonly waitMs: number;
	/** The target; null: reported for comparison only. */
	readonly target: Target | null;
}

/** A target: a ratio, or an absolute rate. */
export type Target =
	/** Subject's rate over the twin's, or the twin's CPU time over the subject's where the load limited the twin. */
	| { readonly of: "rate"; readonly atLeast: number }
	/** Subject's p99 over the twin's. */
	| { readonly of: "p99"; readonly atMost: number }
	/** Subject's CPU time per request over the twin's. */
	| { readonly of: "cpu"; readonly atMost: number }
	/** The subject's requests per second. */
	| { readonly of: "requests"; readonly atLeast: number };

/** One side's medians over the rounds. */
export interface Side {
	readonly rate: number;
	readonly cpuUs: number;
	readonly p50Us: number;
	readonly p99Us: number;
}

export interface Outcome {
	readonly name: string;
	readonly subject: Side;
	readonly twin: Side;
	/** Medians of the rounds' ratios, subject over twin. */
	readonly ratios: { readonly rate: number; readonly cpu: number; readonly p99: number };
	readonly target: Target | null;
	/** Whether the twin had time to spare, so that the load limited its rate: a target of rate is judged by CPU time then. */
	readonly loadLimits: boolean;
	/** Whether the target is reached; true without one. */
	readonly reached: boolean;
	readonly requests: number;
}

/**
 * Runs `scenario` for `rounds` rounds of `seconds` per side. Throws if any response is an error, or where paths that
 * may be requested once did not suffice.
 */
export async function runScenario(
	process: TwinProcess,
	scenario: Scenario,
	rounds: number,
	seconds: number,
): Promise<Outcome> {
	const measured: { subject: Measured; twin: Measured }[] = [];
	// The first runs are warm-up: compiled code and mapped pages, as in a server that has been running.
	// Each load continues where the last one ended, so that scenarios of unrepeated requests repeat none.
	let asked = 0;
	const run = async (side: "subject" | "twin", forSeconds: number): Promise<Measured> => {
		const result = await measure(process, loadOf(process, scenario, forSeconds, asked)[side]);
		if (side === "subject" || scenario.twinPaths === null) asked += result.requests;
		requireUnrepeated(scenario, asked);
		return result;
	};
	await run("subject", WARM_UP_SECONDS);
	await run("twin", WARM_UP_SECONDS);
	for (let round = 0; round < rounds; round++) {
		// The first side alternates, so that a trend of the machine favours neither.
		if (round % 2 === 0) {
			const subject = await run("subject", seconds);
			measured.push({ subject, twin: await run("twin", seconds) });
		} else {
			const twin = await run("twin", seconds);
			measured.push({ subject: await run("subject", seconds), twin });
		}
	}
	const ratios = {
		rate: median(measured.map((m) => m.subject.rate / m.twin.rate)),
		cpu: median(measured.map((m) => m.subject.cpuUs / m.twin.cpuUs)),
		p99: median(measured.map((m) => m.subject.p99Us / m.twin.p99Us)),
	};
	const subject = sideOf(measured.map((m) => m.subject));
	const twinBusy = median(measured.map((m) => (m.twin.rate * m.twin.cpuUs) / 1e6));
	const loadLimits = twinBusy < BUSY_CORE;
	return {
		name: scenario.name,
		subject,
		twin: sideOf(measured.map((m) => m.twin)),
		ratios,
		target: scenario.target,
		loadLimits,
		reached: isReached(scenario.target, ratios, subject, loadLimits),
		requests: measured.reduce((sum, m) => sum + m.subject.requests, 0),
	};
}

function requireUnrepeated({ name, once, paths }: Scenario, asked: number): void {
	if (once !== true || asked <= paths.length) return;
	throw new Error(
		`${name}: ${asked} requests, but only ${paths.length} paths that were not requested before; ` +
			"give fewer --rounds or --seconds, or a larger month",
	);
}

interface Measured extends Side {
	readonly requests: number;
}

/** Runs one load and measures the process's CPU time over it. */
export async function measure(process: TwinProcess, load: Load): Promise<Measured> {
	const before = await process.usage();
	const result: LoadResult = await runLoad(load, process.scratch);
	const after = await process.usage();
	if (result.failed > 0) throw new Error(`${result.failed} of ${result.requests} requests failed`);
	return {
		requests: result.requests,
		rate: result.requests / result.seconds,
		cpuUs: (after.cpuUs - before.cpuUs) / result.requests,
		p50Us: result.p50Us,
		p99Us: result.p99Us,
	};
}

function loadOf(
	process: TwinProcess,
	scenario: Scenario,
	seconds: number,
	firstPath: number,
): { subject: Load; twin: Load } {
	const { connections, waitMs, twinPaths } = scenario;
	const subject = {
		port: scenario.isBound === true ? process.twinPort : process.port,
		paths: scenario.paths,
		firstPath,
		authorization: scenario.authorization ?? process.authorization,
		ifNoneMatch: scenario.ifNoneMatch,
		acceptEncoding: scenario.acceptEncoding,
		connections,
		waitMs,
		seconds,
	};
	if (twinPaths === null) return { subject, twin: { ...subject, acceptEncoding: undefined } };
	const twin = { port: process.twinPort, paths: twinPaths, authorization: "", connections, waitMs, seconds };
	return { subject, twin };
}

function sideOf(measured: readonly Measured[]): Side {
	return {
		rate: median(measured.map((m) => m.rate)),
		cpuUs: median(measured.map((m) => m.cpuUs)),
		p50Us: median(measured.map((m) => m.p50Us)),
		p99Us: median(measured.map((m) => m.p99Us)),
	};
}

function isReached(
	target: Target | null,
	ratios: Outcome["ratios"],
	subject: Side,
	loadLimits: boolean,
): boolean {
	if (target === null) return true;
	if (target.of === "requests") return subject.rate >= target.atLeast;
	if (target.of !== "rate") return ratios[target.of] <= target.atMost;
	return (loadLimits ? 1 / ratios.cpu : ratios.rate) >= target.atLeast;
}

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
