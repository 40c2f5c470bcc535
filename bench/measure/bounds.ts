/**
 * Times two parts of a question's time, which bound what a faster engine could gain: rendering alone, of pages whose rows are
 * known and that no cache has, and the whole question asked again at once, when caches have all that it reads. However its
 * rows are found, it takes the first; however fast memory is, it takes the second.
 *
 * Invariant: nothing of it is asked of the measured snapshot.
 */

import { ByteSink, type Projection, type RowFormat, type Snapshot } from "../../engine/index.js";
import type { Question } from "../shapes/question.js";
import { EngineSubject } from "./engine-subject.js";

/** Three times the third-level cache of a server's core complex: reading it leaves nothing of a page in the caches. */
const EVICTING_BYTES = 96 << 20;
/** Bytes of a cache line. */
const LINE_BYTES = 64;

/** Times that a question is asked before it is asked again. */
const ASKED_BEFORE = 2;

/** Milliseconds. */
export interface BoundTimes {
	/** Rendering alone, of each question that is answered by rows. */
	readonly rendering: readonly number[];
	/** Asking again, of each question. */
	readonly again: readonly number[];
}

/** Renders one page into the sink; its rows are known. */
export type Render = () => void;

export class Bounds {
	private readonly engine: EngineSubject;
	private readonly evicting = new Uint8Array(EVICTING_BYTES).fill(1);
	/** Depends on every byte read, so that the compiler does not remove the reads. */
	private sum = 0;

	/** `sink` receives rendered pages. */
	constructor(
		private readonly snapshot: Snapshot,
		private readonly sink = new ByteSink(),
	) {
		this.engine = new EngineSubject(snapshot);
	}

	/** Both times of questions. Answers `others` for `warmUpMs` before each, so that its code is in the caches. */
	times(questions: readonly Question[], others: readonly Question[], warmUpMs: number): BoundTimes {
		const renders = this.rendersOf(questions);
		const warming = this.rendersOf(others);
		for (let at = 0; at < EVICTING_BYTES; at += LINE_BYTES) this.sum ^= this.evicting[at];
		if (renders.length > 0) repeat(warming, warmUpMs);
		const rendering = renders.map(timed);
		const { engine } = this;
		repeat(
			others.map((other) => () => engine.respond(other)),
			warmUpMs,
		);
		const again = questions.map((question) => {
			for (let i = 0; i < ASKED_BEFORE; i++) engine.respond(question);
			return engine.time(question);
		});
		return { rendering, again };
	}

	private rendersOf(questions: Iterable<Question>): Render[] {
		const renders: Render[] = [];
		for (const question of questions) {
			const render = this.renderOf(question);
			if (render !== null) renders.push(render);
		}
		return renders;
	}

	/** Finds the rows of a question; returns what renders them, null where its answer is not of rows. */
	renderOf(question: Question): Render | null {
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

/** Runs `works` in turn for `leastMs`. */
function repeat(works: readonly (() => void)[], leastMs: number): void {
	const from = performance.now();
	for (let i = 0; performance.now() - from < leastMs; i++) works[i % works.length]();
}

function timed(work: () => void): number {
	const begun = performance.now();
	work();
	return performance.now() - begun;
}
