/**
 * Group columns of a month built before they were stored: derived from the source column's dictionary and
 * codes by the built-in table. Cost O(rows) at first use, held in process memory.
 */

import type { StateRun } from "../catalog.js";
import type { ColumnName } from "../domain/columns.js";
import { BUILT_IN_GROUPS, type GroupColumn, type GroupTable, UNMAPPED_GROUP } from "../domain/groups.js";
import { encodePostings } from "../encode/postings.js";
import type { Codes } from "./codes.js";
import { Dictionary } from "./dictionary.js";
import type { Postings } from "./postings.js";

/** Combinations of a state and a value whose groups are kept at once: 16 MiB. */
const CELLS_MAX = 1 << 24;

/** Codes of a group column and its dictionary: the groups that occur, ascending. */
export interface GroupCodes {
	/** By position; `names.length` is null. */
	readonly codes: Uint8Array;
	readonly names: readonly string[];
}

/** Rows' values in the source column, and the state of each row as an index into `states`. */
export interface GroupSource {
	readonly codes: Codes;
	readonly distinct: number;
	readonly value: (code: number) => string;
	readonly states: readonly string[];
	readonly stateOf: Codes;
}

/**
 * Group codes of rows, in their order. Cost O(rows + states × distinct) for every {@link CELLS_MAX} combinations of
 * a state and a value.
 */
export function groupCodes(column: GroupColumn, source: GroupSource, table: GroupTable): GroupCodes {
	const sorted = [...column.groups].sort();
	const absent = sorted.length;
	const places = new Uint8Array(new SharedArrayBuffer(source.codes.length)).fill(absent);
	const used = new Uint8Array(absent + 1);
	const placeOf = (state: number, code: number) => {
		const group = table.find(column.column, source.states[state], source.value(code)) ?? UNMAPPED_GROUP;
		const place = sorted.indexOf(group);
		used[place] = 1;
		return place;
	};
	const { length } = source.states;
	const step = Math.max(1, Math.floor(CELLS_MAX / Math.max(1, source.distinct)));
	for (let from = 0; from < length; from += step)
		fillPlaces(places, source, from, Math.min(length, from + step), placeOf);
	const names = sorted.filter((_, place) => used[place] === 1);
	const codeOfPlace = Uint8Array.from([
		...sorted.map((name) => Math.max(0, names.indexOf(name))),
		names.length,
	]);
	for (let at = 0; at < places.length; at++) places[at] = codeOfPlace[places[at]];
	return { codes: places, names };
}

/** Writes the places of the rows of states [from, to), each combination of a state and a value looked up once. */
function fillPlaces(
	places: Uint8Array,
	{ codes, distinct, stateOf }: GroupSource,
	from: number,
	to: number,
	placeOf: (state: number, code: number) => number,
): void {
	const known = new Int8Array((to - from) * distinct).fill(-1);
	for (let row = 0; row < places.length; row++) {
		const state = stateOf[row];
		const code = codes[row];
		if (state < from || state >= to || code >= distinct) continue;
		const cell = (state - from) * distinct + code;
		if (known[cell] === -1) known[cell] = placeOf(state, code);
		places[row] = known[cell];
	}
}

/** The sections of a group column that a month's files lack. */
export class DerivedGroups {
	/** The column they are derived from. */
	readonly source: ColumnName;
	readonly codes: Uint8Array;
	readonly dictionary: Dictionary;

	constructor(column: GroupColumn, codes: Codes, source: Dictionary, states: readonly StateRun[]) {
		const value = (code: number) => source.value(code) as string;
		const stateOf = new Uint16Array(codes.length);
		for (const [i, { first, rows }] of states.entries()) stateOf.fill(i, first, first + rows);
		const names = states.map(({ state }) => state);
		const asked = { codes, distinct: source.distinct, value, states: names, stateOf };
		const derived = groupCodes(column, asked, BUILT_IN_GROUPS);
		this.source = column.source;
		this.codes = derived.codes;
		this.dictionary = dictionaryOf(derived.names);
	}

	postings(): Postings {
		return encodePostings(Uint32Array.from(this.codes), this.dictionary.distinct);
	}
}

/** A dictionary of `names`. REQUIRES: ascending, ASCII and unchanged by the fold. */
function dictionaryOf(names: readonly string[]): Dictionary {
	const { offsets, heap } = groupHeap(names);
	return new Dictionary(offsets, heap, null, names.length);
}

/** Names as offsets into one heap, in memory that worker threads share. */
export function groupHeap(names: readonly string[]): { offsets: Uint32Array; heap: Uint8Array } {
	const bytes = Buffer.from(names.join(""), "latin1");
	const offsets = new Uint32Array(new SharedArrayBuffer((names.length + 1) * 4));
	names.forEach((name, i) => {
		offsets[i + 1] = offsets[i] + name.length;
	});
	const heap = new Uint8Array(new SharedArrayBuffer(bytes.length));
	heap.set(bytes);
	return { offsets, heap };
}
