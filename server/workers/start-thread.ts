/** Starts threads that serve. They load their modules at once, and serve when they are sent what. */

import { Worker } from "node:worker_threads";

const SCRIPT = new URL("./thread.js", import.meta.url);

/**
 * A thread that waits for a {@link ServeMessage}. Until it is referenced it does not keep the process alive.
 * `script`: the module that it runs. Cost: some 0.4 s of processor time in the thread.
 */
export function startThread(script = SCRIPT): Worker {
	const thread = new Worker(script);
	thread.unref();
	return thread;
}
