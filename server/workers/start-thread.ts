/** Starts serving threads. A thread loads its modules at once, and serves after its first message. */

import { Worker } from "node:worker_threads";

const SCRIPT = new URL("./thread.js", import.meta.url);

/**
 * Starts a thread, which waits for a ServeMessage (messages.ts). It is unreferenced: it does not keep the process
 * alive. `script`: the module that it runs. Cost: about 0.4 s of CPU time in the thread.
 */
export function startThread(script = SCRIPT): Worker {
	const thread = new Worker(script);
	thread.unref();
	return thread;
}
