/** What runs the builder's tasks: worker threads (pool.ts), or the calling thread (inline-pool.ts). */

import type { TaskTable } from "./task-table.js";

export interface TaskOptions {
	/** The worker to run it, 0 to size - 1; default any. */
	readonly worker?: number;
	/** Ahead of every waiting task. Default false. */
	readonly urgent?: boolean;
}

/** A task's output and the worker that ran it. */
export interface TaskResult<Output> {
	readonly output: Output;
	readonly worker: number;
}

/** A pool that runs the tasks of `T`. */
export interface TaskPool<T extends TaskTable<T>> {
	/** Number of workers. */
	readonly size: number;

	/** Runs a task and resolves to its output. Rejects with the task's error, or with `worker_failed`. */
	run<K extends keyof T & string>(
		kind: K,
		input: T[K]["input"],
		options?: TaskOptions,
	): Promise<T[K]["output"]>;

	/** Like {@link run}, and also returns the worker's number. */
	runWithWorker<K extends keyof T & string>(
		kind: K,
		input: T[K]["input"],
		options?: TaskOptions,
	): Promise<TaskResult<T[K]["output"]>>;

	/** Ends the pool. Unfinished tasks fail. */
	close(): Promise<void>;
}
