/**
 * Every kind of task of the builder's worker threads. Each part of the builder adds its kinds to the two lists
 * here. Inputs and outputs are plain data and shared memory: structured clone copies everything except a
 * SharedArrayBuffer.
 */

import { CHANGES_TASK_HANDLERS, type ChangesTasks } from "./changes/tasks.js";
import { COMPILE_TASK_HANDLERS, type CompileTasks } from "./compile/tasks.js";
import { CSV_TASK_HANDLERS, type CsvTasks } from "./csv/tasks.js";
import { EXPORT_TASK_HANDLERS, type ExportTasks } from "./export/tasks.js";
import { VERIFY_TASK_HANDLERS, type VerifyTasks } from "./verify/tasks.js";
import type { TaskHandlers } from "./workers/task-table.js";

/** Tasks by kind, with their input and output. */
export interface BuilderTasks extends CsvTasks, CompileTasks, ChangesTasks, ExportTasks, VerifyTasks {}

/** The implementation of each kind of task. */
export const TASK_HANDLERS: TaskHandlers<BuilderTasks> = {
	...CSV_TASK_HANDLERS,
	...COMPILE_TASK_HANDLERS,
	...CHANGES_TASK_HANDLERS,
	...EXPORT_TASK_HANDLERS,
	...VERIFY_TASK_HANDLERS,
};
