/**
 * Warms each side up before the first shape, with questions of all shapes, as a server does when it starts. Otherwise code
 * that few questions of a shape execute would be interpreted when they are timed.
 *
 * Invariant: the engine answers from another snapshot than the measured one, whose caches stay empty.
 */

import type { Snapshot } from "../../engine/index.js";
import type { Peer } from "../peers/peer.js";
import { allShapes, type Question } from "../shapes/index.js";
import { EngineSubject } from "./engine-subject.js";

/** The default of a server's `--warm-up-ms`. */
export const WARM_UP_MS = 2000;
/** Left out: over all rows a database takes seconds, so that one question would be the whole warm-up. */
const SLOW_KIND = "aggregate";

/** Asks each side questions of all shapes for `leastMs`; `fresh` is a snapshot that is not measured. */
export async function warmSides(
	fresh: Snapshot,
	seed: number,
	peers: readonly Peer[],
	leastMs = WARM_UP_MS,
): Promise<void> {
	const engine = new EngineSubject(fresh);
	await askMixed(async (question) => engine.respond(question));
	for (const peer of peers) await askMixed(async (question) => (await peer.prepare(question))());

	async function askMixed(ask: (question: Question) => Promise<unknown>): Promise<void> {
		// Before the time begins: on a busy machine, making them took all of it.
		const questions = mixed(allShapes(fresh, seed));
		const from = performance.now();
		do await ask(questions.next().value);
		while (performance.now() - from < leastMs);
	}
}

/** Questions of each shape in turn. */
function* mixed(shapes: ReturnType<typeof allShapes>): Generator<Question, never> {
	for (;;) {
		for (const shape of shapes) {
			const question = shape.draw();
			if (question.kind !== SLOW_KIND) yield question;
		}
	}
}
