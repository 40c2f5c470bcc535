/** Comparison of months as tasks for the builder's worker threads. */

import type { OlderRowsInput } from "./older-rows.js";

/** Tasks by kind, with their input and output. */
export interface ChangesTasks {
	"compare-months": {
		/** Folders of the older month, of the newer month, and an empty target folder. */
		input: { readonly from: string; readonly to: string; readonly target: string };
		output: null;
	};
	/** Whether the rows were few and short enough to be stored. */
	"write-older-rows": { input: OlderRowsInput; output: boolean };
}

/** Runs a task, in this thread or a worker. */
export type RunChangesTask = <Kind extends keyof ChangesTasks>(
	kind: Kind,
	input: ChangesTasks[Kind]["input"],
) => Promise<ChangesTasks[Kind]["output"]>;

/** The implementation of each kind of task. */
export const CHANGES_TASK_HANDLERS = {
	// Loaded with the first task, since commands that only maintain the changes rarely compare months.
	"compare-months": async ({ from, to, target }: ChangesTasks["compare-months"]["input"]): Promise<null> => {
		const { writeComparison } = await import("./write-comparison.js");
		writeComparison(from, to, target);
		return null;
	},
	"write-older-rows": async (input: OlderRowsInput): Promise<boolean> =>
		(await import("./older-rows.js")).writeOlderRows(input),
};
