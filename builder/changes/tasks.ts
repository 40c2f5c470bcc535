/** Comparison of months as a task for the builder's worker threads. */

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
) => Promise<null>;

/** The implementation of each kind of task. */
export const CHANGES_TASK_HANDLERS = {
	// Loaded with the first task, since commands that only maintain the changes rarely compare months.
	"compare-months": async ({ from, to, target }: ChangesTasks["compare-months"]["input"]): Promise<null> => {
		const { writeComparison } = await import("./write-comparison.js");
		writeComparison(from, to, target);
		return null;
	},
};
