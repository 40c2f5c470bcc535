/** What planning reads of a snapshot. */

import type { StateRun } from "../../formats/index.js";
import type { Run } from "../columns/runs.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";

export interface PlanningContext {
	readonly rows: number;
	/** States that have rows. */
	readonly states: readonly StateRun[];
	/** All of them joined: one run of all rows, or none. */
	readonly runs: readonly Run[];
	readonly columns: SnapshotColumns;
}
