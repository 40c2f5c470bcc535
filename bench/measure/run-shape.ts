/**
 * Measures one shape: the engine and every peer are asked the same questions, each once, in rounds. In a round each side
 * has its turn, and another side begins than in the round before; a turn asks its questions one after the other, and the
 * answers are compared when all sides had theirs. Every time counts: there is no best of several. A question that no peer
 * had time for does not count for the engine either, and each peer's ratio is of the questions that it was asked.
 *
 * All sides warm up with the same other questions. Where a shape has too few questions, or too few selections, its figures
 * say which were asked before.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { Snapshot } from "../../engine/index.js";
import { hugePageBytes } from "../../formats/index.js";
import type { Peer, PreparedQuestion, TimedResponse } from "../peers/peer.js";
import { type Answer, differenceOf } from "../shapes/answers.js";
import { describe, type Question, type Shape } from "../shapes/question.js";
import { allocatedBytes } from "./allocation.js";
import type { Bounds } from "./bounds.js";
import { drawQuestions, type Repeats } from "./draw-questions.js";
import { EngineSubject } from "./engine-subject.js";
import type { MemoryAccess } from "./memory-access.js";
import { type Percentiles, percentiles } from "./samples.js";

export interface PeerFigures extends Percentiles {
	readonly name: string;
	/** Milliseconds of the engine for the questions that this peer was asked, which is what ratios are of. */
	readonly engine: Percentiles;
}

export interface ShapeFigures {
	readonly shape: string;
	readonly about: string;
	/** Milliseconds of the engine, with its memory mapped and its code compiled. */
	readonly engine: Percentiles;
	/** What of the questions was asked before, since the shape has fewer than draws. */
	readonly repeats: Repeats;
	/** Milliseconds of the first question over a new mapping of files in the page cache. */
	readonly firstTouchMs: number;
	/** Milliseconds of one access to memory ({@link MemoryAccess}) in the same rounds; null: not measured. */
	readonly access: Percentiles | null;
	/** Milliseconds of rendering alone ({@link Bounds}); null: not measured, or the answers are not of rows. */
	readonly rendering: Percentiles | null;
	/** Milliseconds of asking again at once ({@link Bounds}); null: not measured. */
	readonly again: Percentiles | null;
	/** Answers compared with at least one peer's. */
	readonly compared: number;
	/** Bytes allocated per question: median and maximum. */
	readonly allocated: { readonly median: number; readonly most: number } | null;
	/** Elements of codes, orders and bitmaps read per question: median. */
	readonly scanned: number;
	/** Bytes of a response: median. */
	readonly bytes: number;
	readonly peers: readonly PeerFigures[];
	/** The peer that the engine's speed-up is smallest over, and that speed-up; null if there was no peer. */
	readonly best: { readonly p50: Ratio; readonly p99: Ratio } | null;
}

export interface Ratio {
	readonly peer: string;
	readonly times: number;
}

/** The engine or a peer gave a wrong answer. */
export class WrongAnswer extends Error {
	constructor(shape: string, question: Question, peer: string, difference: string) {
		super(`${shape}: the engine and ${peer} disagree: ${difference}; asked ${describe(question)}`);
		this.name = "WrongAnswer";
	}
}

export interface RunOptions {
	readonly draws: number;
	/** Maximum seconds per peer and shape. */
	readonly peerSeconds: number;
	/** What an access to memory is measured by. */
	readonly access?: MemoryAccess | null;
	/** What rendering alone and asking again are measured by. */
	readonly bounds?: Bounds | null;
}

/**
 * Milliseconds of warm-up for each side: V8 compiles much of what a page of 1,000 rows runs in the first second only, and
 * a server warms itself up for two.
 */
const WARM_UP_MS_MAX = 1000;
/** Milliseconds of warm-up for each question that counts: a few questions check answers, and measure nothing. */
const WARM_UP_MS_PER_DRAW = 10;
/** Questions that a peer is asked regardless of time. */
const PEER_DRAWS_MIN = 5;
/** Questions of a round. */
const ROUND_DRAWS = 20;
/**
 * Milliseconds for which each side answers other questions before its turn in a round. The other sides' turns take up
 * to seconds, after which a processor that has idled or done something else begins with cold caches. A side whose
 * questions take longer than that is not slowed by it, and goes on at once.
 */
const TURN_WARM_UP_MS = 30;
/** Other questions of a round before those whose bounds count. */
const BOUND_OTHERS = 20;
/** More than the copy of a huge page takes. */
const COPYING_MS = 100;

/** Measures `shape` on `snapshot`; `fresh` opens the same month anew. */
export async function runShape(
	shape: Shape,
	snapshot: Snapshot,
	fresh: () => Snapshot,
	peers: readonly Peer[],
	options: RunOptions,
): Promise<ShapeFigures> {
	const { questions, warming, repeats } = drawQuestions(shape, options.draws);
	const engine = new EngineSubject(snapshot);
	const firstTouchMs = new EngineSubject(fresh()).time(questions[0]);
	const warmUpMs = Math.min(WARM_UP_MS_MAX, options.draws * WARM_UP_MS_PER_DRAW);
	const turnWarmUpMs = Math.min(TURN_WARM_UP_MS, warmUpMs);
	const own = new EngineRun(engine, endless(warming), options.access ?? null);
	own.warmUp(warmUpMs);
	await untilCopied();
	const runs = peers
		.filter((peer) => peer.differs?.(questions[0]) ?? true)
		.map((peer) => new PeerRun(shape.name, peer, endless(warming), options.peerSeconds * 1000));
	for (const run of runs) await run.warmUp(warmUpMs);
	const rendering: number[] = [];
	const again: number[] = [];
	const others = endless(warming);
	const sides: readonly (EngineRun | PeerRun)[] = [own, ...runs];
	for (let from = 0; from < questions.length; from += ROUND_DRAWS) {
		const round = questions.slice(from, from + ROUND_DRAWS);
		for (const i of sides.keys()) {
			const side = sides[(i + from / ROUND_DRAWS) % sides.length];
			await side.turn(round, turnWarmUpMs);
		}
		const answers = round.map((question) => engine.answer(question));
		for (const run of runs) run.compare(round, answers);
		const bounds = options.bounds?.times(round, take(others, BOUND_OTHERS), turnWarmUpMs);
		rendering.push(...(bounds?.rendering ?? []));
		again.push(...(bounds?.again ?? []));
	}
	const { times, accesses } = own;
	const compared = Math.max(0, ...runs.map((run) => run.times.length));
	const counted = percentiles(peers.length === 0 ? times : times.slice(0, compared));
	const figures = runs.map(
		(run): PeerFigures => ({
			name: run.peer.name,
			...percentiles(run.times),
			engine: percentiles(times.slice(0, run.times.length)),
		}),
	);
	return {
		shape: shape.name,
		about: shape.about,
		engine: counted,
		repeats,
		firstTouchMs,
		access: percentilesOf(accesses),
		rendering: percentilesOf(rendering),
		again: percentilesOf(again),
		compared,
		...measureCost(engine, questions),
		peers: figures,
		best: bestOf(figures),
	};
}

/** Resolves when no file is being copied into huge pages any more: a server has done so in its first seconds. */
async function untilCopied(): Promise<void> {
	let before: number;
	do {
		before = hugePageBytes();
		await delay(COPYING_MS);
	} while (hugePageBytes() !== before);
}

/** `questions` in order, again and again. */
function* endless(questions: readonly Question[]): Generator<Question, never> {
	for (let i = 0; ; i++) yield questions[i % questions.length];
}

function percentilesOf(times: readonly number[]): Percentiles | null {
	return times.length === 0 ? null : percentiles(times);
}

/** The next `count` of a generator's questions. */
function take(questions: Generator<Question, never>, count: number): Question[] {
	return Array.from({ length: count }, () => questions.next().value);
}

/** The engine's times of the questions of one shape. */
class EngineRun {
	/** Milliseconds of each question, in order. */
	readonly times: number[] = [];
	/** Milliseconds of an access to memory after each turn, as often as questions were asked. */
	readonly accesses: number[] = [];

	constructor(
		private readonly engine: EngineSubject,
		private readonly others: Generator<Question, never>,
		private readonly access: MemoryAccess | null,
	) {}

	/** Answers other questions for `leastMs`. */
	warmUp(leastMs: number): void {
		const from = performance.now();
		do this.engine.respond(this.others.next().value);
		while (performance.now() - from < leastMs);
	}

	async turn(questions: readonly Question[], warmUpMs: number): Promise<void> {
		this.warmUp(warmUpMs);
		for (const question of questions) this.times.push(this.engine.time(question));
		const { access } = this;
		if (access !== null) this.accesses.push(...questions.map(() => access.time()));
	}
}

/** A peer's answers to the questions of one shape. */
class PeerRun {
	/** Milliseconds of each question asked, in order. */
	readonly times: number[] = [];
	/** The answers of the turn that was last, unread. */
	private answers: TimedResponse["answer"][] = [];
	private lastMs = 0;
	private spentMs = 0;

	constructor(
		private readonly shape: string,
		readonly peer: Peer,
		private readonly others: Generator<Question, never>,
		private readonly mostMs: number,
	) {}

	/** Answers other questions for `leastMs`. */
	async warmUp(leastMs: number): Promise<void> {
		const from = performance.now();
		do this.lastMs = (await (await this.peer.prepare(this.others.next().value))()).milliseconds;
		while (performance.now() - from < leastMs);
	}

	/** Asks the questions, as many as there is time for. */
	async turn(questions: readonly Question[], warmUpMs: number): Promise<void> {
		this.answers = [];
		if (this.isSpent) return;
		const prepared: PreparedQuestion[] = [];
		for (const question of questions) prepared.push(await this.peer.prepare(question));
		if (this.lastMs < warmUpMs) await this.warmUp(warmUpMs);
		for (const ask of prepared) {
			if (this.isSpent) return;
			const { answer, milliseconds } = await ask();
			this.answers.push(answer);
			this.times.push(milliseconds);
			this.lastMs = milliseconds;
			this.spentMs += milliseconds;
		}
	}

	/** Whether the peer has had its time. */
	private get isSpent(): boolean {
		return this.times.length >= PEER_DRAWS_MIN && this.spentMs > this.mostMs;
	}

	/** Throws WrongAnswer where an answer of the last turn is not the engine's. */
	compare(questions: readonly Question[], answers: readonly Answer[]): void {
		for (const [i, answer] of this.answers.entries()) {
			const difference = differenceOf(answers[i], answer());
			if (difference !== null) throw new WrongAnswer(this.shape, questions[i], this.peer.name, difference);
		}
	}
}

/** What the questions cost beside time. */
function measureCost(engine: EngineSubject, questions: readonly Question[]) {
	const sizes = questions.map((question) => engine.respond(question));
	const scanned = questions.map((question) => {
		engine.snapshot.work.reset();
		engine.respond(question);
		return engine.snapshot.work.elements;
	});
	return {
		bytes: percentiles(sizes).p50,
		scanned: percentiles(scanned).p50,
		allocated: allocatedBytes(questions.map((question) => () => engine.respond(question))),
	};
}

function bestOf(peers: readonly PeerFigures[]): ShapeFigures["best"] {
	if (peers.length === 0) return null;
	const ratio = (at: "p50" | "p99"): Ratio => {
		const ratios = peers.map((peer): Ratio => ({ peer: peer.name, times: peer[at] / peer.engine[at] }));
		return ratios.reduce((a, b) => (b.times < a.times ? b : a));
	};
	return { p50: ratio("p50"), p99: ratio("p99") };
}
