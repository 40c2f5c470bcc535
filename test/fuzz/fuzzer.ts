/**
 * A coverage-guided fuzzer, small and in-process: inputs that made code run which had not run before
 * are kept, and mutated further. The same seed gives the same inputs; what is found is cut down to
 * the least text that is still a defeat.
 *
 * (Of the ready-made ones, jsfuzz is no longer kept and Jazzer.js compiles a native part with CMake.)
 */

import { Draw } from "../oracle/draw.js";
import { Coverage } from "./coverage.js";

export interface FuzzTarget {
	readonly name: string;
	/** Parts of the URLs of the modules that guide the search. */
	readonly covers: readonly string[];
	/** Inputs to begin with; binary ones hold one byte a character. */
	readonly seeds: readonly string[];
	/** Another input, made of `input` and now and then of `other`. */
	mutate(input: string, other: string, draw: Draw): string;
	/** Runs `input` and holds what comes out against a model. Throws where it breaks it. */
	run(input: string): Promise<void>;
	close(): Promise<void>;
}

export interface FuzzOptions {
	readonly seed: number;
	/** Whichever ends first; absent: no such limit. */
	readonly seconds?: number;
	readonly runs?: number;
	/** False: every input is made of a seed, as random search does. Default true. */
	readonly guided?: boolean;
	/** An input that takes longer is a defeat. */
	readonly runMsMax?: number;
	/** Told of every input before it runs. */
	readonly onInput?: (input: string) => void;
}

export interface Defeat {
	/** Cut down. */
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

/** Beyond what a busy machine makes of milliseconds. */
const RUN_MS_MAX_DEFAULT = 10_000;
const MUTATIONS_MAX = 4;
/** Inputs between two looks at the coverage, each of which costs milliseconds. */
const BATCH = 24;
/** Kept inputs that were found last are picked as often as all others. */
const RECENT = 24;
const CUTS_MAX = 400;
const CUTTING_MS_MAX = 10_000;

/** Fuzzes `target` until something is found or a limit is reached. */
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

/** Those of `batch` that make something run which never ran before: asked of each only where it is true of one. */
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

/** Why `input` is a defeat; null: it is none. */
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

/** The input without whatever can be left out of it. */
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

/** Errors of one kind begin alike. */
function kindOf(error: Error): string {
	return `${error.name} ${error.message.slice(0, 16)}`;
}
