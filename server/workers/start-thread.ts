/**
 * Starts serving threads. A thread loads its modules at once, and serves after its first message.
 *
 * Invariant: no thread ends while it loads its modules. One that is terminated while it loads the database's addon
 * aborts the process.
 */

import { Worker } from "node:worker_threads";
import { entryPoint } from "../entry-points.js";
import type { CloseMessage } from "./messages.js";

/** A thread that has not ended after this time is abandoned. */
const END_MS_MAX = 10_000;

/**
 * Starts a thread, which waits for a ServeMessage (messages.ts). It is unreferenced: it does not keep the process
 * alive. `script`: the module that it runs. Cost: about 0.4 s of CPU time in the thread.
 */
export function startThread(script = entryPoint("workers/thread.js")): Worker {
	const thread = new Worker(script);
	thread.unref();
	return thread;
}

/** Ends threads that wait, as soon as each has loaded its modules. Resolves when all have ended. */
export async function endThreads(threads: readonly Worker[]): Promise<void> {
	const message: CloseMessage = { kind: "close", graceMs: 0 };
	const running = threads.filter(({ threadId }) => threadId !== -1);
	const ended = running.map(
		(thread) =>
			new Promise<void>((resolve) => {
				const giveUp = setTimeout(() => {
					thread.unref();
					resolve();
				}, END_MS_MAX);
				thread.once("exit", () => {
					clearTimeout(giveUp);
					resolve();
				});
				thread.ref();
				thread.postMessage(message);
			}),
	);
	await Promise.all(ended);
}
