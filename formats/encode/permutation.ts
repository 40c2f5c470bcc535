/**
 * Writes sort orders: the permutation of all rows by (rank, row) with nulls last, the first position of each
 * rank, and the same order within each state run.
 */

import type { StateRun } from "../catalog.js";
import { invariant } from "../errors.js";

export interface EncodedPermutation {
	/** Rows by ascending (rank, row); rows without a value last. */
	readonly permutation: Uint32Array;
	/** `folds + 1` positions: the rows of rank r are at [offsets[r], offsets[r + 1]), nulls from offsets[folds] on. */
	readonly offsets: Uint32Array;
}

/** Counting sort of the rows by rank; `ranks[row]` is `folds` for null. Cost O(rows + folds). */
export function encodePermutation(ranks: Uint32Array, folds: number): EncodedPermutation {
	const cursor = new Uint32Array(folds + 2);
	for (let row = 0; row < ranks.length; row++) cursor[ranks[row] + 1]++;
	for (let rank = 0; rank <= folds; rank++) cursor[rank + 1] += cursor[rank];
	const offsets = cursor.slice(0, folds + 1);
	const permutation = new Uint32Array(ranks.length);
	for (let row = 0; row < ranks.length; row++) permutation[cursor[ranks[row]]++] = row;
	return { permutation, offsets };
}

/** The rows of each state run in the order of `permutation`. Cost O(rows). */
export function encodeStatePermutation(permutation: Uint32Array, states: readonly StateRun[]): Uint32Array {
	invariant(states.length <= 256, "state numbers fit in a byte");
	const runOfRow = new Uint8Array(permutation.length);
	for (let i = 0; i < states.length; i++) runOfRow.fill(i, states[i].first, states[i].first + states[i].rows);
	const cursor = Uint32Array.from(states, (s) => s.first);
	const grouped = new Uint32Array(permutation.length);
	for (let position = 0; position < permutation.length; position++) {
		const row = permutation[position];
		grouped[cursor[runOfRow[row]]++] = row;
	}
	return grouped;
}
