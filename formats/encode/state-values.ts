/** Writes the values of each state's rows with how many rows have them, which suggestions in a state are made from. */

import type { StateRun } from "../catalog.js";
import { HEAD_WORDS, writeFoldHead } from "../fold-head.js";
import type { Codes } from "./codes.js";

export interface EncodedStateValues {
	/** States + 1 places: the values of state s are at [offsets[s], offsets[s + 1]). */
	readonly offsets: Uint32Array;
	/** The codes of the values of each state's rows, ascending, without null. */
	readonly codes: Uint32Array;
	/** By place, the state's rows with the value. */
	readonly rows: Uint32Array;
	/** By place, the head of the value's fold: two words. */
	readonly heads: Uint32Array;
}

/**
 * The values of the states by the `codes` of all rows. Value c is heap[valueOffsets[c], valueOffsets[c + 1]); the code
 * that follows the last is null. Cost O(rows + values of all states × log).
 */
export function encodeStateValues(
	codes: Codes,
	states: readonly StateRun[],
	valueOffsets: Uint32Array,
	heap: Uint8Array,
): EncodedStateValues {
	const counted = countStateValues(codes, states, valueOffsets.length - 1);
	const offsets = new Uint32Array(states.length + 1);
	for (const [state, { codes: present }] of counted.entries())
		offsets[state + 1] = offsets[state] + present.length;
	const total = offsets[states.length];
	const present = joined(
		counted.map((state) => state.codes),
		total,
	);
	const rows = joined(
		counted.map((state) => state.rows),
		total,
	);
	return { offsets, codes: present, rows, heads: headsOf(present, valueOffsets, heap) };
}

/**
 * The codes below `distinct` in the rows of each state, ascending, and how many rows have each. Cost O(rows + codes of all
 * states × log).
 */
export function countStateValues(
	codes: Codes,
	states: readonly StateRun[],
	distinct: number,
): { readonly codes: Uint32Array; readonly rows: Uint32Array }[] {
	const counts = new Uint32Array(distinct + 1);
	return states.map((state) => {
		const present = presentCodes(codes, state, counts);
		const rows = present.map((code) => counts[code]);
		for (const code of present) counts[code] = 0;
		return { codes: present, rows };
	});
}

/** The codes of a state's rows, ascending, without null, the last of `counts`. Counts the rows of each there, from 0. */
function presentCodes(codes: Codes, { first, rows }: StateRun, counts: Uint32Array): Uint32Array {
	const none = counts.length - 1;
	const found = new Uint32Array(Math.min(rows, none));
	let length = 0;
	for (let row = first; row < first + rows; row++) {
		const code = codes[row];
		if (counts[code]++ === 0 && code !== none) found[length++] = code;
	}
	return found.slice(0, length).sort();
}

function joined(lists: readonly Uint32Array[], length: number): Uint32Array {
	const all = new Uint32Array(length);
	let at = 0;
	for (const list of lists) {
		all.set(list, at);
		at += list.length;
	}
	return all;
}

function headsOf(codes: Uint32Array, valueOffsets: Uint32Array, heap: Uint8Array): Uint32Array {
	const heads = new Uint32Array(codes.length * HEAD_WORDS);
	codes.forEach((code, place) => {
		writeFoldHead(heap, valueOffsets[code], valueOffsets[code + 1], heads, place * HEAD_WORDS);
	});
	return heads;
}
