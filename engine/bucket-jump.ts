/**
 * Jumping along a sort order: a column's cumulative bitmaps tell how many rows of a selection lie before
 * their bounds, so that a walk to a deep page begins at the bound before it. A sample of the words tells
 * which bound that should be, and only that one is counted in full.
 *
 * Cost O(words): one count of all, as a rule, and O(log bounds) of a sixteenth.
 */

import { CUMULATIVE_BUCKETS, type CumulativeBitmaps } from "../formats/index.js";
import { COST_NS } from "./cost.js";
import type { RowBits } from "./groups.js";
import { countCommon, countCommonSample } from "./kernels/bitmap.js";
import type { Work } from "./scratch.js";
import type { Walk, WalkStart } from "./walk.js";

/** Bounds that are counted in full for one jump, as a rule; samples and what lies beyond the bound cost as much again. */
const BOUNDS_COUNTED = 2;

/** One block of words in so many is sampled. */
const SAMPLE_STEP = 16;

/** How many standard deviations a bound may hold more rows than the sample says. */
const DEVIATIONS = 1;

/** What a jump and the walk from there cost in nanoseconds, by words of the bitmap and positions of the order. */
export function jumpCost(words: number, positions: number): number {
	const buckets = (2 * positions) / CUMULATIVE_BUCKETS;
	return BOUNDS_COUNTED * words * COST_NS.andWord + buckets * COST_NS.walkStep;
}

/**
 * A bound that at most `offset` rows of `bits` are walked before, a few buckets from the page as a rule.
 * The walk must hold all rows of `bits`, in the order of the snapshot.
 */
export function jumpToBucket(
	bits: RowBits,
	walk: Walk,
	cumulative: CumulativeBitmaps,
	offset: number,
	work: Work,
): WalkStart {
	const { words, fromWord, toWord } = bits;
	const { bounds } = cumulative;
	const { descending, nullsFrom } = walk;
	const below = (bucket: number) => {
		work.add(toWord - fromWord);
		return countCommon(words, cumulative.bitmap(bucket), fromWord, toWord);
	};
	// The last bound is where the values end; rows without one are walked after them either way.
	const valued = descending && nullsFrom < walk.to ? below(bounds.length - 1) : bits.count;
	if (descending && offset >= valued) return { at: walk.from, passed: valued };
	const margin = DEVIATIONS * Math.sqrt(offset * SAMPLE_STEP);
	const within = (position: number) => Math.min(nullsFrom, Math.max(walk.from, position));
	if (descending) {
		const first = firstBoundAbove(bits, cumulative, valued - offset + margin, work);
		for (let bucket = first; bucket < bounds.length; bucket++) {
			const passed = valued - below(bucket);
			if (passed <= offset) return { at: within(bounds[bucket]), passed };
		}
		return walk.start;
	}
	for (let bucket = firstBoundAbove(bits, cumulative, offset - margin, work) - 1; bucket >= 0; bucket--) {
		const passed = below(bucket);
		if (passed <= offset) return { at: within(bounds[bucket]), passed };
	}
	return walk.start;
}

/** The first bound that more than `target` rows of `bits` should lie below, by a sample; how many bounds there are where none is. */
function firstBoundAbove(bits: RowBits, cumulative: CumulativeBitmaps, target: number, work: Work): number {
	const { words, fromWord, toWord } = bits;
	let low = 0;
	let high = cumulative.bounds.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		work.add((toWord - fromWord) / SAMPLE_STEP);
		const sampled = countCommonSample(words, cumulative.bitmap(middle), fromWord, toWord, SAMPLE_STEP);
		if (sampled * SAMPLE_STEP <= target) low = middle + 1;
		else high = middle;
	}
	return low;
}
