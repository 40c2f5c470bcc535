/**
 * A small, in-process, coverage-guided fuzzer: inputs that ran new code are kept and mutated further.
 * The same seed gives the same inputs. A failing input is reduced to the shortest text that still fails.
 *
 * (Of existing ones, jsfuzz is no longer maintained and Jazzer.js compiles a native part with CMake.)
 */

import { Draw } from "../oracle/draw.js";
import { Coverage } from "./coverage.js";

export interface FuzzTarget {
	readonly name: string;
	/** Parts of the URLs of the modules that guide the search. */
	readonly covers: readonly string[];
	/** Seed inputs; binary ones have one byte a character. */
	readonly seeds: readonly string[];
	/** A mutation of `input`, sometimes crossed with `other`. */
	mutate(input: string, other: string, draw: Draw): string;
	/** Runs `input` and compares the outcome with a model. Throws where it differs. */
	run(input: string): Promise<void>;
	close(): Promise<void>;
}

export interface FuzzOptions {
	readonly seed: number;
	/** Whichever is reached first; absent: no such limit. */
	readonly seconds?: number;
	readonly runs?: number;
	/** False: every input is a mutation of a seed, as in random search. Default true. */
	readonly guided?: boolean;
	/** An input that takes longer is a failure. */
	readonly runMsMax?: number;
	/** Called with every input before it runs. */
	readonly onInput?: (input: string) => void;
}

export interface Defeat {
	/** Reduced. */
	readonly input: string;
	readonly error: Error;
}

export interface FuzzOutcome {
	readonly runs: number;
	readonly seconds: number;
	/** Inputs kept, seeds included. */
	readonly kept: number;
	/** Null: nothing was found. */
	readonly defeat: Defeat | null;
}

/** Tolerance for a busy machine, in milliseconds. */
const RUN_MS_MAX_DEFAULT = 10_000;
const MUTATIONS_MAX = 4;
/** Inputs between two reads of the coverage, each of which costs milliseconds. */
const BATCH = 24;
/** Recently kept inputs are picked as often as all others together. */
const RECENT = 24;
const CUTS_MAX = 400;
const CUTTING_MS_MAX = 10_000;

/** Fuzzes `target` until a failure is found or a limit is reached. */
export async function fuzz(target: FuzzTarget, options: FuzzOptions): Promise<FuzzOutcome> {
	const { seed, seconds = Number.POSITIVE_INFINITY, runs = Number.POSITIVE_INFINITY } = options;
	const runMsMax = options.runMsMax ?? RUN_MS_MAX_DEFAULT;
	const coverage = options.guided === false ? null : new Coverage(target.covers);
	const corpus = [...target.seeds];
	const batch: string[] = [];
	const begunMs = performance.now();
	const elapsed = () => (performance.now() - begunMs) / 1000;
	let done = 0;
	let error: Error | null = null;
	let input = "";
	try {
		for (; done < runs && elapsed() < seconds && error === null; done++) {
			input =
				done < corpus.length && done < target.seeds.length ? corpus[done] : made(target, corpus, seed, done);
			options.onInput?.(input);
			error = await defeatOf(target, input, runMsMax);
			batch.push(input);
			if (coverage === null || error !== null || batch.length < BATCH) continue;
			corpus.push(...(await newAmong(target, batch.splice(0), coverage, runMsMax)));
		}
	} finally {
		coverage?.close();
	}
	const defeat = error === null ? null : await cutDown(target, input, error, runMsMax);
	return { runs: done, seconds: elapsed(), kept: corpus.length, defeat };
}

/** Inputs of `batch` that ran new code. They are run one by one only where the batch as a whole did. */
async function newAmong(
	target: FuzzTarget,
	batch: readonly string[],
	coverage: Coverage,
	runMsMax: number,
): Promise<string[]> {
	const found: string[] = [];
	if (!coverage.grew(false)) return found;
	for (const input of batch) {
		await defeatOf(target, input, runMsMax);
		if (coverage.grew(true)) found.push(input);
	}
	return found;
}

function made(target: FuzzTarget, corpus: readonly string[], seed: number, run: number): string {
	const draw = new Draw(seed, run);
	const recent = draw.oneIn(2) ? corpus.slice(-RECENT) : corpus;
	let input = draw.pick(recent);
	const mutations = 1 + draw.below(MUTATIONS_MAX);
	for (let i = 0; i < mutations; i++) input = target.mutate(input, draw.pick(corpus), draw);
	return input;
}

/** Why `input` fails; null where it does not. */
async function defeatOf(target: FuzzTarget, input: string, runMsMax: number): Promise<Error | null> {
	const begunMs = performance.now();
	try {
		await target.run(input);
	} catch (error) {
		return error instanceof Error ? error : new Error(String(error));
	}
	const tookMs = performance.now() - begunMs;
	return tookMs > runMsMax ? new Error(`took ${Math.round(tookMs)} ms`) : null;
}

/** Reduces the input by removing whatever is not needed for the failure. */
async function cutDown(target: FuzzTarget, input: string, error: Error, runMsMax: number): Promise<Defeat> {
	let defeat: Defeat = { input, error };
	let tries = 0;
	const untilMs = performance.now() + CUTTING_MS_MAX;
	const goesOn = () => tries < CUTS_MAX && performance.now() < untilMs;
	for (let size = input.length >> 1; size >= 1 && goesOn(); size >>= 1) {
		for (let at = 0; at < defeat.input.length && goesOn(); tries++) {
			const shorter = defeat.input.slice(0, at) + defeat.input.slice(at + size);
			const still = await defeatOf(target, shorter, runMsMax);
			if (still === null || kindOf(still) !== kindOf(error)) at += size;
			else defeat = { input: shorter, error: still };
		}
	}
	return defeat;
}

/** Errors of one kind have the same beginning. */
function kindOf(error: Error): string {
	return `${error.name} ${error.message.slice(0, 16)}`;
}
