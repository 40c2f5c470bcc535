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
import type { Forecast } from "./page-forecast.js";
import type { Work } from "./scratch.js";
import type { Walk, WalkStart } from "./walk.js";

/** Bounds that are counted in full for one jump, as a rule; samples and what lies beyond the bound cost as much again. */
const BOUNDS_COUNTED = 3;

/** One line of words in so many is sampled. */
const SAMPLE_STEP = 16;

/** So many bounds before the page's own are as good, since walking between them costs less than counting. */
const NEAR_BOUNDS = 1;

/** Steps from a bound near a page to the page's end, as a rule. */
export function stepsFromJump(walk: Walk, { from, to }: Forecast): number {
	return ((1 + NEAR_BOUNDS) * (walk.to - walk.from)) / CUMULATIVE_BUCKETS + to - from;
}

/** What a jump to a page and the walk from there cost in nanoseconds. */
export function jumpCost({ fromWord, toWord }: RowBits, walk: Walk, forecast: Forecast): number {
	const counting = BOUNDS_COUNTED * (toWord - fromWord) * COST_NS.andWord;
	return counting + stepsFromJump(walk, forecast) * COST_NS.walkStep;
}

/**
 * A bound that at most `offset` rows of `bits` are walked before: where a sample puts the page, which is
 * mostly near, or with `isSure` one or two buckets from the page, whatever the sample says. The walk must
 * hold all rows of `bits`, in the order of the snapshot.
 */
export function jumpToBucket(
	bits: RowBits,
	walk: Walk,
	cumulative: CumulativeBitmaps,
	offset: number,
	isSure: boolean,
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
	const above = firstBoundAbove(bits, cumulative, offset, descending, work);
	// Bounds by number as they are walked: downwards the last is number 0.
	const bucketOf = (number: number) => (descending ? bounds.length - 1 - number : number);
	const passedAt = (number: number) =>
		descending ? valued - below(bucketOf(number)) : below(bucketOf(number));
	const guess = (descending ? bounds.length - above : above) - 1;
	const { number, passed } = lastPassed(bounds.length, guess, offset, isSure, passedAt);
	if (number === -1) return walk.start;
	return { at: Math.min(nullsFrom, Math.max(walk.from, bounds[bucketOf(number)])), passed };
}

/**
 * The first bound that by a sample more than `offset` rows of `bits` should lie below, or downwards less
 * than `offset` above; how many bounds there are where none is.
 */
function firstBoundAbove(
	bits: RowBits,
	cumulative: CumulativeBitmaps,
	offset: number,
	descending: boolean,
	work: Work,
): number {
	const { words, fromWord, toWord } = bits;
	const sampledBelow = (bucket: number) => {
		work.add((toWord - fromWord) / SAMPLE_STEP);
		return countCommonSample(words, cumulative.bitmap(bucket), fromWord, toWord, SAMPLE_STEP);
	};
	let low = 0;
	let high = cumulative.bounds.length;
	const sampled = offset / SAMPLE_STEP;
	// Rows from the end are told by the sample's own end, which may hold more or less than its share.
	const target = descending ? sampledBelow(high - 1) - sampled : sampled;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (sampledBelow(middle) <= target) low = middle + 1;
		else high = middle;
	}
	return low;
}

/**
 * The last bound, or one of NEAR_BOUNDS before it, that at most `offset` rows are walked before; number
 * -1 where there is none. Looks around `guess` first, in steps that double: a sample of rows that lie in
 * clusters may mislead. Unless `isSure`, takes the first such bound that it comes by.
 */
function lastPassed(
	bounds: number,
	guess: number,
	offset: number,
	isSure: boolean,
	passedAt: (number: number) => number,
) {
	// Bounds before `low` are passed, those from `high` on are not.
	let low = 0;
	let high = bounds;
	let passed = 0;
	let probe = Math.max(0, guess);
	for (let step = 1 + NEAR_BOUNDS; high - low > NEAR_BOUNDS; step *= 2) {
		const rows = passedAt(probe);
		const isPassed = rows <= offset;
		if (isPassed) {
			low = probe + 1;
			passed = rows;
			if (!isSure) break;
		} else high = probe;
		const next = isPassed ? probe + step : probe - step;
		const isBracketed = low > 0 && high < bounds;
		probe = isBracketed ? (low + high) >>> 1 : Math.min(high - 1, Math.max(low, next));
	}
	return { number: low - 1, passed };
}
