/**
 * Precomputes the value sets by state that the first queries under geography grants would compute (state-sets.ts), in
 * steps of one column and state: a pass over the rows of all granted states at once blocks a serving thread for
 * milliseconds.
 */

import { COLUMNS, columnsFilteredBy, WORD_COLUMNS } from "../../formats/index.js";
import type { SnapshotColumns } from "./snapshot-columns.js";

/** Columns whose filters look values up in the sets of states; single values are looked up in posting lists. */
const SEARCHED = columnsFilteredBy("group", "prefix", "fold", "from", "to", "not");

/** Cost O(rows × columns with filters) in all, a step O(rows of one state). */
export function* prepareGrants({ states, stateSets, nameIndex }: SnapshotColumns): Generator<void, void> {
	for (const column of COLUMNS) {
		if (column.kind === "id" || column.kind === "snapshot") continue;
		const index = WORD_COLUMNS.includes(column.name) ? nameIndex.get(column) : null;
		const words = new Uint32Array(index === null ? 0 : (index.count >>> 5) + 1);
		for (const number of states.runs.keys()) {
			yield* stateSets.preparePresence(column, number);
			// The size of a set is known once it is computed, and it is kept.
			if (SEARCHED.has(column.name)) stateSets.size(column, number);
			if (index !== null) stateSets.addWords(words, column, index, number);
			yield;
		}
	}
}
