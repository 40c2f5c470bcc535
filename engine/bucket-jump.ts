/**
 * Jumping along a sort order: a column's cumulative bitmaps tell how many rows of a selection lie before
 * their bounds, so that a walk to a deep page begins at the bound before it. Cost O(words) a bound that
 * is asked, of which there are O(log bounds).
 */

import type { CumulativeBitmaps } from "../formats/index.js";
import { COST_NS } from "./cost.js";
import type { RowBits } from "./groups.js";
import { countCommon } from "./kernels/bitmap.js";
import type { Work } from "./scratch.js";
import type { Walk } from "./walk.js";

/** A walk that begins further along, and how many matches it passed. */
export interface Jump {
	readonly walk: Walk;
	readonly passed: number;
}

/**
 * A walk from a bound that at most `offset` rows of `bits` lie before, near the page where rows lie
 * evenly. The walk must hold all rows of `bits`, in the order of the snapshot; null where a descending
 * one ends in rows without a value.
 */
export function jumpToBucket(
	bits: RowBits,
	walk: Walk,
	cumulative: CumulativeBitmaps,
	offset: number,
	work: Work,
): Jump | null {
	const isDescending = walk.order === "desc";
	if (isDescending && walk.nullsFrom < walk.to) return null;
	const { bounds } = cumulative;
	// Rows that lie before the page, whichever way it is walked to.
	const target = isDescending ? bits.count - offset : offset;
	// Steps that cost as much as asking another bound.
	const nearSteps = ((bits.toWord - bits.fromWord) * COST_NS.countWord) / COST_NS.walkStep;
	const nearRows = (nearSteps * bits.count) / (walk.to - walk.from);
	// Bounds below `low` have `before` rows or fewer before them, those from `high` on `above` or more.
	let low = 0;
	let high = bounds.length;
	let before = 0;
	let above = bits.count;
	while (low < high && (isDescending ? above - target : target - before) > nearRows) {
		const share = above === before ? 0.5 : (target - before) / (above - before);
		const guess = Math.min(high - 1, low + Math.floor(share * (high - low)));
		work.add(bits.toWord - bits.fromWord);
		const count = countCommon(bits.words, cumulative.bitmap(guess), bits.fromWord, bits.toWord);
		if (isDescending ? count < target : count <= target) {
			low = guess + 1;
			before = count;
		} else {
			high = guess;
			above = count;
		}
	}
	if (isDescending) {
		const to = high === bounds.length ? walk.to : Math.min(walk.to, bounds[high]);
		return { walk: walk.between(Math.min(walk.from, to), to), passed: bits.count - above };
	}
	const from = low === 0 ? walk.from : Math.min(walk.to, Math.max(walk.from, bounds[low - 1]));
	return { walk: walk.between(from, walk.to), passed: before };
}
