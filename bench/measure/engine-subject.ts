/** The engine as the benchmark runs it: from a question to the bytes of the response, in one thread. */

import { ByteSink, type Snapshot } from "../../engine/index.js";
import { type Answer, answerOf } from "../shapes/answers.js";
import type { AnyQuestion, Question } from "../shapes/question.js";
import { respond } from "./respond.js";

export class EngineSubject {
	private readonly sink = new ByteSink();

	constructor(readonly snapshot: Snapshot) {}

	/** Renders the response; returns its bytes. This is what is timed. */
	respond(question: AnyQuestion): number {
		return respond(this.snapshot, question, this.sink);
	}

	/** Milliseconds of one response. */
	time(question: AnyQuestion): number {
		const begun = performance.now();
		this.respond(question);
		return performance.now() - begun;
	}

	/** The answer, read from the response, for comparison. */
	answer(question: Question): Answer {
		const bytes = this.respond(question);
		const text = this.sink.bytes.toString("utf8", 0, bytes);
		switch (question.kind) {
			case "list":
				return answerOf(question, text, this.snapshot.query(question.query).total);
			case "row":
				// Rendered without what surrounds it, which is not of the engine.
				return answerOf(question, `{"data":${text}}`, null);
			default:
				return answerOf(question, text, null);
		}
	}
}
