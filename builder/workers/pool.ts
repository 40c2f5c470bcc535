/**
 * Worker threads that run the builder's tasks concurrently.
 *
 * A task is given to the first idle worker in order of submission, urgent ones first, unless it specifies a
 * worker. Every task ends with its output or an error. If a thread crashes, its task and all later ones fail
 * with `worker_failed`, so a build fails and never hangs.
 */

import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { invariant } from "../../formats/errors.js";
import { BuildError } from "../errors.js";
import { errorFromData, type OutcomeMessage, type TaskMessage } from "./messages.js";
import type { TaskOptions, TaskPool, TaskResult } from "./task-pool.js";
import type { TaskTable } from "./task-table.js";

/**
 * Maximum worker threads of a pool. Each takes two chunks, its dictionaries and about 30 MiB; beyond the number
 * of cores, more threads only cost memory.
 */
export const THREADS_MAX = 256;

/** One worker thread per core, at most {@link THREADS_MAX}. */
function defaultThreads(): number {
	return Math.min(availableParallelism(), THREADS_MAX);
}

/** The script of worker threads. */
const TASK_WORKER = new URL("../task-worker.js", import.meta.url);

interface WaitingTask {
	readonly message: TaskMessage;
	readonly worker: number | null;
	readonly resolve: (result: TaskResult<unknown>) => void;
	readonly reject: (error: Error) => void;
}

interface PoolWorker {
	/** Null before its first task: loading the code takes longer than refusing an invalid drop. */
	thread: Worker | null;
	task: WaitingTask | null;
}

/** A pool that runs the tasks of `T`, by default all of builder/tasks.ts. */
export class WorkerPool<T extends TaskTable<T>> implements TaskPool<T> {
	readonly size: number;
	private readonly workers: PoolWorker[];
	private readonly waiting: WaitingTask[] = [];
	/** Why the pool runs no more tasks; null while it does. */
	private ended: BuildError | null = null;

	/** A pool of `threads` worker threads, 1 to {@link THREADS_MAX}; default: one per core. Each starts with its first task. */
	constructor(threads: number = defaultThreads()) {
		const isValid = Number.isInteger(threads) && threads >= 1 && threads <= THREADS_MAX;
		invariant(isValid, `a pool has 1 to ${THREADS_MAX} threads`);
		this.size = threads;
		this.workers = Array.from({ length: threads }, () => ({ thread: null, task: null }));
	}

	async run<K extends keyof T & string>(
		kind: K,
		input: T[K]["input"],
		options: TaskOptions = {},
	): Promise<T[K]["output"]> {
		return (await this.runWithWorker(kind, input, options)).output;
	}

	runWithWorker<K extends keyof T & string>(
		kind: K,
		input: T[K]["input"],
		options: TaskOptions = {},
	): Promise<TaskResult<T[K]["output"]>> {
		if (this.ended !== null) return Promise.reject(this.ended);
		return new Promise((resolve, reject) => {
			const task: WaitingTask = {
				message: { kind, input },
				worker: options.worker ?? null,
				resolve: resolve as WaitingTask["resolve"],
				reject,
			};
			if (options.urgent === true) this.waiting.unshift(task);
			else this.waiting.push(task);
			this.dispatch();
		});
	}

	async close(): Promise<void> {
		this.end(new BuildError("worker_failed", "the worker pool is closed"));
		await Promise.all(this.workers.map(({ thread }) => thread?.terminate()));
	}

	private start(index: number): Worker {
		const thread = new Worker(TASK_WORKER);
		thread.on("message", (outcome: OutcomeMessage) => this.settle(index, outcome));
		thread.on("messageerror", (error) => this.fail(error.message));
		thread.on("error", (error) => this.fail(error.message));
		thread.on("exit", (code) => this.fail(`it exited with code ${code}`));
		// An idle pool must not keep a process alive.
		thread.unref();
		return thread;
	}

	private dispatch(): void {
		// Started threads first; a new one is started if all of them are busy.
		for (const isStarted of [true, false])
			this.workers.forEach((worker, index) => {
				if (worker.task === null && (worker.thread !== null) === isStarted) this.dispatchTo(worker, index);
			});
	}

	private dispatchTo(worker: PoolWorker, index: number): void {
		const next = this.waiting.findIndex((task) => task.worker === null || task.worker === index);
		if (next < 0) return;
		const [task] = this.waiting.splice(next, 1);
		worker.task = task;
		worker.thread ??= this.start(index);
		worker.thread.ref();
		worker.thread.postMessage(task.message);
	}

	private settle(index: number, outcome: OutcomeMessage): void {
		const worker = this.workers[index];
		const { task } = worker;
		if (task === null) return;
		worker.task = null;
		worker.thread?.unref();
		if (outcome.ok) task.resolve({ output: outcome.output, worker: index });
		else task.reject(errorFromData(outcome.error));
		this.dispatch();
	}

	private fail(why: string): void {
		this.end(new BuildError("worker_failed", `a worker thread died: ${why}`));
	}

	private end(error: BuildError): void {
		if (this.ended !== null) return;
		this.ended = error;
		const tasks = [...this.workers.flatMap(({ task }) => task ?? []), ...this.waiting];
		for (const worker of this.workers) worker.task = null;
		this.waiting.length = 0;
		for (const task of tasks) task.reject(error);
	}
}
