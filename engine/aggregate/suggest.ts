/**
 * Type-ahead: distinct values that start with a prefix, most rows first (docs/API.md §7.7).
 *
 * A prefix is a range of dictionary codes. Within one state its values are stored with their rows counted
 * (formats/SNAPSHOT.md, stateValueCodes), and a prefix is a range of these: cost O(the state's values with the prefix).
 * Among all rows, a value's rows are all of its postings: cost O(values with the prefix). Otherwise, in several states and
 * in months without these sections, they are its postings within the runs in scope: cost O(granted values with the
 * prefix × runs × log rows).
 */

import { type ColumnName, columnNamed, type StateRun, type StateValues } from "../../formats/index.js";
import { countWithin, joinRuns, selectStates } from "../columns/runs.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import type { Filters, Geography } from "../query.js";
import type { Work } from "../scratch.js";

const NO_FILTERS: Filters = {};

export interface Suggestion {
	readonly value: string;
	readonly rows: number;
}

export interface SuggestRequest {
	/** A column with `suggest` in the column table. */
	readonly field: ColumnName;
	readonly prefix: string;
	/** Upper-case jurisdiction code; null for all. */
	readonly state: string | null;
	readonly limit: number;
	readonly geography: Geography | null;
}

/** Takes into `top` the values of a field that start with a prefix (folded), among the rows asked for. */
export function takeValues(
	top: TopValues,
	request: SuggestRequest,
	columns: SnapshotColumns,
	work: Work,
): void {
	const { field, prefix, state, geography } = request;
	const chosen = selectStates(columns.states, state === null ? NO_FILTERS : { state: [state] }, geography);
	const values = chosen.length === 1 ? columns.stateValues.get(columnNamed(field)) : null;
	if (chosen.length === columns.states.runs.length) takeAll(top, request, columns, work);
	else if (values === null) takePostings(top, request, chosen, columns, work);
	else takeStateValues(top, values, columns.states.numberOf(chosen[0].state), prefix, work);
}

/** Takes the values of the state with number `state` that start with a prefix. */
function takeStateValues(
	top: TopValues,
	values: StateValues,
	state: number,
	prefix: string,
	work: Work,
): void {
	const { codes, rows } = values;
	const { from, to } = values.prefixRange(state, prefix);
	work.add(to - from);
	for (let place = from; place < to; place++) {
		if (rows[place] > top.least) top.insert(codes[place], rows[place]);
	}
}

/** Takes the values of some states that start with a prefix. */
function takePostings(
	top: TopValues,
	{ field, prefix, geography }: SuggestRequest,
	states: readonly StateRun[],
	columns: SnapshotColumns,
	work: Work,
): void {
	const column = columnNamed(field);
	const codes = columns.dictionary.get(column).prefixRange(prefix);
	const { offsets, rows } = columns.postings.get(column);
	const granted = columns.granted.codes(column, geography);
	if (granted?.hasAny(codes) === false) return;
	const nextOf = (code: number) => granted?.next(code, codes.to) ?? code;
	const runs = joinRuns(states);
	for (let code = nextOf(codes.from); code < codes.to; code = nextOf(code + 1)) {
		work.add(1);
		const from = offsets[code];
		const to = offsets[code + 1];
		// In some runs a value has at most as many rows as in all, so most need no search.
		if (to - from <= top.least) continue;
		const count = countWithin(runs, rows, from, to);
		if (count > top.least) top.insert(code, count);
	}
}

/** Takes the values of all rows that start with a prefix. */
function takeAll(
	top: TopValues,
	{ field, prefix }: SuggestRequest,
	columns: SnapshotColumns,
	work: Work,
): void {
	const column = columnNamed(field);
	const { from, to } = columns.dictionary.get(column).prefixRange(prefix);
	const { offsets } = columns.postings.get(column);
	work.add(to - from);
	for (let code = from; code < to; code++) {
		const rows = offsets[code + 1] - offsets[code];
		if (rows > top.least) top.insert(code, rows);
	}
}

/** The values with the most rows of those inserted, by rows descending, then code; codes arrive in ascending order. */
export class TopValues {
	/** How many there are. */
	count = 0;
	/** Values with as many rows are not among the most frequent. */
	least = 0;
	/** The values' codes and rows, `count` of each. */
	codes = new Uint32Array(0);
	rows = new Uint32Array(0);
	private limit = 0;

	/** Empties it; `limit`: the most values that are kept. */
	reset(limit: number): void {
		if (limit > this.codes.length) {
			this.codes = new Uint32Array(limit);
			this.rows = new Uint32Array(limit);
		}
		this.limit = limit;
		this.count = 0;
		this.least = 0;
	}

	/** Inserts a value with more than {@link least} rows. Cost O(limit). */
	insert(code: number, rowCount: number): void {
		const { codes, rows, limit } = this;
		let at = this.count < limit ? this.count++ : limit - 1;
		for (; at > 0 && rows[at - 1] < rowCount; at--) {
			rows[at] = rows[at - 1];
			codes[at] = codes[at - 1];
		}
		rows[at] = rowCount;
		codes[at] = code;
		if (this.count === limit) this.least = rows[limit - 1];
	}
}
