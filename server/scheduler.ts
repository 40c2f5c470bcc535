/** Periodic tasks, passed in like the clock, so that tests control when they run. */

export interface Scheduler {
	/** Runs `task` every `intervalMs` until the returned function is called. Runs never overlap. */
	every(intervalMs: number, task: () => void): () => void;
	/** As {@link every}, when the machine's clock shows a multiple of the interval: all threads run theirs together. */
	inStep(intervalMs: number, task: () => void): () => void;
}

/** A timer that is up earlier than this share of its interval was up early before: the next multiple is meant. */
const EARLY = 1 / 4;

/** Timers of Node that do not keep the process alive. */
export const TIMERS: Scheduler = {
	every(intervalMs, task) {
		const timer = setInterval(task, intervalMs);
		timer.unref();
		return () => clearInterval(timer);
	},
	inStep(intervalMs, task) {
		let timer: NodeJS.Timeout;
		const wait = () => {
			const left = intervalMs - (Date.now() % intervalMs);
			timer = setTimeout(run, left < intervalMs * EARLY ? left + intervalMs : left);
			timer.unref();
		};
		const run = () => {
			wait();
			task();
		};
		wait();
		return () => clearTimeout(timer);
	},
};
