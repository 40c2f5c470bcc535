/**
 * Every kind of task that the builder's worker threads do. A half of the builder adds its kinds by one
 * line in each of the two lists here. Inputs and outputs are plain data and shared memory: they pass a
 * thread's border by structured clone, which copies everything but a SharedArrayBuffer.
 */

import { CHANGES_TASK_HANDLERS, type ChangesTasks } from "./changes/tasks.js";
import { COMPILE_TASK_HANDLERS, type CompileTasks } from "./compile/tasks.js";
import { CSV_TASK_HANDLERS, type CsvTasks } from "./csv/tasks.js";
import { EXPORT_TASK_HANDLERS, type ExportTasks } from "./export/tasks.js";
import { VERIFY_TASK_HANDLERS, type VerifyTasks } from "./verify/tasks.js";
import type { TaskHandlers } from "./workers/task-table.js";

/** Tasks by kind: what each takes and gives. */
export interface BuilderTasks extends CsvTasks, CompileTasks, ChangesTasks, ExportTasks, VerifyTasks {}

/** What each kind of task does. */
export const TASK_HANDLERS: TaskHandlers<BuilderTasks> = {
	...CSV_TASK_HANDLERS,
	...COMPILE_TASK_HANDLERS,
	...CHANGES_TASK_HANDLERS,
	...EXPORT_TASK_HANDLERS,
	...VERIFY_TASK_HANDLERS,
};
