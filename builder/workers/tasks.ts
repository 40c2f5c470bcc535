/**
 * Every kind of task a worker thread does: a half of the builder adds its kinds by one line in each of
 * the two lists here. Inputs and outputs are plain data and shared memory: they pass a thread's border
 * by structured clone, which copies everything but a SharedArrayBuffer.
 */

import { CSV_TASK_HANDLERS, type CsvTasks } from "../csv/chunk-parser.js";

/** Tasks by kind: what each takes and gives. */
export interface Tasks extends CsvTasks {}

export type TaskKind = keyof Tasks;
export type TaskInput<K extends TaskKind> = Tasks[K]["input"];
export type TaskOutput<K extends TaskKind> = Tasks[K]["output"];

/** What each kind of task does. */
export const TASK_HANDLERS: {
	readonly [K in TaskKind]: (input: TaskInput<K>) => TaskOutput<K> | Promise<TaskOutput<K>>;
} = {
	...CSV_TASK_HANDLERS,
};
