/** Times of a process's threads, as the scheduler counts them in nanoseconds; none where the system does not tell. */

import { readdirSync, readFileSync } from "node:fs";

/** In milliseconds. */
export interface ThreadTimes {
	readonly cpuMs: number;
	/** Able to run, but without a core. */
	readonly waitMs: number;
}

/** Of all threads together. `pid`: as in /proc, so `self` for this process. */
export function threadTimes(pid: string): ThreadTimes {
	let [cpuMs, waitMs] = [0, 0];
	for (const times of timesByThread(pid).values()) {
		cpuMs += times.cpuMs;
		waitMs += times.waitMs;
	}
	return { cpuMs, waitMs };
}

/** By thread, of those that run. */
export function timesByThread(pid: string): Map<string, ThreadTimes> {
	const found = new Map<string, ThreadTimes>();
	if (process.platform !== "linux") return found;
	const tasks = `/proc/${pid}/task`;
	for (const thread of readdirSync(tasks)) {
		const times = timesOf(`${tasks}/${thread}/schedstat`);
		if (times !== null) found.set(thread, times);
	}
	return found;
}

/** Null of a thread that has ended since it was listed. */
function timesOf(path: string): ThreadTimes | null {
	try {
		const [cpu, wait] = readFileSync(path, "latin1").split(" ");
		return { cpuMs: Number(cpu) / 1e6, waitMs: Number(wait) / 1e6 };
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code !== "ENOENT" && code !== "ESRCH") throw error;
		return null;
	}
}
