/** A selection: the rows that match a query, as the order step receives them. */

import type { Range } from "../../formats/index.js";
import type { CountedBlocks } from "../columns/block-counts.js";
import type { CountedOrder } from "../columns/order-counts.js";
import type { Run } from "../columns/runs.js";
import type { MatchedRows } from "../names/best-match.js";

/** Matching rows. A list is in `scratch.list`, the parts of what is merged or counted are in the plan. */
export type Selection =
	| { readonly kind: "empty"; readonly count: 0 }
	| { readonly kind: "runs"; readonly count: number; readonly runs: readonly Run[] }
	| SliceSelection
	| { readonly kind: "merge" | "counted"; readonly count: number }
	| ListSelection
	| NamesSelection
	| BitmapSelection;

/** What a page is taken of. */
export type PageSelection = Selection | BlockSelection | PositionSelection;

/** Indexes [from, from + count) of `rows`, in ascending sort order. */
export interface SliceSelection {
	readonly kind: "slice";
	readonly count: number;
	readonly rows: Uint32Array;
	readonly from: number;
}

export interface ListSelection {
	readonly kind: "list";
	readonly count: number;
	/** Whether the list ascends. */
	readonly ascending: boolean;
}

/** Rows whose names match, ascending in `scratch.list`. */
export interface NamesSelection extends MatchedRows {
	readonly kind: "names";
}

/** `words` is `scratch.selected` or a stored bitmap. */
export interface BitmapSelection extends RowBitmap {
	readonly kind: "bitmap";
}

/** Rows in order of id that were counted by block before and have not been found. */
export interface BlockSelection {
	readonly kind: "blocks";
	readonly count: number;
	readonly blocks: CountedBlocks;
}

/** Rows that are counted along their order and have not been found. */
export interface PositionSelection {
	readonly kind: "positions";
	readonly count: number;
	readonly counted: CountedOrder;
}

/** A set of rows as a bitmap that is zero outside of words [from, to). */
export interface RowBitmap extends Range {
	readonly words: Uint32Array;
	/** Set bits. */
	readonly count: number;
}

/** Words in a bitmap's range. */
export function wordsOf({ from, to }: Range): number {
	return to - from;
}

/** The words that hold ascending runs, of which there is at least one. */
export function wordsOfRuns(runs: readonly Run[]): Range {
	return { from: runs[0].from >>> 5, to: ((runs[runs.length - 1].to - 1) >>> 5) + 1 };
}
