/**
 * Pair numbers where two dimensions have few combinations of groups: the number of a pair is its place in an array that
 * has a cell for each combination. Rows are read in their order, without an index of either dimension, where
 * numbering the pairs that rows have (pair-numbers.ts) reads one column in the order of the other. Combinations that
 * no row has are numbered too, with a total of zero.
 */

import type { Codes } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { inSlices, SLICE_SIZES, type SlicedWork } from "../sliced-work.js";
import { LISTED_CELLS_MIN } from "../tuning.js";
import type { Dimension } from "./dimensions.js";
import { cellOfCode, numbersBelow, type PairNumbers } from "./group-rows.js";

/** Whether two dimensions have few combinations, and no more than a month has rows. */
export function areCellsNumbered(first: Dimension, second: Dimension, { rows }: SnapshotColumns): boolean {
	return first.groupCount * second.groupCount <= Math.min(rows, LISTED_CELLS_MIN);
}

/** Numbers all combinations of groups in two dimensions. Cost O(rows + combinations), 4 ns a row. */
export function* numberCells(
	first: Dimension,
	second: Dimension,
	rowCount: number,
	sliceRows = SLICE_SIZES.rows,
): SlicedWork<PairNumbers> {
	const cells = first.groupCount * second.groupCount;
	const numbers = numbersBelow(cells, rowCount);
	const totals = new Uint32Array(cells);
	const cellsA = cellOfCode(first, second.groupCount);
	const cellsB = cellOfCode(second, 1);
	const codesA = first.codes;
	const codesB = second.codes;
	yield;
	yield* inSlices(rowCount, sliceRows, (from, to) => {
		for (let row = from; row < to; row++) numbers[row] = cellsA[codesA[row]] + cellsB[codesB[row]];
		addTotals(numbers, from, to, totals);
	});
	return { numbers, totals, ...combinations(first.groupCount, second.groupCount) };
}

/** Adds the rows at [from, to) to the totals of their numbers. */
function addTotals(numbers: Codes, from: number, to: number, totals: Uint32Array): void {
	for (let row = from; row < to; row++) totals[numbers[row]]++;
}

/** The groups of each cell. */
function combinations(firstCount: number, secondCount: number) {
	const cells = firstCount * secondCount;
	const firsts = new Uint32Array(cells);
	const seconds = new Uint32Array(cells);
	for (let group = 0; group < firstCount; group++) {
		const at = group * secondCount;
		firsts.fill(group, at, at + secondCount);
		for (let i = 0; i < secondCount; i++) seconds[at + i] = i;
	}
	return { firsts, seconds };
}
