/**
 * The states in which most rows, though not all, have no value of a column: a filter on it finds the rows of the few that
 * have one, which may be those of one of several licensing bodies of the state.
 */

import type { StateRun } from "../../formats/index.js";
import { countRun } from "../kernels/bitmap.js";
import type { MissingRows } from "./missing-rows.js";

export interface SparseState {
	readonly run: StateRun;
	/** Rows without a value: more than half. */
	readonly missing: number;
}

/** Cost O(rows / 32). */
export function findSparseStates(
	{ words }: MissingRows,
	states: readonly StateRun[],
): readonly SparseState[] {
	return states
		.map((run) => ({ run, missing: countRun(words, run.first, run.first + run.rows) }))
		.filter(({ run, missing }) => missing * 2 > run.rows && missing < run.rows);
}
