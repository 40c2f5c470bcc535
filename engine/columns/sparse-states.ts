/**
 * The states in which most rows, though not all, have no value of a column: a filter on it finds the rows of the few that
 * have one, which may be those of one of several licensing bodies of the state.
 */

import { bitmapWords, COLUMNS, type Column, type StateRun } from "../../formats/index.js";
import { countRun } from "../kernels/bitmap.js";
import { finishWork, type SlicedWork } from "../sliced-work.js";
import { type MissingSections, markMissing } from "./missing-rows.js";

export interface SparseState {
	readonly run: StateRun;
	/** Rows without a value: more than half. */
	readonly missing: number;
}

/** Rows that are read at a step, a multiple of those in a word: a fraction of a millisecond. */
const STEP_ROWS = 1 << 19;

export class SparseStates {
	/** By column's code. */
	private readonly found: (readonly SparseState[] | undefined)[] = [];

	constructor(
		private readonly sections: MissingSections,
		private readonly rows: number,
		private readonly states: readonly StateRun[],
	) {}

	/** Those of a column. Cost O(rows) once, one to three milliseconds for 2.5 million. */
	get(column: Column): readonly SparseState[] {
		// The bitmaps are not kept: few filters need them.
		this.found[column.code] ??= finishWork(this.find(column, new Uint32Array(bitmapWords(this.rows))));
		return this.found[column.code] as readonly SparseState[];
	}

	/** Finds those of every column that a row may have no value of, in slices. Changes no answer. Cost O(rows × columns). */
	*prepare(): Generator<void, void> {
		const words = new Uint32Array(bitmapWords(this.rows));
		for (const column of COLUMNS) {
			if (column.kind === "id" || column.kind === "snapshot" || this.found[column.code] !== undefined)
				continue;
			this.found[column.code] = yield* this.find(column, words.fill(0));
		}
	}

	/** `words`: as many as a bitmap of rows has, none of whose bits is set. */
	private *find(column: Column, words: Uint32Array): SlicedWork<readonly SparseState[]> {
		for (let from = 0; from < this.rows; from += STEP_ROWS) {
			const to = Math.min(this.rows, from + STEP_ROWS);
			markMissing(column, this.sections, { from, to }, words);
			yield;
		}
		const sparse: SparseState[] = [];
		let left = STEP_ROWS;
		for (const run of this.states) {
			const missing = countRun(words, run.first, run.first + run.rows);
			if (missing * 2 > run.rows && missing < run.rows) sparse.push({ run, missing });
			left -= run.rows;
			if (left > 0) continue;
			left = STEP_ROWS;
			yield;
		}
		return sparse;
	}
}
