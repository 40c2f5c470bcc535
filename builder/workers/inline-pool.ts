/**
 * Runs tasks in the calling thread, in order of submission: a worker thread takes longer to start than a small
 * month takes to build (open-pool.ts). Results and errors are those of worker threads.
 */

import { BuildError } from "../errors.js";
import { errorFromData } from "./messages.js";
import { outcomeOf } from "./serve-tasks.js";
import type { TaskPool, TaskResult } from "./task-pool.js";
import type { TaskHandlers, TaskTable } from "./task-table.js";

/** A pool of one worker, the calling thread. */
export class InlinePool<T extends TaskTable<T>> implements TaskPool<T> {
	readonly size = 1;
	private isClosed = false;

	/** `load` loads the tasks' code when the first of them is run. */
	constructor(private readonly load: () => Promise<TaskHandlers<T>>) {}

	async run<K extends keyof T & string>(kind: K, input: T[K]["input"]): Promise<T[K]["output"]> {
		return (await this.runWithWorker(kind, input)).output;
	}

	async runWithWorker<K extends keyof T & string>(
		kind: K,
		input: T[K]["input"],
	): Promise<TaskResult<T[K]["output"]>> {
		const handlers = await this.load();
		if (this.isClosed) throw new BuildError("worker_failed", "the worker pool is closed");
		const outcome = await outcomeOf(handlers, { kind, input });
		if (!outcome.ok) throw errorFromData(outcome.error);
		return { output: outcome.output as T[K]["output"], worker: 0 };
	}

	async close(): Promise<void> {
		this.isClosed = true;
	}
}
