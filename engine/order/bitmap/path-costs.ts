/** Cost model of the access paths to a page of a bitmap, in nanoseconds, given the page's estimated position. */

import type { Range } from "../../../formats/index.js";
import type { OrderCuts } from "../../columns/order-cuts.js";
import { type RowBitmap, wordsOf } from "../../select/selection.js";
import type { PathEstimates } from "../../trace.js";
import { COST_NS, CUT_SLICES_TAKEN, CUTS_COUNTED, STATE_SLACK_ROWS } from "../../tuning.js";
import type { PageWindow } from "../page-window.js";
import type { PositionEstimate } from "./estimate-position.js";

/** The paths are described in order-bitmap.ts. */
export interface PathCosts {
	readonly indexScan: number;
	/** Infinite where the column has no cuts. */
	readonly seekCuts: number;
	readonly topN: number;
	/** Of `indexScan`, the cost of ordering by further columns. */
	readonly onward: number;
}

/** The cuts of a column's order and of the next one's; null where there are none. */
export interface Cuts {
	readonly own: OrderCuts | null;
	readonly next: OrderCuts | null;
	/** Whether no column follows. */
	readonly isLast: boolean;
}

/** The estimates that a path was chosen by. */
export interface Choice {
	readonly position: PositionEstimate;
	readonly costs: PathCosts;
}

/** A choice as `explain --analyze` prints it. */
export function estimatesOf({ position, costs }: Choice): PathEstimates {
	const seekCuts = Number.isFinite(costs.seekCuts) ? costs.seekCuts : null;
	return { indexScan: costs.indexScan, seekCuts, topN: costs.topN, from: position.from, to: position.to };
}

export function pathCosts(bits: RowBitmap, position: PositionEstimate, cuts: Cuts): PathCosts {
	const { own, isLast } = cuts;
	const { from, to, peersFrom, peersTo, occupied } = position;
	const words = wordsOf(bits);
	const listing = bits.count * COST_NS.listRow + occupied * COST_NS.listOccupied + words * COST_NS.listWord;
	const peerRows = isLast ? 0 : position.share * bits.count;
	const topN = listing + (bits.count + peerRows) * COST_NS.narrowRow;
	const narrowing = words * (COST_NS.andWord + COST_NS.countWord);
	const further = isLast ? 0 : furtherCost(bits, position, cuts, listing, peerRows);
	const byRow = isLast ? 0 : (peersTo - peersFrom) * COST_NS.listStep + peerRows * COST_NS.narrowRow;
	const onward = Math.min(byRow, narrowing + further);
	// How many rows of its first peers precede the page is counted from the nearer end.
	const before = isLast ? 0 : Math.min(peersFrom, from - peersFrom);
	const indexScan = (to + before) * COST_NS.scanStep + onward;
	const seekCuts = own === null ? Number.POSITIVE_INFINITY : seekCost(bits, own, position, further);
	return { indexScan, seekCuts, topN, onward };
}

/**
 * Ordering the rows of the page's peers, as a bitmap, by the next column: by its cuts, or by listing them,
 * where listing the whole selection costs `listing`.
 */
function furtherCost(
	bits: RowBitmap,
	position: PositionEstimate,
	{ next }: Cuts,
	listing: number,
	rows: number,
): number {
	const listed = position.share * listing + rows * COST_NS.narrowRow;
	if (next === null) return listed;
	return Math.min(listed, uniformSeekCost(bits, next, rows));
}

/** Counting rows up to cuts, taking out those between two, and ordering them: by further columns if they are a large fold. */
function seekCost(bits: RowBitmap, cuts: OrderCuts, position: PositionEstimate, further: number): number {
	const slices = cuts.positions.length - 1;
	const isLarge = (position.peersTo - position.peersFrom) * slices > cuts.positions[slices];
	return isLarge ? costOfSlice(bits, 0, 0) + further : uniformSeekCost(bits, cuts, bits.count);
}

/** Seeking a page among `rows` rows, assuming they are uniformly distributed over the slices between cuts. */
function uniformSeekCost(bits: RowBitmap, { positions }: OrderCuts, rows: number): number {
	const share = CUT_SLICES_TAKEN / (positions.length - 1);
	return costOfSlice(bits, share * rows, share * positions[positions.length - 1]);
}

/** Finding a slice and ordering its rows. */
function costOfSlice(bits: RowBitmap, rows: number, positions: number): number {
	const { scanning, taking } = sliceCosts(bits, { from: 0, to: positions, rows });
	return CUTS_COUNTED * wordsOf(bits) * COST_NS.countWord + Math.min(scanning, taking);
}

/** Scanning the positions of a slice, and taking its rows out as a bitmap and selecting from them. */
export function sliceCosts(bits: Range, { from, to, rows }: Range & { readonly rows: number }) {
	return {
		scanning: (to - from) * COST_NS.scanStep,
		taking:
			wordsOf(bits) * (COST_NS.andWord + COST_NS.listWord) +
			rows * (COST_NS.listOccupied + COST_NS.listRow + COST_NS.narrowRow),
	};
}

/** Finding a page in states' orders: all of it, and of that counting rows. */
export interface StateSeekCost {
	readonly all: number;
	readonly counting: number;
}

/**
 * Finding the window's rows in the orders of `states` states, which have `positions` positions, assuming that the
 * rows are uniformly distributed over these.
 */
export function stateSeekCost(
	{ count }: RowBitmap,
	{ offset, limit }: PageWindow,
	states: number,
	positions: number,
): StateSeekCost {
	const share = (offset + limit) / count;
	const listed = Math.min(count, limit + STATE_SLACK_ROWS);
	const counting = positions * Math.min(share, 1 - share) * COST_NS.countStep;
	const listing = (listed / count) * positions * COST_NS.listStep + listed * COST_NS.selectRow;
	return { all: states * COST_NS.seekState + counting + listing, counting };
}

/** The least that any path costs which a sample of the rows would choose. */
export function leastPathCost(bits: RowBitmap, own: OrderCuts | null): number {
	const topN = wordsOf(bits) * COST_NS.listWord + bits.count * (COST_NS.listRow + COST_NS.narrowRow);
	return own === null ? topN : Math.min(topN, uniformSeekCost(bits, own, bits.count));
}
