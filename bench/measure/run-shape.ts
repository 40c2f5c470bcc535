/**
 * Measures one shape: the same draws are executed by the engine and by every peer, and each answer is compared
 * before its time counts. A draw that no peer had time for does not count for the engine either.
 */

import type { Snapshot } from "../../engine/index.js";
import type { Peer } from "../peers/peer.js";
import { type Answer, describe, differenceOf, type Question, type Shape } from "../shapes/question.js";
import { allocatedBytes } from "./allocation.js";
import { EngineSubject } from "./engine-subject.js";
import { type Percentiles, percentiles } from "./samples.js";

export interface PeerFigures extends Percentiles {
	readonly name: string;
}

export interface ShapeFigures {
	readonly shape: string;
	readonly about: string;
	/** Milliseconds of the engine, with its memory mapped and touched and its code compiled. */
	readonly engine: Percentiles;
	/** Milliseconds of the first question over a new mapping of files in the page cache. */
	readonly firstTouchMs: number;
	/** Answers compared with at least one peer's. */
	readonly compared: number;
	/** Bytes allocated per question: median and maximum. */
	readonly allocated: { readonly median: number; readonly most: number } | null;
	/** Elements of codes, orders and bitmaps read per question: median. */
	readonly scanned: number;
	/** Bytes of a response: median. */
	readonly bytes: number;
	readonly peers: readonly PeerFigures[];
	/** The best peer and the engine's speed-up over it; null if there was no peer. */
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
	/**
	 * Executions of each draw, by the engine and, within their seconds, by peers. The minimum of a draw counts,
	 * which removes noise.
	 */
	readonly repeats: number;
}

/** Milliseconds of warm-up for the engine, so that its code is compiled. */
const WARM_UP_MS = 300;

/** Draws that a peer executes regardless of time. */
const PEER_DRAWS_MIN = 5;

/** Measures `shape` on `snapshot`; `fresh` opens the same month over new mappings. */
export async function runShape(
	shape: Shape,
	snapshot: Snapshot,
	fresh: () => Snapshot,
	peers: readonly Peer[],
	options: RunOptions,
): Promise<ShapeFigures> {
	const questions = Array.from({ length: options.draws }, () => shape.draw());
	const engine = new EngineSubject(snapshot);
	const firstTouchMs = new EngineSubject(fresh()).time(questions[0]);
	const answers = questions.map((question) => engine.answer(question));
	const compared = new Set<number>();
	const figures: PeerFigures[] = [];
	for (const peer of peers)
		figures.push(await runPeer(shape.name, peer, questions, answers, compared, options));
	const counted = peers.length === 0 ? questions : questions.filter((_, i) => compared.has(i));
	const measured = measureEngine(engine, counted, options.repeats);
	return {
		shape: shape.name,
		about: shape.about,
		firstTouchMs,
		compared: compared.size,
		...measured,
		peers: figures,
		best: bestOf(figures, measured.engine),
	};
}

async function runPeer(
	shape: string,
	peer: Peer,
	questions: readonly Question[],
	answers: readonly Answer[],
	compared: Set<number>,
	options: RunOptions,
): Promise<PeerFigures> {
	// The first draw is executed twice: planning and cache misses of a peer's first run are not its speed.
	await peer.ask(questions[0]);
	const deadline = performance.now() + options.peerSeconds * 1000;
	const least: number[] = [];
	for (let asked = 0; asked < questions.length * options.repeats; asked++) {
		if (asked >= PEER_DRAWS_MIN && performance.now() > deadline) break;
		const i = asked % questions.length;
		const { answer, milliseconds } = await peer.ask(questions[i]);
		const difference = differenceOf(answers[i], answer);
		if (difference !== null) throw new WrongAnswer(shape, questions[i], peer.name, difference);
		compared.add(i);
		least[i] = Math.min(least[i] ?? Number.POSITIVE_INFINITY, milliseconds);
	}
	return { name: peer.name, ...percentiles(least) };
}

function measureEngine(engine: EngineSubject, questions: readonly Question[], repeats: number) {
	const warmFrom = performance.now();
	do {
		for (const question of questions) engine.respond(question);
	} while (performance.now() - warmFrom < WARM_UP_MS);
	const least = questions.map(() => Number.POSITIVE_INFINITY);
	for (let repeat = 0; repeat < repeats; repeat++) {
		questions.forEach((question, i) => {
			least[i] = Math.min(least[i], engine.time(question));
		});
	}
	const sizes = questions.map((question) => engine.respond(question));
	const scanned = questions.map((question) => {
		engine.snapshot.work.reset();
		engine.respond(question);
		return engine.snapshot.work.elements;
	});
	return {
		engine: percentiles(least),
		bytes: percentiles(sizes).p50,
		scanned: percentiles(scanned).p50,
		allocated: allocatedBytes(questions.map((question) => () => engine.respond(question))),
	};
}

function bestOf(peers: readonly PeerFigures[], engine: Percentiles): ShapeFigures["best"] {
	if (peers.length === 0) return null;
	const ratio = (at: "p50" | "p99"): Ratio => {
		const best = peers.reduce((a, b) => (b[at] < a[at] ? b : a));
		return { peer: best.name, times: best[at] / engine[at] };
	};
	return { p50: ratio("p50"), p99: ratio("p99") };
}
