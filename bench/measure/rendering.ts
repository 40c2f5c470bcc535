/**
 * Times rendering alone: pages whose rows are known, that no cache has. A question takes at least as long, however its rows
 * are found, so a peer that takes less than ten times as long bounds what finding them faster can gain.
 */

import { ByteSink, type Projection, type RowFormat, type Snapshot } from "../../engine/index.js";
import type { Question } from "../shapes/question.js";

/** Three times the third-level cache of a server's core complex: reading it leaves nothing of a page in the caches. */
const EVICTING_BYTES = 96 << 20;
/** Bytes of a cache line. */
const LINE_BYTES = 64;

/** Renders one page; its rows are known. */
type Render = () => void;

export class Rendering {
	private readonly evicting = new Uint8Array(EVICTING_BYTES).fill(1);
	/** Depends on every byte read, so that the compiler does not remove the reads. */
	private sum = 0;

	/** `sink` has what was rendered last. */
	constructor(
		private readonly snapshot: Snapshot,
		private readonly sink = new ByteSink(),
	) {}

	/**
	 * Milliseconds of rendering each question that is answered by rows; none for others. Renders `others` for `warmUpMs`
	 * before, so that its code is in the caches.
	 */
	times(questions: readonly Question[], others: Iterable<Question>, warmUpMs: number): number[] {
		const renders = this.rendersOf(questions);
		if (renders.length === 0) return [];
		const warming = this.rendersOf(others);
		for (let at = 0; at < EVICTING_BYTES; at += LINE_BYTES) this.sum ^= this.evicting[at];
		const from = performance.now();
		for (let i = 0; performance.now() - from < warmUpMs; i++) warming[i % warming.length]();
		return renders.map((render) => {
			const begun = performance.now();
			render();
			return performance.now() - begun;
		});
	}

	private rendersOf(questions: Iterable<Question>): Render[] {
		const renders: Render[] = [];
		for (const question of questions) {
			const render = this.renderOf(question);
			if (render !== null) renders.push(render);
		}
		return renders;
	}

	/** Finds the rows of a question; null where its answer is not of rows. */
	private renderOf(question: Question): Render | null {
		const { snapshot, sink } = this;
		switch (question.kind) {
			case "list": {
				const { query, projection, format } = question;
				const found = snapshot.query(query);
				const page = { ...found, rows: found.rows.slice() };
				if (format === "json")
					return () => {
						sink.reset();
						snapshot.renderList(page, projection, sink);
					};
				return this.rowsOf(page.rows, projection, format);
			}
			case "row":
				return this.rowsOf(Uint32Array.of(snapshot.rowOfId(question.id)), question.projection, "json");
			default:
				return null;
		}
	}

	private rowsOf(rows: Uint32Array, projection: Projection, format: RowFormat): Render {
		const { snapshot, sink } = this;
		return () => {
			sink.reset();
			snapshot.renderRows(rows, projection, format, sink);
		};
	}
}
