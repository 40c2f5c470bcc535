/**
 * Compares two engines over the shapes of the benchmark. In each round both sides start a process of their own, since
 * what V8 compiles differs from start to start by several percent; within it they are asked the same questions, each
 * once, in blocks that alternate. A round gives one ratio for p50 and one for p99; the interval is of the rounds'
 * ratios.
 */

import { join } from "node:path";
import { openLibrary, type Snapshot } from "../../engine/index.js";
import type { ColumnName } from "../../formats/index.js";
import { drawQuestions, type Repeats } from "../measure/draw-questions.js";
import { percentiles } from "../measure/samples.js";
import { allShapes, type Question } from "../shapes/index.js";
import { EngineSide, type ReadySide, SideRefused } from "./engine-side.js";
import { type Interval, medianInterval, type Verdict, verdictOf } from "./interval.js";

export interface CompareOptions {
	readonly rounds: number;
	/** Questions of a shape in a round. */
	readonly draws: number;
	readonly seed: number;
	/** Texts of which a shape's name contains one; none: all shapes. */
	readonly shape: readonly string[];
	/** Ratio of p50, B over A, beyond which a shape is slower; above 1. */
	readonly threshold: number;
	/** The same of p99. */
	readonly p99Threshold: number;
}

/** Both sides' medians over the rounds, in milliseconds, and the interval of the ratio B over A. */
export interface ComparedTimes {
	readonly a: number;
	readonly b: number;
	readonly ratio: Interval;
	readonly verdict: Verdict;
}

export interface ComparedShape {
	readonly shape: string;
	/** What of the questions was asked before, since the shape has fewer than draws. */
	readonly repeats: Repeats;
	readonly p50: ComparedTimes;
	readonly p99: ComparedTimes;
	/** Whether the responses of both sides have the same bytes. */
	readonly sameBytes: boolean;
}

export interface EngineComparison {
	readonly shapes: readonly ComparedShape[];
	/** Shapes that one side refuses, with its reason. */
	readonly refused: readonly { readonly shape: string; readonly reason: string }[];
}

/** Milliseconds at most that each side warms up with a shape, in each round; and for each question that counts. */
const WARM_UP_MS_MAX = 100;
const WARM_UP_MS_PER_DRAW = 2;
/** Questions asked of one side before the other side's turn. */
const BLOCK = 25;

/** What is asked of both sides, by shape. */
interface AskedShape {
	readonly shape: string;
	readonly repeats: Repeats;
	/** Of all rounds. */
	readonly questions: readonly Question[];
	readonly warming: readonly Question[];
}

type Sides = readonly [EngineSide, EngineSide];
type SideTimes = readonly [number[], number[]];

/** Runs all rounds. `told` receives progress messages. */
export async function compareEngines(
	sides: readonly [ReadySide, ReadySide],
	options: CompareOptions,
	told: (message: string) => void,
): Promise<EngineComparison> {
	const times = new Map<string, SideTimes[]>();
	const different = new Set<string>();
	const refused = new Map<string, string>();
	let asked: AskedShape[] | null = null;
	for (let round = 0; round < options.rounds; round++) {
		const pair = [await EngineSide.start(sides[0]), await EngineSide.start(sides[1])] as const;
		try {
			asked ??= askedShapes(openMonth(sides[1].data), pair, options);
			for (const shape of asked.filter(({ shape }) => !refused.has(shape))) {
				const measured = await measureRound(pair, shape, round, options.draws);
				if ("refused" in measured) refused.set(shape.shape, measured.refused);
				else times.set(shape.shape, [...(times.get(shape.shape) ?? []), measured.times]);
				if ("sameBytes" in measured && !measured.sameBytes) different.add(shape.shape);
			}
		} finally {
			for (const side of pair) await side.stop();
		}
		told(`round ${round + 1} of ${options.rounds}`);
		if (asked.every(({ shape }) => refused.has(shape))) break;
	}
	const shapes = (asked ?? [])
		.filter(({ shape }) => !refused.has(shape))
		.map(({ shape, repeats }): ComparedShape => {
			const rounds = times.get(shape) ?? [];
			const compared = (at: "p50" | "p99", threshold: number) =>
				comparedTimes(
					rounds.map((sidesOfRound) => sidesOfRound.map((ms) => percentiles(ms)[at])),
					threshold,
				);
			return {
				shape,
				repeats,
				p50: compared("p50", options.threshold),
				p99: compared("p99", options.p99Threshold),
				sameBytes: !different.has(shape),
			};
		});
	return { shapes, refused: [...refused].map(([shape, reason]) => ({ shape, reason })) };
}

/** Both sides' `rounds`, each a pair of times, as medians and the interval of their ratios. */
export function comparedTimes(rounds: readonly (readonly number[])[], threshold: number): ComparedTimes {
	const ratio = medianInterval(rounds.map(([a, b]) => b / a));
	const [a, b] = [0, 1].map((side) => medianInterval(rounds.map((pair) => pair[side])).median);
	return { a, b, ratio, verdict: verdictOf(ratio, threshold) };
}

function openMonth(dataFolder: string): Snapshot {
	const { latest, failed } = openLibrary({ dataFolder });
	for (const { error } of failed) throw error;
	if (latest === null) throw new Error(`${join(dataFolder)} has no published month`);
	return latest;
}

/** Questions for all rounds, of columns that both sides know. */
function askedShapes(snapshot: Snapshot, sides: Sides, options: CompareOptions): AskedShape[] {
	const [a, b] = sides.map(({ ready }) => ready);
	if (a.month !== b.month || a.rows !== b.rows)
		throw new Error(`the months differ: ${a.month} with ${a.rows} rows, ${b.month} with ${b.rows}`);
	const known = new Set<ColumnName>(a.columns.filter((column) => b.columns.includes(column)));
	return allShapes(snapshot, options.seed, options.shape).map((shape) => {
		const drawn = drawQuestions(shape, options.rounds * options.draws);
		const within = (question: Question) => withColumns(question, known);
		return {
			shape: shape.name,
			repeats: drawn.repeats,
			questions: drawn.questions.map(within),
			warming: drawn.warming.map(within),
		};
	});
}

function withColumns(question: Question, known: ReadonlySet<ColumnName>): Question {
	if (question.kind !== "list" && question.kind !== "row") return question;
	const { projection } = question;
	return {
		...question,
		projection: { ...projection, columns: projection.columns.filter((column) => known.has(column)) },
	};
}

/** Asks both sides the questions of one round, and then again for the bytes of the responses. */
async function measureRound(
	pair: Sides,
	{ questions, warming }: AskedShape,
	round: number,
	draws: number,
): Promise<{ times: SideTimes; sameBytes: boolean } | { refused: string }> {
	const order = {
		kind: "load",
		questions: questions.slice(round * draws, (round + 1) * draws),
		warming,
		warmMs: Math.min(WARM_UP_MS_MAX, draws * WARM_UP_MS_PER_DRAW),
	} as const;
	const times: SideTimes = [[], []];
	try {
		for (const side of pair) await side.ask(order, "done");
		for (let from = 0, block = 0; from < draws; from += BLOCK, block++) {
			// The first side alternates by block and round, so that a trend of the machine favours neither.
			const first = (block + round) % 2;
			for (const at of [first, 1 - first]) {
				const { ms } = await pair[at].ask({ kind: "time", from, to: from + BLOCK }, "times");
				times[at].push(...ms);
			}
		}
		const digests: number[] = [];
		for (const side of pair) digests.push((await side.ask({ kind: "digest" }, "digest")).crc);
		return { times, sameBytes: digests[0] === digests[1] };
	} catch (error) {
		if (error instanceof SideRefused) return { refused: error.message };
		throw error;
	}
}
