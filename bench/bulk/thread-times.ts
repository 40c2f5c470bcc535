/** Times of a process's threads, as the scheduler counts them in nanoseconds; zeros where the system does not tell. */

import { readdirSync, readFileSync } from "node:fs";

/** In milliseconds. */
export interface ThreadTimes {
	cpuMs: number;
	/** Able to run, but without a core. */
	waitMs: number;
}

/** Of all threads together. `pid`: as in /proc, so `self` for this process. */
export function threadTimes(pid: string): ThreadTimes {
	const times: ThreadTimes = { cpuMs: 0, waitMs: 0 };
	if (process.platform !== "linux") return times;
	const tasks = `/proc/${pid}/task`;
	for (const thread of readdirSync(tasks)) addTimesOf(`${tasks}/${thread}/schedstat`, times);
	return times;
}

/** Adds nothing of a thread that has ended since it was listed. */
function addTimesOf(path: string, times: ThreadTimes): void {
	try {
		const [cpu, wait] = readFileSync(path, "latin1").split(" ");
		times.cpuMs += Number(cpu) / 1e6;
		times.waitMs += Number(wait) / 1e6;
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code !== "ENOENT" && code !== "ESRCH") throw error;
	}
}
