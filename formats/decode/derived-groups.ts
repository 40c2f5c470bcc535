/**
 * Group columns of a month built before they were stored: derived from the source column's dictionary and
 * codes by the built-in table. Cost O(rows) at first use, held in process memory.
 */

import type { StateRun } from "../catalog.js";
import type { ColumnName } from "../columns.js";
import { encodePostings } from "../encode/postings.js";
import { BUILT_IN_GROUPS, type GroupColumn, type GroupTable, UNMAPPED_GROUP } from "../groups.js";
import type { Codes } from "./codes.js";
import { Dictionary } from "./dictionary.js";
import type { Postings } from "./postings.js";

/** Codes of a group column and its dictionary: the groups that occur, ascending. */
export interface GroupCodes {
	/** By position; `names.length` is null. */
	readonly codes: Uint8Array;
	readonly names: readonly string[];
}

/**
 * Group codes for rows with the source codes `codes`, in the state runs `states`. `row(position)` is the index
 * of a position's row in both `codes` and the result. Cost O(rows + states × distinct).
 */
export function groupCodes(
	{ column, groups }: GroupColumn,
	source: { readonly codes: Codes; readonly distinct: number; readonly value: (code: number) => string },
	states: readonly StateRun[],
	table: GroupTable,
	row: (position: number) => number = (position) => position,
): GroupCodes {
	const sorted = [...groups].sort();
	const absent = sorted.length;
	const places = new Uint8Array(new SharedArrayBuffer(source.codes.length)).fill(absent);
	const used = new Uint8Array(absent + 1);
	const placeOfCode = new Int8Array(source.distinct);
	for (const { state, first, rows } of states) {
		placeOfCode.fill(-1);
		for (let position = first; position < first + rows; position++) {
			const at = row(position);
			const code = source.codes[at];
			if (code >= source.distinct) continue;
			if (placeOfCode[code] === -1) {
				const group = table.find(column, state, source.value(code)) ?? UNMAPPED_GROUP;
				placeOfCode[code] = sorted.indexOf(group);
			}
			places[at] = placeOfCode[code];
			used[placeOfCode[code]] = 1;
		}
	}
	const names = sorted.filter((_, place) => used[place] === 1);
	const codeOfPlace = Uint8Array.from([
		...sorted.map((name) => Math.max(0, names.indexOf(name))),
		names.length,
	]);
	for (let at = 0; at < places.length; at++) places[at] = codeOfPlace[places[at]];
	return { codes: places, names };
}

/** The sections of a group column that a month's files lack. */
export class DerivedGroups {
	/** The column they are derived from. */
	readonly source: ColumnName;
	readonly codes: Uint8Array;
	readonly dictionary: Dictionary;

	constructor(column: GroupColumn, codes: Codes, source: Dictionary, states: readonly StateRun[]) {
		const value = (code: number) => source.value(code) as string;
		const derived = groupCodes(column, { codes, distinct: source.distinct, value }, states, BUILT_IN_GROUPS);
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
