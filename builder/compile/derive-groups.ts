/** Group columns: derives each row's group from its state and its value in the source column. Cost O(rows). */

import { decodeUtf8, type GroupColumn, type GroupTable, groupCodes, groupHeap } from "../../formats/index.js";
import type { MergedColumn } from "./merge-column.js";

/** The group column of `source`, in CSV order. `state` is the column of states. */
export function deriveGroups(
	column: GroupColumn,
	source: MergedColumn,
	state: MergedColumn,
	table: GroupTable,
): MergedColumn {
	const textOf = ({ heap, offsets }: MergedColumn, code: number) =>
		decodeUtf8(heap, offsets[code], offsets[code + 1]);
	const { codes: sourceCodes, distinct } = source;
	const value = (code: number) => textOf(source, code);
	const states = Array.from({ length: state.distinct }, (_, code) => textOf(state, code));
	const asked = { codes: sourceCodes, distinct, value, states, stateOf: state.codes };
	const derived = groupCodes(column, asked, table);
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
