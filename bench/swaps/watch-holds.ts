/**
 * Imported by every thread of a server whose hot swaps are measured: records how long the thread was held, as the delay
 * of a timer of one millisecond, how much of that it waited for a core, and how much it ran, as the kernel counts both. The
 * rest it waited for memory, a lock or a disk, or the host of a virtual machine gave its cores to others.
 */

import { appendFileSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { isMainThread, threadId } from "node:worker_threads";

/** Names the folder that holds are recorded in, a file by thread. */
export const HOLDS_VARIABLE = "ROLLCALL_BENCH_HOLDS";

/** What a thread records: one JSON document a line. */
export interface Hold {
	/** When it ended, in milliseconds since 1970. */
	readonly atMs: number;
	readonly heldMs: number;
	/** Able to run, but without a core; 0 where the system does not tell. */
	readonly waitedMs: number;
	/** Processor time; 0 where the system does not tell. */
	readonly ranMs: number;
	readonly isMainThread: boolean;
}

const TIMER_MS = 1;
/** Shorter holds are not recorded. */
const RECORDED_MS_MIN = 1;
const NS_PER_MS = 1e6;
const SCHEDULE_BYTES_MAX = 128;

function watchHolds(folder: string): void {
	const file = join(folder, `${threadId}.jsonl`);
	const schedule = scheduleOf();
	let lastMs = performance.now();
	let last = schedule();
	setInterval(() => {
		const nowMs = performance.now();
		const now = schedule();
		const heldMs = nowMs - lastMs - TIMER_MS;
		if (heldMs >= RECORDED_MS_MIN) {
			const waitedMs = now.waitedMs - last.waitedMs;
			const hold: Hold = { atMs: Date.now(), heldMs, waitedMs, ranMs: now.ranMs - last.ranMs, isMainThread };
			appendFileSync(file, `${JSON.stringify(hold)}\n`);
		}
		lastMs = performance.now();
		last = schedule();
	}, TIMER_MS).unref();
}

/** Reads how long this thread has run, and how long it has waited for a core, so far. */
function scheduleOf(): () => Pick<Hold, "ranMs" | "waitedMs"> {
	if (process.platform !== "linux") return () => ({ ranMs: 0, waitedMs: 0 });
	const file = openSync("/proc/thread-self/schedstat", "r");
	const text = Buffer.alloc(SCHEDULE_BYTES_MAX);
	return () => {
		// Has the kernel count what the thread has run since the last tick, up to 4 ms.
		process.cpuUsage();
		const bytes = readSync(file, text, 0, text.length, 0);
		const [ranNs, waitedNs] = text.toString("latin1", 0, bytes).split(" ");
		return { ranMs: Number(ranNs) / NS_PER_MS, waitedMs: Number(waitedNs) / NS_PER_MS };
	};
}

const folder = process.env[HOLDS_VARIABLE];
if (folder !== undefined) watchHolds(folder);
