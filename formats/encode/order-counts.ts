/**
 * Writes how the rows of frequent values are spread over a sort order: for each value how many rows have it at the first
 * positions of the order, every {@link ORDER_COUNT_POSITIONS} positions: sampled ranks, like the occurrence table of an
 * FM-index. The positions of a page of such a value, however deep, are found by binary search in them.
 */

import { type Column, columnNamed } from "../domain/columns.js";
import { invariant } from "../errors.js";
import { ORDER_COUNT_POSITIONS, ORDER_COUNT_SHARE } from "../layout.js";
import { COUNTED_IN_ORDER } from "../sections.js";
import { type Codes, countCodes, frequentCodes } from "./codes.js";

/** Places of a column's values fit a byte, so those of a row fit a word. */
const PLACES = 256;
const COLUMNS_MAX = 4;

/** Codes of a column; its number of values is the code of rows without one. */
export interface CodesToCount {
	readonly codes: Codes;
	readonly distinct: number;
}

/** The frequent values of a month's {@link COUNTED_IN_ORDER} columns, and which of them each row has. */
export interface CountedValues {
	/** Pairs of a column's code and a code of it, by column as listed, then ascending. */
	readonly values: Uint32Array;
	/** By row, for each column a byte: 0, or 1 + the number of its value among the column's. */
	readonly byRow: Uint32Array;
}

/**
 * Finds the frequent values. The codes of row r are at `order[r]`, or at r where there is none. `byRow` is in shared memory.
 * Cost O(rows × columns).
 */
export function countedValues(
	codesOf: (column: Column) => CodesToCount,
	rows: number,
	order: Uint32Array | null,
): CountedValues {
	invariant(COUNTED_IN_ORDER.length <= COLUMNS_MAX, "the values of a row fit a word");
	const values: number[] = [];
	const byRow = new Uint32Array(new SharedArrayBuffer(rows * 4));
	for (const [i, name] of COUNTED_IN_ORDER.entries()) {
		const column = columnNamed(name);
		const { codes, distinct } = codesOf(column);
		const frequent = frequentCodes(countCodes(codes, distinct), rows, ORDER_COUNT_SHARE);
		const places = new Uint32Array(distinct + 1);
		for (const [number, code] of frequent.entries()) {
			values.push(column.code, code);
			places[code] = (1 + number) << (8 * i);
		}
		if (order === null) for (let row = 0; row < rows; row++) byRow[row] |= places[codes[row]];
		else for (let row = 0; row < rows; row++) byRow[row] |= places[codes[order[row]]];
	}
	return { values: Uint32Array.from(values), byRow };
}

/**
 * For each counted value, for each block of positions the rows with it up to the block's end; one value after the other.
 * `permutation` lists the rows in order. Cost O(rows + values × blocks).
 */
export function encodeOrderCounts(permutation: Uint32Array, { values, byRow }: CountedValues): Uint32Array {
	const tallied = talliesOf(values);
	const blocks = Math.ceil(permutation.length / ORDER_COUNT_POSITIONS);
	const counts = new Uint32Array(tallied.length * blocks);
	const tallies = new Uint32Array(COLUMNS_MAX * PLACES);
	for (let block = 0; block < blocks; block++) {
		const from = block * ORDER_COUNT_POSITIONS;
		tally(permutation, byRow, from, Math.min(permutation.length, from + ORDER_COUNT_POSITIONS), tallies);
		for (const [value, at] of tallied.entries()) counts[value * blocks + block] = tallies[at];
	}
	return counts;
}

/** By value, where its rows are tallied: the place of its column and, of that, its own. */
function talliesOf(values: Uint32Array): number[] {
	const tallied: number[] = [];
	const numbers = new Map<number, number>();
	for (let i = 0; i < values.length; i += 2) {
		const column = COUNTED_IN_ORDER.findIndex((name) => columnNamed(name).code === values[i]);
		const number = numbers.get(column) ?? 0;
		numbers.set(column, number + 1);
		tallied.push(column * PLACES + 1 + number);
	}
	return tallied;
}

/** Adds the rows at positions [from, to) to the tallies of their values. */
function tally(
	permutation: Uint32Array,
	byRow: Uint32Array,
	from: number,
	to: number,
	tallies: Uint32Array,
): void {
	for (let position = from; position < to; position++) {
		const places = byRow[permutation[position]];
		tallies[places & 255]++;
		tallies[PLACES + ((places >>> 8) & 255)]++;
		tallies[2 * PLACES + ((places >>> 16) & 255)]++;
		tallies[3 * PLACES + (places >>> 24)]++;
	}
}
