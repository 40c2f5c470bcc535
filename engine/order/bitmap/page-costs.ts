/**
 * What the ways to a page of a bitmap cost in nanoseconds, by where a sample says that it lies
 * (page-forecast.ts).
 */

import type { OrderCuts } from "../../columns/order-cuts.js";
import { COST_NS } from "../../plan/costs.js";
import type { RowBits, WordRange } from "./groups.js";
import type { Forecast } from "./page-estimate.js";

export interface PageCosts {
	/** To walk from the beginning, and to order what is found by further columns. */
	readonly walking: number;
	/** To take out the rows between two cuts of the order, and to order these. */
	readonly jumping: number;
	/** To list all rows and select of them. */
	readonly selecting: number;
	/** Of `walking`, what ordering by further columns costs. */
	readonly onward: number;
}

/** The cuts of a column's order and of the next one's; null where there are none. */
export interface Cuts {
	readonly own: OrderCuts | null;
	readonly next: OrderCuts | null;
	/** Whether no column follows. */
	readonly isLast: boolean;
}

/** Cuts that rows are counted up to, as a rule. */
const CUTS_COUNTED = 3;

/** Pieces between two cuts that a page lies in, on average. */
const PIECES_TAKEN = 1.5;

export function pageCosts(bits: RowBits, forecast: Forecast, cuts: Cuts): PageCosts {
	const { own, isLast } = cuts;
	const { from, to, groupsFrom, groupsTo, occupied } = forecast;
	const words = bits.toWord - bits.fromWord;
	const listing = bits.count * COST_NS.listRow + occupied * COST_NS.listOccupied + words * COST_NS.listWord;
	const groupRows = isLast ? 0 : forecast.share * bits.count;
	const selecting = listing + (bits.count + groupRows) * COST_NS.narrowRow;
	const narrowing = words * (COST_NS.andWord + COST_NS.countWord);
	const further = isLast ? 0 : furtherCost(bits, forecast, cuts, listing, groupRows);
	const byRow = isLast ? 0 : (groupsTo - groupsFrom) * COST_NS.listStep + groupRows * COST_NS.narrowRow;
	const onward = Math.min(byRow, narrowing + further);
	// How many rows of its first group come before the page is counted from the nearer side.
	const before = isLast ? 0 : Math.min(groupsFrom, from - groupsFrom);
	const walking = (to + before) * COST_NS.walkStep + onward;
	const jumping = own === null ? Number.POSITIVE_INFINITY : jumpCost(bits, own, forecast, further);
	return { walking, jumping, selecting, onward };
}

/**
 * What it costs to order the rows of the groups that a page lies in, made a bitmap, by the next column: jumped
 * along, or listed as `listing` all of them would cost.
 */
function furtherCost(
	bits: RowBits,
	forecast: Forecast,
	{ next }: Cuts,
	listing: number,
	rows: number,
): number {
	const listed = forecast.share * listing + rows * COST_NS.narrowRow;
	if (next === null) return listed;
	return Math.min(listed, evenJumpCost(bits, next, rows));
}

/** What it costs to count rows up to cuts, to take out those between two, and to order these: by further columns where they are a large group. */
function jumpCost(bits: RowBits, cuts: OrderCuts, forecast: Forecast, further: number): number {
	const pieces = cuts.positions.length - 1;
	const isLarge = (forecast.groupsTo - forecast.groupsFrom) * pieces > cuts.positions[pieces];
	return isLarge ? costToPiece(bits, 0, 0) + further : evenJumpCost(bits, cuts, bits.count);
}

/** What it costs to jump to a page of so many rows, which lie even, and to order the pieces that it lies in. */
function evenJumpCost(bits: RowBits, { positions }: OrderCuts, rows: number): number {
	const share = PIECES_TAKEN / (positions.length - 1);
	return costToPiece(bits, share * rows, share * positions[positions.length - 1]);
}

/** What it costs to find a piece and to order its rows. */
function costToPiece(bits: WordRange, rows: number, positions: number): number {
	const { walking, taking } = pieceCosts(bits, { from: 0, to: positions, rows });
	return CUTS_COUNTED * (bits.toWord - bits.fromWord) * COST_NS.countWord + Math.min(walking, taking);
}

/** What it costs to walk through a piece, and to take its rows out and to select of them. */
export function pieceCosts(
	{ fromWord, toWord }: WordRange,
	{ from, to, rows }: { readonly from: number; readonly to: number; readonly rows: number },
) {
	const words = toWord - fromWord;
	return {
		walking: (to - from) * COST_NS.walkStep,
		taking:
			words * (COST_NS.andWord + COST_NS.listWord) +
			rows * (COST_NS.listOccupied + COST_NS.listRow + COST_NS.narrowRow),
	};
}
