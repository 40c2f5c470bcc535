/**
 * Compares servers by the CPU time that a request costs each: the same load by short turns (turns.ts), with every server
 * started anew for each round, and the median of the rounds' ratios. What V8 compiles differs from start to start by
 * several percent, so that one start would not do.
 *
 * Of two equal servers the one that is started, warmed up and measured later has cost less by as much: servers go in a
 * random order, in which each has had every position equally often after as many rounds as there are servers.
 */

import { setTimeout as delay } from "node:timers/promises";
import { Choices } from "../shapes/choices.js";
import { type Load, LoadProcess } from "./load.js";
import { median } from "./rounds.js";
import { type ConstantSideOptions, ServerSide, type ServerSideOptions } from "./server-side.js";
import { byTurns, type HaltedLoad, TURN_MS } from "./turns.js";

const CONNECTIONS = 32;
/** Least seconds of warm-up, and seconds for each one of load: code of many shapes is compiled in about 5 s of load. */
const WARM_UP_SECONDS_MIN = 2;
const WARM_UP_OF_LOAD = 3;
/** Longer than any load, which is ended after its turns. */
const LOAD_SECONDS_MAX = 3_600;
/** A request waits while others have their turns. */
const ANSWER_SECONDS = 60;

export interface CompareOptions {
	readonly rounds: number;
	/** Of turns a side, question and round. */
	readonly seconds: number;
	/** Of the servers' order; absent: 1. */
	readonly seed?: number;
	/** Value of `Accept-Encoding` by question; absent: none is sent. */
	readonly acceptEncoding?: ReadonlyMap<string, string>;
	/** Questions whose paths no server may be asked twice. */
	readonly once?: ReadonlySet<string>;
}

export interface Comparison {
	/** What was asked. */
	readonly what: string;
	/** Requests per second of CPU time, medians over the rounds, in the order of the sides. */
	readonly perCpuSecond: readonly number[];
	/** Requests per second of CPU time of each round, in the order of the sides. */
	readonly rounds: readonly (readonly number[])[];
	/** Of each side to the first: the median, least and greatest of the rounds' ratios. */
	readonly ratios: readonly { readonly median: number; readonly least: number; readonly greatest: number }[];
}

/**
 * Runs each of `questions` (a name and its paths) on all sides. Throws where any answer is an error, or where the paths of
 * a question that is asked once do not suffice.
 */
export async function compareServers(
	sides: readonly (ServerSideOptions | ConstantSideOptions)[],
	questions: ReadonlyMap<string, readonly string[]>,
	{ rounds, seconds, seed = 1, acceptEncoding, once }: CompareOptions,
): Promise<Comparison[]> {
	/** Requests per CPU second of each question, by side and round. */
	const measured = new Map([...questions.keys()].map((what) => [what, sides.map((): number[] => [])]));
	for (const [round, order] of ordersOf(sides.length, rounds, seed).entries()) {
		const servers: ServerSide[] = [];
		try {
			for (const i of order) {
				const side = sides[i];
				servers[i] = await ("bytes" in side ? ServerSide.startConstant(side) : ServerSide.start(side));
			}
			for (const [what, paths] of questions) {
				for (const i of order) await servers[i].untilServing(paths[0]);
				const load = { paths, acceptEncoding: acceptEncoding?.get(what), seed: seed + round };
				const { rates, asked } = await warmAndMeasure(servers, load, seconds);
				if (once?.has(what) === true) requireUnrepeated(what, paths, asked);
				for (const [i, rate] of rates.entries()) measured.get(what)?.[i].push(rate);
			}
		} finally {
			for (const server of servers) await server?.stop();
		}
	}
	return [...measured].map(([what, bySide]) => comparisonOf(what, bySide));
}

/** Requests per second of CPU time of each server, after a warm-up, and the most paths that one was asked. */
async function warmAndMeasure(
	servers: readonly ServerSide[],
	load: Omit<Turns, "seconds" | "firstPaths">,
	seconds: number,
): Promise<{ rates: number[]; asked: number }> {
	const warmUpSeconds = Math.max(WARM_UP_SECONDS_MIN, WARM_UP_OF_LOAD * seconds);
	const none = servers.map(() => 0);
	const warmUp = await costs(servers, { ...load, seconds: warmUpSeconds, firstPaths: none });
	// Each side goes on where its warm-up ended, so that paths that do not repeat are asked once.
	const firstPaths = warmUp.map(({ requests }) => requests);
	const sides = await costs(servers, { ...load, seconds, firstPaths });
	const asked = Math.max(...sides.map(({ requests }, i) => firstPaths[i] + requests));
	return { rates: sides.map(({ rate }) => rate), asked };
}

function requireUnrepeated(what: string, paths: readonly string[], asked: number): void {
	if (asked <= paths.length) return;
	throw new Error(`${what}: ${asked} requests, but only ${paths.length} paths; give fewer --seconds`);
}

/** The order of `sides` in each round: a random one, rotated until each side has had every position; then another. */
export function ordersOf(sides: number, rounds: number, seed: number): number[][] {
	const choices = new Choices(seed, 0);
	let drawn: number[] = [];
	return Array.from({ length: rounds }, (_, round) => {
		const by = round % sides;
		if (by === 0) {
			const left = Array.from({ length: sides }, (_, i) => i);
			drawn = Array.from({ length: sides }, () => left.splice(choices.below(left.length), 1)[0]);
		}
		return [...drawn.slice(by), ...drawn.slice(0, by)];
	});
}

interface Turns {
	readonly paths: readonly string[];
	readonly acceptEncoding: string | undefined;
	/** Of turns for each server. */
	readonly seconds: number;
	/** Index of the path that each begins with. */
	readonly firstPaths: readonly number[];
	/** Of the turns' order. */
	readonly seed: number;
}

/** Requests of each server, and requests per second of its CPU time. */
async function costs(
	servers: readonly ServerSide[],
	{ paths, acceptEncoding, seconds, firstPaths, seed }: Turns,
): Promise<{ rate: number; requests: number }[]> {
	const loads = servers.map(({ port, authorization, scratch }, i) => {
		const shared = {
			port,
			paths,
			firstPath: firstPaths[i],
			authorization,
			connections: CONNECTIONS,
			waitMs: 0,
		};
		const load: Load = { ...shared, seconds: LOAD_SECONDS_MAX };
		const made = new LoadProcess(
			acceptEncoding === undefined ? load : { ...load, acceptEncoding },
			scratch,
			ANSWER_SECONDS,
		);
		made.halt();
		return made;
	});
	try {
		const halted = loads.map(
			(load, i): HaltedLoad => ({
				resume: () => load.resume(),
				halt: () => load.halt(),
				cpuUs: () => servers[i].cpuUs(),
			}),
		);
		const turns = Math.max(1, Math.round((seconds * 1_000) / TURN_MS));
		const usedUs = await byTurns(halted, ordersOf(servers.length, turns, seed), delay);
		const results: { rate: number; requests: number }[] = [];
		for (const [i, server] of servers.entries()) {
			// wrk goes on for a moment, and counts what it gets in it.
			const beforeUs = server.cpuUs();
			const { requests, failed } = await loads[i].interrupt();
			if (failed > 0) throw new Error(`${server.name}: ${failed} of ${requests} requests failed`);
			results.push({ requests, rate: (requests * 1e6) / (usedUs[i] + server.cpuUs() - beforeUs) });
		}
		return results;
	} finally {
		for (const load of loads) load.kill();
	}
}

function comparisonOf(what: string, measured: readonly number[][]): Comparison {
	const ratios = measured.map((side) => {
		const each = side.map((value, round) => value / measured[0][round]).sort((a, b) => a - b);
		return { median: median(each), least: each[0], greatest: each[each.length - 1] };
	});
	const rounds = measured[0].map((_, round) => measured.map((side) => side[round]));
	return { what, perCpuSecond: measured.map(median), rounds, ratios };
}

/** Rows of a table: what was asked, each side's requests per CPU second, and its ratio to the first side. */
export function comparisonRows(comparisons: readonly Comparison[]): string[][] {
	return comparisons.map(({ what, perCpuSecond: rates, ratios }) => [
		what,
		...rates.map((rate) => Math.round(rate).toLocaleString("en-US")),
		...ratios.slice(1).map((r) => `${r.median.toFixed(2)} (${r.least.toFixed(2)}–${r.greatest.toFixed(2)})`),
	]);
}
