/** What planning reads of a snapshot. */

import type { Run } from "../columns/runs.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import type { StateTable } from "../columns/state-table.js";

export interface PlanningContext {
	readonly rows: number;
	/** States that have rows. */
	readonly states: StateTable;
	/** All of them joined: one run of all rows, or none. */
	readonly runs: readonly Run[];
	readonly columns: SnapshotColumns;
}
