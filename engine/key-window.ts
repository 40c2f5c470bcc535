/**
 * Narrowing a large bitmap to the rows around a page before any list is made of it: a sample of the
 * rows tells between which codes of the sort column the page should lie, and one pass counts the rows
 * before them and lists the rows among them. The counts are exact, so a sample that misled is noticed,
 * and then there is no window.
 */

import type { RowBits } from "./groups.js";
import { rowsAmongCodes, sampleRows } from "./kernels/window.js";
import type { RowArena, Work } from "./scratch.js";
import type { SortKeys } from "./sort-keys.js";

/** One word in so many is sampled. */
const SAMPLE_STEP = 16;
const BUCKET_BITS = 12;
const histogram = new Uint32Array(1 << BUCKET_BITS);
/** How many standard deviations the page may lie from where the sample says. */
const DEVIATIONS = 4;

/** What a window found: rows [0, rows) of the list, and how many of the bitmap's rows come before them. */
export interface KeyWindow {
	readonly rows: number;
	readonly before: number;
}

/**
 * Lists in `list` the rows of `bits` around rows [offset, offset + limit) in the order of sort column
 * `depth`; null where the sample leads to no window. Cost about four nanoseconds a row.
 */
export function findKeyWindow(
	bits: RowBits,
	keys: SortKeys,
	depth: number,
	offset: number,
	limit: number,
	list: Uint32Array,
	arena: RowArena,
	work: Work,
): KeyWindow | null {
	const bounds = sampleBounds(bits, keys, depth, offset, limit, arena);
	if (bounds === null) return null;
	const ranges = keys.codeRanges(depth, bounds.low, bounds.high);
	if (ranges === null) return null;
	const { codes, before, window } = ranges;
	const found = { before: 0, rows: 0 };
	work.add(bits.count);
	rowsAmongCodes(bits.words, bits.fromWord, bits.toWord, codes, before, window, list, found);
	const holds = found.before <= offset && found.before + found.rows >= offset + limit;
	return holds ? found : null;
}

/** Keys that the page should lie between; null where the sample is too small to say. */
function sampleBounds(
	bits: RowBits,
	keys: SortKeys,
	depth: number,
	offset: number,
	limit: number,
	arena: RowArena,
): { low: number; high: number } | null {
	const mark = arena.mark();
	const words = Math.ceil((bits.toWord - bits.fromWord) / SAMPLE_STEP);
	const sample = arena.take(words * 32);
	const rows = sampleRows(bits.words, bits.fromWord, bits.toWord, SAMPLE_STEP, sample);
	const sampled = arena.take(rows);
	keys.readCodes(sample.subarray(0, rows), depth, sampled);
	arena.release(mark);
	if (rows < 256) return null;
	// Neighbouring rows may have neighbouring keys, so a word counts as one observation of its rows.
	return boundsOfPage(sampled, bits.count, offset, limit, Math.max(1, rows / words));
}

/**
 * Keys that rows [offset, offset + limit) of `count` should lie between by the keys of a sample, of
 * which so many are one observation.
 */
export function boundsOfPage(
	sampled: Uint32Array,
	count: number,
	offset: number,
	limit: number,
	rowsPerObservation: number,
): { low: number; high: number } {
	const rows = sampled.length;
	const share = (offset + limit / 2) / count;
	const margin = DEVIATIONS * Math.sqrt(share * (1 - share) * rows * rowsPerObservation) + 16;
	return boundsOfShares(
		sampled,
		(offset / count) * rows - margin,
		((offset + limit) / count) * rows + margin,
	);
}

/** Keys that hold the sample's places from `first` to `last`, to the width of a bucket. */
function boundsOfShares(sampled: Uint32Array, first: number, last: number): { low: number; high: number } {
	let most = 0;
	for (let i = 0; i < sampled.length; i++) if (sampled[i] > most) most = sampled[i];
	const shift = Math.max(0, 32 - Math.clz32(most) - BUCKET_BITS);
	histogram.fill(0);
	for (let i = 0; i < sampled.length; i++) histogram[sampled[i] >>> shift]++;
	let bucket = 0;
	let before = 0;
	while (bucket < histogram.length && before + histogram[bucket] <= first) before += histogram[bucket++];
	const low = first <= 0 ? 0 : bucket * 2 ** shift;
	while (bucket < histogram.length && before < last) before += histogram[bucket++];
	return { low, high: last >= sampled.length ? Number.POSITIVE_INFINITY : bucket * 2 ** shift };
}
