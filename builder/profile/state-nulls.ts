/** Rows without a value, by state and column: a column that one state lost is a small share of a whole month. */

import {
	type Codes,
	type Column,
	INPUT_COLUMNS,
	type SnapshotFiles,
	type StateRun,
	TEXT_COLUMNS,
} from "../../formats/index.js";
import { countBits } from "./churn.js";

/** By state and column, the rows without a value; those that have one in every row are left out. */
export type StateNulls = ReadonlyMap<string, ReadonlyMap<string, number>>;

/**
 * Cost of a column: O(rows / 32) where it is often empty, else O(empty rows) if it is sortable, and O(rows) of others and of
 * texts; nothing of one that is never empty.
 */
export function nullsByState(files: SnapshotFiles): StateNulls {
	const { states, rows } = files.catalog;
	const byState = new Map(states.map(({ state }) => [state, new Map<string, number>()]));
	for (const column of INPUT_COLUMNS) {
		const { nulls } = files.column(column);
		if (nulls === 0) continue;
		const counts = nulls === rows ? states.map((run) => run.rows) : nullsOfStates(files, column);
		for (const [i, count] of counts.entries()) {
			if (count > 0) byState.get(states[i].state)?.set(column.name, count);
		}
	}
	return byState;
}

function nullsOfStates(files: SnapshotFiles, column: Column): number[] {
	const { states } = files.catalog;
	if (TEXT_COLUMNS.includes(column)) {
		const { offsets } = files.text(column);
		return states.map((run) => countEmpty(offsets, run));
	}
	const { distinct, folds } = files.column(column);
	const bitmap = files.bitmaps(column)?.find(distinct) ?? null;
	if (bitmap !== null) return states.map((run) => countBits(bitmap, run));
	if (column.sortable) {
		const { rows, offsets } = files.permutation(column);
		return countListed(rows.subarray(offsets[folds]), states);
	}
	const codes = files.codes(column);
	return states.map((run) => countCode(codes, distinct, run));
}

/** How many of `rows`, which are ascending, are in each run. */
function countListed(rows: Uint32Array, runs: readonly StateRun[]): number[] {
	const counts = runs.map(() => 0);
	let at = 0;
	for (const row of rows) {
		while (row >= runs[at].first + runs[at].rows) at++;
		counts[at]++;
	}
	return counts;
}

function countEmpty(offsets: Uint32Array, { first, rows }: StateRun): number {
	let count = 0;
	for (let row = first; row < first + rows; row++) count += +(offsets[row] === offsets[row + 1]);
	return count;
}

function countCode(codes: Codes, code: number, { first, rows }: StateRun): number {
	let count = 0;
	for (let row = first; row < first + rows; row++) count += +(codes[row] === code);
	return count;
}
