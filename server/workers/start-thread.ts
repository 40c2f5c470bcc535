/**
 * Starts serving threads. A thread loads its modules at once, and serves after its first message.
 *
 * Invariant: no thread ends while it loads its modules. One that is terminated while it loads the database's addon
 * aborts the process.
 */

import { Worker } from "node:worker_threads";
import { entryPoint } from "../entry-points.js";
import type { CloseMessage } from "./messages.js";

/** A thread that only waits, or still loads its modules, and has not ended after this time is given up. */
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
	const running = threads.filter(({ threadId }) => threadId !== -1);
	await Promise.all(
		running.map((thread) => {
			thread.ref();
			return closeThread(thread, 0, END_MS_MAX);
		}),
	);
}

/**
 * Asks a thread to finish its requests within `graceMs` and to end. Resolves to true when it has ended; to false after
 * `giveUpMs`, when it no longer keeps the process alive.
 */
export function closeThread(thread: Worker, graceMs: number, giveUpMs: number): Promise<boolean> {
	const message: CloseMessage = { kind: "close", graceMs };
	return new Promise((resolve) => {
		const giveUp = setTimeout(() => {
			thread.unref();
			resolve(false);
		}, giveUpMs);
		thread.once("exit", () => {
			clearTimeout(giveUp);
			resolve(true);
		});
		thread.postMessage(message);
	});
}
