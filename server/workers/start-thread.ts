/** Starts serving threads. A thread loads its modules at once, and serves after its first message. */

import { Worker } from "node:worker_threads";
import { entryPoint } from "../entry-points.js";

/**
 * Starts a thread, which waits for a ServeMessage (messages.ts). It is unreferenced: it does not keep the process
 * alive. `script`: the module that it runs. Cost: about 0.4 s of CPU time in the thread.
 */
export function startThread(script = entryPoint("workers/thread.js")): Worker {
	const thread = new Worker(script);
	thread.unref();
	return thread;
}
