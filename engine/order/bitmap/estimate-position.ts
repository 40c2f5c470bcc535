/**
 * Estimates a page's position in a sort order by sampling the selection's rows. Assuming rows uniformly
 * distributed is not enough: columns are correlated, so the rows that a filter leaves are often far from
 * uniform along an order.
 *
 * Cost O(sample), about 30 microseconds: below NEAR_STEPS_MAX, scanning is cheaper than sampling.
 */

import { invariant } from "../../../formats/index.js";
import { estimateOccupied } from "../../kernels/bitmap.js";
import { sampleRows } from "../../kernels/list-rows.js";
import { sortKeys } from "../../kernels/sort.js";
import { type RowBitmap, wordsOf } from "../../select/selection.js";
import {
	OCCUPIED_STEP,
	SAMPLE_ROWS,
	SAMPLE_WORDS,
	SAMPLED_WORDS_MAX,
	SORTED_KEYS_MAX,
} from "../../tuning.js";
import type { IndexScan } from "../index-scan.js";
import type { SortKeys } from "../sort-keys.js";
import type { BitmapPage } from "./bitmap-page.js";

const sample = new Uint32Array(SAMPLED_WORDS_MAX * 32);
/** Fewer than twice SAMPLE_ROWS, since rows are thinned by a whole number. */
const sampledKeys = new Uint32Array(2 * SAMPLE_ROWS);
invariant(sampledKeys.length <= SORTED_KEYS_MAX, "a sample's keys are sorted whole");

/** Estimated positions, counted in steps of the scan: of the page, and of the peer groups that it begins and ends in. */
export interface PositionEstimate {
	readonly from: number;
	readonly to: number;
	readonly peersFrom: number;
	readonly peersTo: number;
	/** Share of the selection that lies in these peer groups. */
	readonly share: number;
	/** Words that have any row. */
	readonly occupied: number;
}

/** Where the rows of a page, which exist, are likely to lie in the order of its sort column. */
export function estimatePosition(
	{ bits, scan, depth, offset, limit }: BitmapPage,
	keys: SortKeys,
): PositionEstimate {
	const occupied = estimateOccupied(bits.words, bits.from, bits.to, OCCUPIED_STEP);
	const sampled = sampleKeys(bits, occupied, keys, depth);
	const rows = sampled.length;
	if (rows === 0) {
		const all = scan.to - scan.from;
		return { from: 0, to: all, peersFrom: 0, peersTo: all, share: 1, occupied };
	}
	sortKeys(sampled);
	const perRow = rows / bits.count;
	const end = quantile((offset + limit) * perRow, sampled, scan);
	const { peersTo } = end;
	// The page begins before the first row of the sample.
	if (offset * perRow < 1)
		return { from: 0, to: end.steps, peersFrom: 0, peersTo, share: end.last / rows, occupied };
	const begin = quantile(offset * perRow, sampled, scan);
	const share = (end.last - begin.first) / rows;
	return { from: begin.steps, to: end.steps, peersFrom: begin.peersFrom, peersTo, share, occupied };
}

/** Keys by code of some rows of `bits`, a view that the next sample overwrites. */
function sampleKeys(bits: RowBitmap, occupied: number, keys: SortKeys, depth: number): Uint32Array {
	const { words, from, to } = bits;
	const step = Math.ceil(Math.max(occupied / SAMPLE_WORDS, wordsOf(bits) / SAMPLED_WORDS_MAX));
	const listed = sampleRows(words, from, to, step, sample);
	const thin = Math.max(1, Math.floor(listed / SAMPLE_ROWS));
	const rows = Math.ceil(listed / thin);
	for (let i = 0; i < rows; i++) sample[i] = sample[i * thin];
	const sampled = sampledKeys.subarray(0, rows);
	keys.readCodes(sample.subarray(0, rows), depth, sampled);
	return sampled;
}

/**
 * Steps to number `index` of the sampled keys in order, and to both ends of its peers, assuming rows are
 * uniformly distributed within these; and the range of numbers that its peers have in the sample.
 */
function quantile(index: number, sampled: Uint32Array, scan: IndexScan) {
	const at = Math.min(sampled.length - 1, Math.floor(index));
	const key = sampled[at];
	let first = at;
	while (first > 0 && sampled[first - 1] === key) first--;
	let last = at + 1;
	while (last < sampled.length && sampled[last] === key) last++;
	const peersFrom = scan.stepsBefore(key);
	const peersTo = scan.stepsBefore(key + 1);
	const share = Math.min(1, (index - first) / (last - first));
	return { steps: Math.ceil(peersFrom + share * (peersTo - peersFrom)), peersFrom, peersTo, first, last };
}
