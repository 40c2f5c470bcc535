/**
 * States by value: every licensing body has its own vocabulary, so a frequent status or type often
 * occurs in few states, or one. A value's rows ascend in its postings and a state is one run, so a few
 * binary searches find its states, and the rest of the query is narrowed to them.
 */

import { columnsFilteredBy, type StateRun } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { firstIndexAtLeast } from "../kernels/codes.js";
import { VALUE_ROWS_MIN, VALUE_STATES_MAX } from "../tuning.js";
import type { AskedCodes } from "./asked-codes.js";

/** Columns that have posting lists by value and filters that name one. */
const EXACTLY_FILTERED = columnsFilteredBy("exact", "group");

/**
 * Those of `states`, which ascend, that have rows of every frequent value asked for; all of them if a
 * value is in many states. Cost O(values × VALUE_STATES_MAX × log rows).
 */
export function statesOfValues(
	states: readonly StateRun[],
	resolved: readonly AskedCodes[],
	columns: SnapshotColumns,
): readonly StateRun[] {
	let left = states;
	for (const { column, codes, distinct } of resolved) {
		if (left.length <= 1) break;
		if (!EXACTLY_FILTERED.has(column.name) || codes.length !== 1) continue;
		const [{ from: code, to: codesEnd }] = codes;
		if (codesEnd - code !== 1 || code === distinct) continue;
		const { offsets, rows } = columns.postings.get(column);
		const from = offsets[code];
		const to = Math.min(offsets[code + 1], rows.length);
		if (to - from >= VALUE_ROWS_MIN) left = statesOfRows(left, rows, from, to);
	}
	return left;
}

/** Those of `states` that contain any of ascending rows[from, to); all of them if too many do. */
function statesOfRows(
	states: readonly StateRun[],
	rows: Uint32Array,
	from: number,
	to: number,
): readonly StateRun[] {
	const found: StateRun[] = [];
	let at = from;
	for (const state of states) {
		const end = state.first + state.rows;
		if (rows[at] >= end) continue;
		// The rows between belong to states that are not candidates.
		if (rows[at] < state.first) at = firstIndexAtLeast(rows, at, to, state.first);
		if (at === to) break;
		if (rows[at] >= end) continue;
		if (found.length === VALUE_STATES_MAX) return states;
		found.push(state);
		at = rows[to - 1] < end ? to : firstIndexAtLeast(rows, at, to, end);
		if (at === to) break;
	}
	return found;
}
