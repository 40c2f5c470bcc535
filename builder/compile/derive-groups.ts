/** Group columns: derives each row's group from its state and its value in the source column. Cost O(rows). */

import {
	decodeUtf8,
	type GroupColumn,
	type GroupTable,
	groupCodes,
	groupHeap,
	type StateRun,
} from "../../formats/index.js";
import type { MergedColumn } from "./merge-column.js";

/** The group column of `source`, in CSV order. `order` holds the CSV row at each position. */
export function deriveGroups(
	column: GroupColumn,
	source: MergedColumn,
	order: Uint32Array,
	states: readonly StateRun[],
	table: GroupTable,
): MergedColumn {
	const { heap, offsets, distinct } = source;
	const value = (code: number) => decodeUtf8(heap, offsets[code], offsets[code + 1]);
	const derived = groupCodes(
		column,
		{ codes: source.codes, distinct, value },
		states,
		table,
		(position) => order[position],
	);
	const codes = new Uint32Array(new SharedArrayBuffer(derived.codes.length * 4));
	codes.set(derived.codes);
	return {
		...groupHeap(derived.names),
		column: column.column,
		foldRanks: null,
		distinct: derived.names.length,
		folds: derived.names.length,
		codes,
		nulls: source.nulls,
	};
}
