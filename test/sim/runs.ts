/** Runs of the simulated world: steps drawn from a seed, and the shortest part of them that still fails. */

import { Draw } from "../oracle/draw.js";
import { InvariantBroken } from "./invariants.js";
import type { Planted, Step } from "./steps.js";
import { World } from "./world.js";

/**
 * Kinds of steps, each as often as it is here. One run in three has no faults, so that everything must add up; one has
 * faults of hosts and messages; one those of connections and of the shared store too.
 */
const CALM: readonly Step["kind"][] = [
	..."request ".repeat(8).trim().split(" "),
	..."deliver ".repeat(14).trim().split(" "),
	"time",
	"sweep",
	"send",
	"publish",
	"read index",
	"pull",
	"reload",
	"reload",
] as Step["kind"][];
const ROUGH: readonly Step["kind"][] = [
	...CALM,
	"lose",
	"repeat",
	"repeat",
	"kill",
	"jump",
	"read old index",
	"send",
];
/** Losses are rarer, since windows that were open get nothing for a while. */
const LOSING: readonly Step["kind"][] = [
	...Array.from({ length: 4 }, () => ROUGH).flat(),
	..."request ".repeat(16).trim().split(" "),
	..."deliver ".repeat(16).trim().split(" "),
	..."cut cut cut silence silence silence replicate replicate empty".split(" "),
	"fail over",
] as Step["kind"][];
const MIXES = [ROUGH, CALM, LOSING];
const STEPS_PER_RUN = 400;

export interface Failure {
	readonly message: string;
	/** Number of the run within the seed. */
	readonly run: number;
	/** The shortest trace found that fails alike. */
	readonly steps: readonly Step[];
}

/** Simulates `steps` steps in runs of {@link STEPS_PER_RUN}. Returns the first failure, shortened; null: none. */
export function simulate(seed: number, steps: number, planted: Planted = "none"): Failure | null {
	for (let run = 0; run * STEPS_PER_RUN < steps; run++) {
		const kinds = MIXES[run % MIXES.length];
		const drawn = drawSteps(seed + run * 7_919, kinds);
		const fails = (some: readonly Step[]) => failureOf(some, planted, kinds === CALM);
		const message = fails(drawn);
		if (message !== null) return { message, run, steps: shorten(drawn, fails) };
	}
	return null;
}

function drawSteps(seed: number, kinds: readonly Step["kind"][]): Step[] {
	const draw = new Draw(seed);
	const below = (n: number) => draw.below(n);
	return Array.from({ length: STEPS_PER_RUN }, () => {
		const kind = kinds[below(kinds.length)];
		// A loss of connection lasts seconds, in which the others are to go on.
		const amount =
			kind === "time" ? [1, 50, 400, 1_200, 20_000][below(kinds === LOSING ? 4 : 5)] : below(1_000_000);
		return { kind, host: below(3), key: below(3), amount };
	});
}

/** What is broken by these steps; null: nothing. */
function failureOf(steps: readonly Step[], planted: Planted, isCalm: boolean): string | null {
	const world = new World(planted, isCalm);
	try {
		for (const step of steps) world.step(step);
		world.finish();
		return null;
	} catch (error) {
		if (error instanceof InvariantBroken) return error.message;
		throw error;
	}
}

/** Leaves out parts of the steps, halves first, as long as what is left fails. */
function shorten(steps: readonly Step[], fails: (some: readonly Step[]) => string | null): Step[] {
	let kept = [...steps];
	for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
		for (let at = 0; at < kept.length; ) {
			const without = [...kept.slice(0, at), ...kept.slice(at + size)];
			if (fails(without) === null) at += size;
			else kept = without;
		}
	}
	return kept;
}
