/**
 * Makes ahead what the first questions of geography grants would make (state-sets.ts), in pieces of one column and
 * state: a pass over the rows of all granted states at once would hold a serving thread for milliseconds.
 */

import { COLUMNS, type Column, FILTERS, type FilterKind, WORD_COLUMNS } from "../../formats/index.js";
import type { SnapshotColumns } from "./snapshot-columns.js";

/** Kinds of filters that rows of whole states, or words of full names, answer. */
const SEARCHED_ELSEWHERE: ReadonlySet<FilterKind> = new Set(["state", "country", "name"]);

/** Columns with a filter whose values are looked for in the sets of states; single ones are in their postings. */
const SEARCHED = new Set(
	FILTERS.filter(
		({ kind, spellings }) => !SEARCHED_ELSEWHERE.has(kind) && (kind !== "exact" || spellings !== null),
	).map(({ column }) => column),
);

/** Cost O(rows × columns with filters) in all, a piece O(rows of one state). */
export function* prepareGrants({ states, stateSets, nameIndex }: SnapshotColumns): Generator<void, void> {
	for (const column of COLUMNS) {
		if (column.kind === "id" || column.kind === "snapshot") continue;
		const index = WORD_COLUMNS.includes(column.name) ? nameIndex.get(column) : null;
		const words = new Uint32Array(index === null ? 0 : (index.count >>> 5) + 1);
		for (const number of states.runs.keys()) {
			stateSets.presence(column, number);
			if (isSearched(column)) stateSets.size(column, number);
			if (index !== null) stateSets.addWords(words, column, index, number);
			yield;
		}
	}
}

function isSearched({ name, kind }: Column): boolean {
	return kind !== "string" && SEARCHED.has(name);
}
