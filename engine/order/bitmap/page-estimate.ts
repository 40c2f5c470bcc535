/**
 * Where along a sort order a page should lie, told by a sample of the selection's rows: columns hang
 * together, so what a filter leaves often lies far from even along an order.
 *
 * Cost O(sample), some thirty microseconds; a walk of as many steps is not worth the asking.
 */

import { estimateOccupied } from "../../kernels/bitmap.js";
import { sampleRows } from "../../kernels/list-rows.js";
import { sortKeys } from "../../kernels/sort.js";
import type { SortKeys } from "../sort-keys.js";
import type { Walk } from "../walk.js";
import type { RowBits } from "./groups.js";

/** Words that a sample is taken of, about, and rows of theirs. Rows of one word are alike, so many words tell more than many rows. */
const SAMPLE_WORDS = 512;
const SAMPLE_ROWS = 512;

/** One word in so many is looked at to tell in how many there are rows. */
const OCCUPIED_STEP = 16;

/** Words that are looked at for these, at most. */
const WORDS_MAX = 8192;

const sample = new Uint32Array(WORDS_MAX * 32);
const sampledKeys = new Uint32Array(2 * SAMPLE_ROWS);

/** Steps of a walk to where a page should begin and end, and to where the groups of equal value begin and end that it lies in. */
export interface Forecast {
	readonly from: number;
	readonly to: number;
	readonly groupsFrom: number;
	readonly groupsTo: number;
	/** How much of the selection lies in these groups. */
	readonly share: number;
	/** How many words have rows, about. */
	readonly occupied: number;
}

/**
 * Where rows [offset, offset + limit) of `bits`, which there are, should lie in the order of sort column
 * `depth`.
 */
export function forecastPage(
	bits: RowBits,
	walk: Walk,
	keys: SortKeys,
	depth: number,
	offset: number,
	limit: number,
): Forecast {
	const occupied = estimateOccupied(bits.words, bits.fromWord, bits.toWord, OCCUPIED_STEP);
	const sampled = sampleKeys(bits, occupied, keys, depth);
	const rows = sampled.length;
	if (rows === 0) {
		const all = walk.to - walk.from;
		return { from: 0, to: all, groupsFrom: 0, groupsTo: all, share: 1, occupied };
	}
	sortKeys(sampled);
	const perRow = rows / bits.count;
	const end = stepsTo((offset + limit) * perRow, sampled, walk);
	const { to: groupsTo } = end;
	// Before the first row of the sample lie some that it does not have.
	if (offset * perRow < 1)
		return { from: 0, to: end.steps, groupsFrom: 0, groupsTo, share: end.last / rows, occupied };
	const begin = stepsTo(offset * perRow, sampled, walk);
	const share = (end.last - begin.first) / rows;
	return { from: begin.steps, to: end.steps, groupsFrom: begin.from, groupsTo, share, occupied };
}

/** Keys by code of some rows of `bits`, a view that the next sample overwrites. */
function sampleKeys(bits: RowBits, occupied: number, keys: SortKeys, depth: number): Uint32Array {
	const { words, fromWord, toWord } = bits;
	const step = Math.ceil(Math.max(occupied / SAMPLE_WORDS, (toWord - fromWord) / WORDS_MAX));
	const listed = sampleRows(words, fromWord, toWord, step, sample);
	const thin = Math.max(1, Math.floor(listed / SAMPLE_ROWS));
	const rows = Math.ceil(listed / thin);
	for (let i = 0; i < rows; i++) sample[i] = sample[i * thin];
	const sampled = sampledKeys.subarray(0, rows);
	keys.readCodes(sample.subarray(0, rows), depth, sampled);
	return sampled;
}

/**
 * Steps to place number `place` of sampled keys, and to the beginning and the end of its group, through
 * which its rows lie even; the places that the group has in the sample.
 */
function stepsTo(place: number, sampled: Uint32Array, walk: Walk) {
	const index = Math.min(sampled.length - 1, Math.floor(place));
	const key = sampled[index];
	let first = index;
	while (first > 0 && sampled[first - 1] === key) first--;
	let last = index + 1;
	while (last < sampled.length && sampled[last] === key) last++;
	const from = walk.stepsBefore(key);
	const to = walk.stepsBefore(key + 1);
	const share = Math.min(1, (place - first) / (last - first));
	return { steps: Math.ceil(from + share * (to - from)), from, to, first, last };
}
