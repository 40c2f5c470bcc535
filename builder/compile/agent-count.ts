/**
 * Computes the office agent count for drops without that column: for US rows, the number of licenses in the same
 * state with the same office name (docs/API.md §1.3); null for rows without an office. Cost O(rows).
 */

import type { StateRun } from "../../formats/index.js";
import type { MergedColumn } from "./merge-column.js";

/** Counts that rows have already: those of `column` in `states`. */
export interface CarriedCounts {
	readonly column: MergedColumn;
	readonly states: readonly string[];
}

/** `agent_count` of every row, as a merged column in CSV order. */
export function countAgents(
	officeName: MergedColumn,
	order: Uint32Array,
	states: readonly StateRun[],
	carried: CarriedCounts,
): MergedColumn {
	const agents = new Uint32Array(order.length);
	const carriedCounts = valuesOf(carried.column);
	const perOffice = new Uint32Array(officeName.distinct + 1);
	for (const state of states) {
		const end = state.first + state.rows;
		if (carried.states.includes(state.state)) {
			for (let position = state.first; position < end; position++)
				agents[order[position]] = carriedCounts[carried.column.codes[order[position]]];
			continue;
		}
		if (state.country !== "US") continue;
		for (let position = state.first; position < end; position++)
			perOffice[officeName.codes[order[position]]]++;
		perOffice[officeName.distinct] = 0;
		for (let position = state.first; position < end; position++) {
			const row = order[position];
			agents[row] = perOffice[officeName.codes[row]];
		}
		for (let position = state.first; position < end; position++)
			perOffice[officeName.codes[order[position]]] = 0;
	}
	return encodeCounts(agents);
}

/** A column's values by code; 0 for null. */
function valuesOf({ distinct, offsets, heap }: MergedColumn): Uint32Array {
	const values = new Uint32Array(distinct + 1);
	for (let code = 0; code < distinct; code++)
		values[code] = Number(Buffer.from(heap.slice(offsets[code], offsets[code + 1])).toString("latin1"));
	return values;
}

/** A column of whole numbers, 0 for null. */
function encodeCounts(counts: Uint32Array): MergedColumn {
	const values = Uint32Array.from(new Set(counts)).sort();
	const present = values[0] === 0 ? values.subarray(1) : values;
	const codeOf = new Map<number, number>();
	present.forEach((value, code) => {
		codeOf.set(value, code);
	});
	const texts = Array.from(present, String);
	const offsets = new Uint32Array(new SharedArrayBuffer((present.length + 1) * 4));
	texts.forEach((text, code) => {
		offsets[code + 1] = offsets[code] + text.length;
	});
	const heap = new Uint8Array(new SharedArrayBuffer(offsets[present.length]));
	heap.set(Buffer.from(texts.join(""), "latin1"));
	const codes = new Uint32Array(new SharedArrayBuffer(counts.length * 4));
	let nulls = 0;
	for (let row = 0; row < counts.length; row++) {
		if (counts[row] === 0) nulls++;
		codes[row] = codeOf.get(counts[row]) ?? present.length;
	}
	return {
		column: "agent_count",
		offsets,
		heap,
		foldRanks: null,
		distinct: present.length,
		folds: present.length,
		codes,
		nulls,
	};
}
