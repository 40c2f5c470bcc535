/** Periodic tasks, passed in like the clock, so that tests control when they run. */

import { SYSTEM_CLOCK } from "./clock.js";

export interface Scheduler {
	/** Runs `task` every `intervalMs` until the returned function is called. Runs never overlap. */
	every(intervalMs: number, task: () => void): () => void;
	/** As {@link every}, aligned to multiples of the interval on the machine's clock, so that all threads run at once. */
	everyAligned(intervalMs: number, task: () => void): () => void;
}

/** Share of the interval. A timer may fire early; if less than this is left, it waits for the multiple after. */
export const WAITED_SHARE_MIN = 1 / 4;

/** Timers of Node that do not keep the process alive. */
export const TIMERS: Scheduler = {
	every(intervalMs, task) {
		const timer = setInterval(task, intervalMs);
		timer.unref();
		return () => clearInterval(timer);
	},
	everyAligned(intervalMs, task) {
		let timer: NodeJS.Timeout;
		const wait = () => {
			const left = intervalMs - (SYSTEM_CLOCK.now() % intervalMs);
			timer = setTimeout(run, left < intervalMs * WAITED_SHARE_MIN ? left + intervalMs : left);
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
