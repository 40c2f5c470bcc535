/** Writes the values of each state's rows with how many rows have them, which suggestions in a state are made from. */

import type { StateRun } from "../catalog.js";
import { HEAD_WORDS, writeFoldHead } from "../fold-head.js";

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
	codes: Uint8Array | Uint16Array | Uint32Array,
	states: readonly StateRun[],
	valueOffsets: Uint32Array,
	heap: Uint8Array,
): EncodedStateValues {
	const distinct = valueOffsets.length - 1;
	const counts = new Uint32Array(distinct + 1);
	const offsets = new Uint32Array(states.length + 1);
	const present: Uint32Array[] = [];
	const rows: Uint32Array[] = [];
	states.forEach((state, s) => {
		const found = presentCodes(codes, state, counts);
		offsets[s + 1] = offsets[s] + found.length;
		present.push(found);
		rows.push(found.map((code) => counts[code]));
		for (const code of found) counts[code] = 0;
	});
	const all = joined(present, offsets[states.length]);
	return {
		offsets,
		codes: all,
		rows: joined(rows, all.length),
		heads: headsOf(all, valueOffsets, heap),
	};
}

/** The codes of a state's rows, ascending, without null, the last of `counts`. Counts the rows of each there, from 0. */
function presentCodes(
	codes: Uint8Array | Uint16Array | Uint32Array,
	{ first, rows }: StateRun,
	counts: Uint32Array,
): Uint32Array {
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
