/**
 * Positions of an order, that of a permutation or of postings, whose rows lie in few words of a bitmap. The rows of one
 * rank, or of one code, ascend, so those in some runs are found by binary search; setting rows elsewhere would read and write memory at random for nothing.
 */

import type { Postings, Range } from "../../formats/index.js";
import { firstIndexAtLeast, firstRowAtLeastNear } from "../kernels/codes.js";
import { SEARCHED_RANK_ROWS_MIN } from "../tuning.js";

/**
 * Calls `take` with disjoint, ascending ranges of positions that are within [from, to) and contain each whose row is
 * in one of `parts`, which are ascending, disjoint ranges of words; where ranks have few rows, with all of [from, to).
 * Cost O(ranks × parts × log rows).
 */
export function takeWithin(
	{ rows, offsets }: Postings,
	from: number,
	to: number,
	parts: readonly Range[],
	take: (from: number, to: number) => void,
): void {
	if (from >= to) return;
	const first = rankAt(offsets, from);
	const last = rankAt(offsets, to - 1);
	if (to - from < (last - first + 1) * parts.length * SEARCHED_RANK_ROWS_MIN) {
		take(from, to);
		return;
	}
	let end = from;
	for (let rank = first; rank <= last; rank++) {
		const start = end;
		end = rank === last ? to : offsets[rank + 1];
		// Searches begin where the row would be if the rank's rows were uniformly distributed.
		const perRow = (end - start) / rows.length;
		let next = start;
		for (const part of parts) {
			const firstRow = part.from << 5;
			const endRow = part.to << 5;
			const begin = firstRowAtLeastNear(rows, next, end, firstRow, start + Math.floor(firstRow * perRow));
			next = firstRowAtLeastNear(rows, begin, end, endRow, start + Math.floor(endRow * perRow));
			if (begin < next) take(begin, next);
		}
	}
}

/** The rank at a position; the number of ranks for rows without a value, which are last. */
function rankAt(offsets: Uint32Array, position: number): number {
	return firstIndexAtLeast(offsets, 0, offsets.length, position + 1) - 1;
}
