/** Exporting as tasks for the builder's worker threads: a file of one state, and one of a whole month. */

import type { WrittenFile } from "./parquet-file.js";
import type { MonthExport, StateExport } from "./write-exports.js";

/** Tasks by kind: what each takes and gives. */
export interface ExportTasks {
	"export-state": { input: StateExport; output: WrittenFile };
	"export-month": { input: MonthExport; output: WrittenFile };
}

/** What each kind of task does. Its code is loaded with the first: no other command needs it. */
export const EXPORT_TASK_HANDLERS = {
	"export-state": async (input: StateExport): Promise<WrittenFile> =>
		(await import("./write-exports.js")).writeState(input),
	"export-month": async (input: MonthExport): Promise<WrittenFile> =>
		(await import("./write-exports.js")).writeMonth(input),
};
