/**
 * A thread that reads a file through the main thread. Not a test; shared-files.test.ts starts it. It
 * answers each path with the length, or the error's code; then it adds 1 to the file's first byte.
 */

import { parentPort, workerData } from "node:worker_threads";
import { FormatError, mapFile } from "../../formats/index.js";
import { readThrough } from "../../server/workers/shared-files.js";

readThrough(workerData);
parentPort?.on("message", (path: string) => {
	try {
		const bytes = mapFile(path, "shared-memory");
		bytes[0]++;
		parentPort?.postMessage(bytes.length);
	} catch (error) {
		parentPort?.postMessage(error instanceof FormatError ? error.code : String(error));
	}
});
