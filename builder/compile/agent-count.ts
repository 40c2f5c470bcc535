/**
 * Computes the office agent count for drops without that column: for US rows, the number of licenses in the same
 * state with the same office name (docs/API.md §1.3); null for rows without an office. Cost O(rows).
 */

import type { StateRun } from "../../formats/index.js";
import type { MergedColumn } from "./merge-column.js";

/** `agent_count` of every row, as a merged column in CSV order. */
export function countAgents(
	officeName: MergedColumn,
	order: Uint32Array,
	states: readonly StateRun[],
): MergedColumn {
	const agents = new Uint32Array(order.length);
	const perOffice = new Uint32Array(officeName.distinct + 1);
	for (const state of states) {
		if (state.country !== "US") continue;
		const end = state.first + state.rows;
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
