/** Counts the rows of some offices by state from the postings of their names, without reading those of all others. */

import { columnNamed, type StateRun } from "../../formats/index.js";
import { contains, countRows, type Run } from "../columns/runs.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { firstIndexAtLeast } from "../kernels/codes.js";
import type { Plan } from "../plan/plan.js";
import { OFFICE_COUNT_ROWS } from "../tuning.js";
import type { TakeGroup } from "./group-rows.js";

/** Rows that are grouped in the time that the counters of one office take. */
const COUNTER_ROWS = 8;

/** Whether counting `offices` by {@link countNamedOffices} answers a plan, and sooner than grouping its rows does. */
export function arePostingsFaster(
	offices: number,
	{ predicates, runs }: Plan,
	columns: SnapshotColumns,
): boolean {
	const { distinct } = columns.dictionary.get(columnNamed("office_name"));
	// Grouping clears and reads the counters of all offices, each in the time of some rows.
	const grouped = countRows(runs) + COUNTER_ROWS * distinct;
	return predicates.length === 0 && offices * OFFICE_COUNT_ROWS <= grouped;
}

/**
 * Has each office and state with rows in `runs`, which are whole states, taken. Cost for each office: a binary search for
 * each state that has rows of it.
 */
export function countNamedOffices(
	offices: readonly number[],
	runs: readonly Run[],
	states: readonly StateRun[],
	columns: SnapshotColumns,
	take: TakeGroup,
): void {
	const stateCodes = columns.dictionary.get(columnNamed("state"));
	const selected = states.filter(({ rows, first }) => rows > 0 && contains(runs, first));
	const codes = selected.map(({ state }) => stateCodes.find(state));
	const firsts = Uint32Array.from(selected, ({ first }) => first);
	const ends = Uint32Array.from(selected, ({ first, rows }) => first + rows);
	const { offsets, rows } = columns.postings.get(columnNamed("office_name"));
	for (const office of offices) {
		const end = Math.min(offsets[office + 1], rows.length);
		for (let at = offsets[office]; at < end; ) {
			// The state of the row, or the first selected one after it.
			const state = firstIndexAtLeast(ends, 0, ends.length, rows[at] + 1);
			if (state === ends.length) break;
			const from = firstIndexAtLeast(rows, at, end, firsts[state]);
			at = firstIndexAtLeast(rows, from, end, ends[state]);
			if (from < at) take(office, codes[state], at - from);
		}
	}
}
