/** Periodic tasks, passed in like the clock, so that tests control when they run. */

export interface Scheduler {
	/** Runs `task` every `intervalMs` until the returned function is called. Runs never overlap. */
	every(intervalMs: number, task: () => void): () => void;
}

/** Timers of Node that do not keep the process alive. */
export const TIMERS: Scheduler = {
	every(intervalMs, task) {
		const timer = setInterval(task, intervalMs);
		timer.unref();
		return () => clearInterval(timer);
	},
};
