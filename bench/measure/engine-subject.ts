/** The engine as the benchmark runs it: from a question to the bytes of the response, in one thread. */

import { ByteSink, type Snapshot, type Stats } from "../../engine/index.js";
import { aggregateAnswer } from "../shapes/aggregate-shapes.js";
import {
	type Answer,
	type AnyQuestion,
	KEY_SEPARATOR,
	type Question,
	rowsInJson,
} from "../shapes/question.js";
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

	/** The response as text. */
	private text(question: Question): string {
		const bytes = this.respond(question);
		return this.sink.bytes.toString("utf8", 0, bytes);
	}

	/** The answer, for comparison. */
	answer(question: Question): Answer {
		const { snapshot } = this;
		switch (question.kind) {
			case "list": {
				const page = snapshot.query(question.query);
				const first = Number(snapshot.value(0, "id"));
				const keys = Array.from(page.rows, (row) => first + row);
				const text = this.text(question);
				return { total: page.total, keys, body: question.format === "json" ? rowsInJson(text) : text };
			}
			case "row":
				return { total: null, keys: [Number(snapshot.value(snapshot.rowOfId(question.id), "id"))] };
			case "stats": {
				const { rows, license_status } = (JSON.parse(this.text(question)) as { data: Stats }).data;
				return { total: rows, keys: license_status.map((s) => `${s.value}${KEY_SEPARATOR}${s.rows}`) };
			}
			case "aggregate":
				return aggregateAnswer(
					snapshot.aggregate(question.request, question.filters, question.geography ?? null),
				);
			case "suggest": {
				const found = snapshot.suggestions.of(question.request);
				return { total: null, keys: found.map((s) => `${s.value}${KEY_SEPARATOR}${s.rows}`) };
			}
		}
	}
}
