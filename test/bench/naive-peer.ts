/**
 * A peer that answers by the naive scan, so that the benchmark's answers are checked where no database
 * is installed.
 */

import type { Peer, PreparedQuestion } from "../../bench/peers/peer.js";
import { type Answer, aggregateAnswer, countedKeys } from "../../bench/shapes/answers.js";
import { WHOLE_ROW } from "../../bench/shapes/named-shapes.js";
import type { Question } from "../../bench/shapes/question.js";
import type { Snapshot } from "../../engine/index.js";
import { naiveAggregate, naiveStats, naiveSuggest } from "../oracle/naive-aggregates.js";
import { NaiveMonth } from "../oracle/naive-query.js";
import { naiveCsv, naiveJson, naiveNdjson } from "../oracle/naive-render.js";
import type { NaiveRow } from "../oracle/naive-rows.js";

export class NaivePeer implements Peer {
	readonly name = "naive scan";
	readonly version = "1";

	private constructor(private readonly month: NaiveMonth) {}

	/** A naive month with the rows of `snapshot`. */
	static over(snapshot: Snapshot): NaivePeer {
		const rows = Array.from(
			{ length: snapshot.rows },
			(_, row) => snapshot.record(row, WHOLE_ROW) as NaiveRow,
		);
		return new NaivePeer(new NaiveMonth(snapshot.month, rows));
	}

	async prepare(question: Question): Promise<PreparedQuestion> {
		return async () => {
			const begun = performance.now();
			const answer = this.answer(question);
			return { milliseconds: performance.now() - begun, answer: () => answer };
		};
	}

	async close(): Promise<void> {}

	answer(question: Question): Answer {
		switch (question.kind) {
			case "list": {
				const { rows, total } = this.month.query(question.query);
				const render = { json: naiveJson, ndjson: naiveNdjson, csv: naiveCsv }[question.format];
				const text = render(rows, question.projection);
				const body = question.format === "json" ? `[${text}]` : text;
				return { total, keys: rows.map((row) => Number(row.id)), body };
			}
			case "row": {
				const rows = this.month.rows.filter((row) => row.id === question.id);
				return { total: null, keys: [question.id], body: naiveJson(rows, question.projection) };
			}
			case "stats": {
				const { rows, license_status } = naiveStats(this.month, question.geography);
				return { total: rows, keys: countedKeys(license_status) };
			}
			case "aggregate":
				return aggregateAnswer(
					naiveAggregate(this.month, question.request, question.filters, question.geography ?? null),
				);
			case "suggest":
				return { total: null, keys: countedKeys(naiveSuggest(this.month, question.request)) };
		}
	}
}
