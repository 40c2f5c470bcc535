/** Chooses where a command's tasks run. */

import type { BuilderTasks } from "./tasks.js";
import { InlinePool } from "./workers/inline-pool.js";
import { WorkerPool } from "./workers/pool.js";
import type { TaskPool } from "./workers/task-pool.js";

/**
 * Bytes of drops, uncompressed, up to which tasks run in the calling thread. A worker thread takes 0.35 s of
 * processor time to load the builder's code. `build` on two cores, in the calling thread and with two threads:
 * 1.1 and 1.8 s of processor time for 1,000 rows (0.2 MB), 1.9 and 3.1 s for 20,000 (4 MB), 2.6 and 4.1 s for
 * 40,000; above that, threads end sooner. Raise it if loading the code takes longer.
 */
export const INLINE_BYTES_MAX = 4 << 20;

/** Bytes of a row of a drop of 2.5 million rows, for work that is counted in rows. */
export const ROW_BYTES = 220;

/**
 * A pool for work on `bytes` of drops. `threads`: as many worker threads; null: one per core, or none for little
 * work. What is written does not depend on the choice.
 */
export function openPool(threads: number | null, bytes: number): TaskPool<BuilderTasks> {
	if (threads === null && bytes <= INLINE_BYTES_MAX)
		return new InlinePool<BuilderTasks>(async () => (await import("./tasks.js")).TASK_HANDLERS);
	return new WorkerPool<BuilderTasks>(threads ?? undefined);
}
