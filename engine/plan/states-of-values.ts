/**
 * States by value: every licensing body has its own vocabulary, so a frequent status or type often
 * occurs in few states, or one, and the rest of the query is narrowed to them.
 */

import { columnsFilteredBy, type StateRun } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { VALUE_ROWS_MIN, VALUE_STATES_MAX } from "../tuning.js";
import type { AskedCodes } from "./asked-codes.js";

/** Columns that have posting lists by value and filters that name one. */
const EXACTLY_FILTERED = columnsFilteredBy("exact", "group");

/**
 * Those of `states`, which ascend, that have rows of every frequent value asked for; all of them if these are too many. Two
 * values that are in many states each may have few in common. Cost O(values × states) where the values' states are known
 * (columns/value-states.ts).
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
		const count = Math.min(offsets[code + 1], rows.length) - offsets[code];
		if (count >= VALUE_ROWS_MIN) left = commonStates(left, columns.valueStates.get(column).of(code));
	}
	return left.length > VALUE_STATES_MAX ? states : left;
}

/** Those of `states` that are in `found` too, both ascending. */
function commonStates(states: readonly StateRun[], found: readonly StateRun[]): readonly StateRun[] {
	const common: StateRun[] = [];
	let at = 0;
	for (const state of states) {
		while (at < found.length && found[at].first < state.first) at++;
		if (at === found.length) break;
		if (found[at].first === state.first) common.push(state);
	}
	return common;
}
