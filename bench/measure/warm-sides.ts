/**
 * Warms the sides up before the first shape, with questions of all shapes, as a server does before its first request:
 * what few questions of a shape run would otherwise not have been compiled when they are timed.
 *
 * The engine answers from a snapshot of its own, so that the one which is measured has found nothing yet.
 */

import type { Snapshot } from "../../engine/index.js";
import type { Peer } from "../peers/peer.js";
import { allShapes, type Question } from "../shapes/index.js";
import { EngineSubject } from "./engine-subject.js";

/** As long as a server of its default settings. */
export const WARM_SIDES_MS = 2000;
/** Shapes over all rows of a month take databases up to seconds: one question would be the whole warm-up. */
const SLOW_KIND = "aggregate";

/** Asks each side questions of all shapes for `leastMs`; `fresh` is a snapshot that is not measured. */
export async function warmSides(
	fresh: Snapshot,
	seed: number,
	peers: readonly Peer[],
	leastMs = WARM_SIDES_MS,
): Promise<void> {
	const engine = new EngineSubject(fresh);
	await askMixed(async (question) => engine.respond(question));
	for (const peer of peers) await askMixed(async (question) => (await peer.prepare(question))());

	async function askMixed(ask: (question: Question) => Promise<unknown>): Promise<void> {
		const questions = mixed(fresh, seed);
		const from = performance.now();
		do await ask(questions.next().value);
		while (performance.now() - from < leastMs);
	}
}

/** Questions of each shape in turn. */
function* mixed(snapshot: Snapshot, seed: number): Generator<Question, never> {
	const shapes = allShapes(snapshot, seed);
	for (;;) {
		for (const shape of shapes) {
			const question = shape.draw();
			if (question.kind !== SLOW_KIND) yield question;
		}
	}
}
