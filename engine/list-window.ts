/**
 * Narrowing a long list to the rows around a page: a histogram of the sort keys tells between which
 * keys the page lies, and one more pass keeps the rows that have them. Both read codes and write next
 * to nothing, where splitting a list copies keys and rows.
 */

import { keepWindow } from "./kernels/window.js";
import type { SortKeys } from "./sort-keys.js";

const BUCKET_BITS = 11;
const histogram = new Uint32Array(1 << BUCKET_BITS);

/** What a window left: rows [0, rows) of the list hold the page, and `before` rows of the list come before them. */
export interface ListWindow {
	readonly rows: number;
	readonly before: number;
	/** Whether the values of all that is left fold alike. */
	readonly isOneFold: boolean;
}

/**
 * Moves the rows of `list` around rows [offset, offset + limit), which there are, in the order of sort
 * column `depth` to its front, until they are few or no longer fewer. Cost O(rows), five nanoseconds each.
 */
export function narrowList(
	list: Uint32Array,
	keys: SortKeys,
	depth: number,
	offset: number,
	limit: number,
	fewRows: number,
): ListWindow {
	const found = { before: 0, rows: 0 };
	let low = 0;
	let high = keys.distinct(depth) + 1;
	let rows = list.length;
	let before = 0;
	for (let shift = 1; shift > 0 && rows > fewRows; ) {
		shift = Math.max(0, 32 - Math.clz32(high - 1 - low) - BUCKET_BITS);
		histogram.fill(0);
		keys.countKeys(list, rows, depth, low, shift, histogram);
		const { first, last } = bucketsOf(offset - before, limit);
		const from = keys.foldStart(depth, low + first * 2 ** shift);
		const to = keys.foldEnd(depth, Math.min(high, low + (last + 1) * 2 ** shift));
		if (from === low && to === high) break;
		const ranges = keys.codeRanges(depth, from, to);
		if (ranges === null) break;
		keepWindow(list, rows, ranges.codes, ranges.before, ranges.window, found);
		before += found.before;
		rows = found.rows;
		low = from;
		high = to;
	}
	return { rows, before, isOneFold: keys.isOneFold(depth, low, high - 1) };
}

/** The buckets of the histogram that hold the first and the last of rows [offset, offset + limit). */
function bucketsOf(offset: number, limit: number): { first: number; last: number } {
	let bucket = 0;
	let before = 0;
	while (before + histogram[bucket] <= offset) before += histogram[bucket++];
	const first = bucket;
	while (before + histogram[bucket] < offset + limit) before += histogram[bucket++];
	return { first, last: bucket };
}
