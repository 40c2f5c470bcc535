/** Comparison of months as a task for the builder's worker threads. */

import { compareMonths } from "../../engine/index.js";
import { SnapshotFiles, writeChanges } from "../../formats/index.js";

/** Tasks by kind, with their input and output. */
export interface ChangesTasks {
	"compare-months": {
		/** Folders of the older month, of the newer month, and an empty target folder. */
		input: { readonly from: string; readonly to: string; readonly target: string };
		output: null;
	};
}

/** Runs a task, in this thread or a worker. */
export type RunChangesTask = (
	kind: "compare-months",
	input: ChangesTasks["compare-months"]["input"],
) => Promise<null> | null;

/** The implementation of each kind of task. */
export const CHANGES_TASK_HANDLERS = {
	"compare-months": ({ from, to, target }: ChangesTasks["compare-months"]["input"]): null => {
		const [older, newer] = [SnapshotFiles.open(from), SnapshotFiles.open(to)];
		const changes = compareMonths(older, newer);
		writeChanges(target, described(older), described(newer), changes);
		return null;
	},
};

function described({ catalog, crc }: SnapshotFiles) {
	return { month: catalog.month, rows: catalog.rows, crc };
}
