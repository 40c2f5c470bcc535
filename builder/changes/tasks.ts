/** Comparison of months as a task for the builder's worker threads. */

import { compareMonths } from "../../engine/index.js";
import { SnapshotFiles, writeChanges } from "../../formats/index.js";

/** Tasks by kind: what each takes and gives. */
export interface ChangesTasks {
	"compare-months": {
		/** Folders of the older and the newer month, and an empty one that the changes are written to. */
		input: { readonly from: string; readonly to: string; readonly target: string };
		output: null;
	};
}

/** Runs a task somewhere and gives its result. */
export type RunChangesTask = (
	kind: "compare-months",
	input: ChangesTasks["compare-months"]["input"],
) => Promise<null> | null;

/** What each kind of task does. */
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
