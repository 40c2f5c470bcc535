/** Pages as the order step passes them on: which rows of an order, and what they are taken of. */

import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import type { Plan } from "../plan/plan.js";
import type { Scratch } from "../scratch.js";

/** Rows [offset, offset + limit) of an order, as in SQL. */
export interface PageWindow {
	readonly offset: number;
	readonly limit: number;
}

/** A page of what a plan selects. All of its rows exist. */
export interface PageRequest extends PageWindow {
	readonly plan: Plan;
	readonly columns: SnapshotColumns;
	/** The rows are written to its `page`. */
	readonly scratch: Scratch;
}
