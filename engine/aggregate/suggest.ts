/**
 * Type-ahead: distinct values that start with a prefix, most rows first (docs/API.md §7.7).
 *
 * A prefix is a range of dictionary codes; a value's rows are its postings, clipped to the runs in
 * scope. Cost O(granted values with the prefix × runs × log rows).
 */

import { type ColumnName, columnNamed } from "../../formats/index.js";
import { countWithin, type Run } from "../columns/runs.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import type { Geography } from "../query.js";
import type { Work } from "../scratch.js";

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

/** The most frequent values of a field that start with a prefix (folded), among the rows of `runs`. */
export function suggestValues(
	{ field, prefix, limit, geography }: SuggestRequest,
	runs: readonly Run[],
	columns: SnapshotColumns,
	work: Work,
): Suggestion[] {
	const column = columnNamed(field);
	const dictionary = columns.dictionary.get(column);
	const { offsets, rows } = columns.postings.get(column);
	const codes = dictionary.prefixRange(prefix);
	const granted = columns.granted.codes(column, geography);
	if (granted?.hasAny(codes) === false) return [];
	const nextOf = (code: number) => granted?.next(code, codes.to) ?? code;
	const whole = runs.length === 1 && runs[0].from === 0 && runs[0].to === columns.rows;
	const best: { code: number; rows: number }[] = [];
	for (let code = nextOf(codes.from); code < codes.to; code = nextOf(code + 1)) {
		work.add(1);
		const from = offsets[code];
		const to = offsets[code + 1];
		// In some runs a value has at most as many rows as in all, so most need no search.
		if (best.length === limit && best[limit - 1].rows >= to - from) continue;
		const count = whole ? to - from : countWithin(runs, rows, from, to);
		if (count > 0) insert(best, code, count, limit);
	}
	return best.map((entry) => ({ value: dictionary.value(entry.code) as string, rows: entry.rows }));
}

/**
 * Inserts into `best`, the `limit` largest by (rows descending, code ascending); codes arrive in
 * ascending order.
 */
function insert(best: { code: number; rows: number }[], code: number, rows: number, limit: number): void {
	if (best.length === limit && best[limit - 1].rows >= rows) return;
	let at = best.length;
	while (at > 0 && best[at - 1].rows < rows) at--;
	best.splice(at, 0, { code, rows });
	if (best.length > limit) best.pop();
}
