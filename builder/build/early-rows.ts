/**
 * Writes a month's stored rows while the month is read back and judged, which keep one thread busy: judging waits for the
 * last rows, beside which a core has nothing else to do. A month that is refused has its rows abandoned, and they are not
 * visible before it is published.
 */

import { writeRowStore } from "../compile/compile-month.js";
import type { BuilderTasks } from "../tasks.js";
import type { TaskPool } from "../workers/task-pool.js";

export class EarlyRows {
	private readonly tasks: Promise<unknown>[] = [];
	private readonly written: Promise<void>;
	private ended = 0;
	/** Called when a task ends. */
	private onEnd: (() => void) | null = null;

	/** Begins to write the rows of the snapshot of `rows` rows in `folder`, which has none. */
	constructor(
		folder: string,
		rows: number,
		private readonly pool: TaskPool<BuilderTasks>,
	) {
		this.written = writeRowStore(folder, rows, (kind, input) => {
			const task = pool.run(kind, input);
			this.tasks.push(task);
			const end = () => {
				this.ended++;
				this.onEnd?.();
			};
			task.then(end, end);
			return task;
		});
		// Reported by finish, unless the month is refused before.
		this.written.catch(() => undefined);
	}

	/** Ends once fewer tasks are left than the pool has workers. One that failed has ended; {@link finish} reports it. */
	async untilLast(): Promise<void> {
		await new Promise<void>((resolve) => {
			this.onEnd = () => {
				if (this.tasks.length - this.ended < this.pool.size) resolve();
			};
			this.onEnd();
		});
	}

	/** Ends once the rows are written; `count` is given each of the tasks. Throws `BuildError`. */
	async finish(count: (task: Promise<unknown>) => Promise<unknown>): Promise<void> {
		for (const task of this.tasks) count(task).catch(() => undefined);
		await this.written;
	}

	/** Stops writing. The folder may be removed, and no task be run, afterwards. */
	async abandon(): Promise<void> {
		await this.pool.close();
		await Promise.allSettled([...this.tasks, this.written]);
	}
}
