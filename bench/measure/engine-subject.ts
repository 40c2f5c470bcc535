/** The engine as the benchmark runs it: from a question to the bytes of the response, in one thread. */

import { ByteSink, type Snapshot } from "../../engine/index.js";
import { aggregateAnswer } from "../shapes/aggregate-shapes.js";
import { WHOLE_ROW } from "../shapes/named-shapes.js";
import { type Answer, KEY_SEPARATOR, type Question } from "../shapes/question.js";

export class EngineSubject {
	private readonly sink = new ByteSink();

	constructor(readonly snapshot: Snapshot) {}

	/** Renders the response; returns its bytes. This is what is timed. */
	respond(question: Question): number {
		const { snapshot, sink } = this;
		sink.reset();
		switch (question.kind) {
			case "list": {
				const page = snapshot.query(question.query);
				if (question.format === "json") snapshot.renderList(page, question.projection, sink);
				else snapshot.renderRows(page.rows, question.projection, question.format, sink);
				return sink.length;
			}
			case "row":
				snapshot.renderRows(Uint32Array.of(snapshot.rowOfId(question.id)), WHOLE_ROW, "json", sink);
				return sink.length;
			case "stats":
				sink.text(JSON.stringify({ data: snapshot.stats(question.geography) }));
				return sink.length;
			case "aggregate":
				sink.text(JSON.stringify({ data: snapshot.aggregate(question.request, question.filters, null) }));
				return sink.length;
			case "suggest":
				sink.text(JSON.stringify({ data: snapshot.suggest(question.request) }));
				return sink.length;
		}
	}

	/** Milliseconds of one response. */
	time(question: Question): number {
		const begun = performance.now();
		this.respond(question);
		return performance.now() - begun;
	}

	/** The answer, for comparison. */
	answer(question: Question): Answer {
		const { snapshot } = this;
		switch (question.kind) {
			case "list": {
				const page = snapshot.query(question.query);
				const first = Number(snapshot.value(0, "id"));
				return { total: page.total, keys: Array.from(page.rows, (row) => first + row) };
			}
			case "row":
				return { total: null, keys: [Number(snapshot.value(snapshot.rowOfId(question.id), "id"))] };
			case "stats": {
				const { rows, license_status } = snapshot.stats(question.geography);
				return { total: rows, keys: license_status.map((s) => `${s.value}${KEY_SEPARATOR}${s.rows}`) };
			}
			case "aggregate":
				return aggregateAnswer(snapshot.aggregate(question.request, question.filters, null));
			case "suggest": {
				const found = snapshot.suggest(question.request);
				return { total: null, keys: found.map((s) => `${s.value}${KEY_SEPARATOR}${s.rows}`) };
			}
		}
	}
}
