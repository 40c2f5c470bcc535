/** Repeated work, passed in as the clock is, so that tests run it when they like. */

export interface Scheduler {
	/** Runs `task` every `intervalMs` until the function returned is called. Never runs it twice at a time. */
	every(intervalMs: number, task: () => void): () => void;
}

/** Timers of Node; they keep no process alive. */
export const TIMERS: Scheduler = {
	every(intervalMs, task) {
		const timer = setInterval(task, intervalMs);
		timer.unref();
		return () => clearInterval(timer);
	},
};
