/**
 * Loaded into the server's threads before its own code: ends one serving thread, abruptly, when the
 * file that SOAK_THREAD_KILL_FILE names appears. The thread that takes the file away is the one.
 */

import { renameSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const LOOK_INTERVAL_MS = 100;
const file = process.env.SOAK_THREAD_KILL_FILE;

function takesFile(path: string): boolean {
	try {
		renameSync(path, `${path}.taken`);
		return true;
	} catch {
		// It is not there, or another thread was faster.
		return false;
	}
}

if (!isMainThread && file !== undefined) {
	setInterval(() => {
		if (takesFile(file)) process.exit(9);
	}, LOOK_INTERVAL_MS).unref();
}
