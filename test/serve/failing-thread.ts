/**
 * A serving thread that dies on request: what thread.ts runs, and a message that makes it fail. Not a
 * test; workers.test.ts starts it. The message `{ kind: "fail", how }` is the order to die.
 */

import { parentPort } from "node:worker_threads";
import "../../server/workers/thread.js";

parentPort?.on("message", (message: { kind: string; how?: "throw" | "reject" | "exit" }) => {
	if (message.kind !== "fail") return;
	if (message.how === "exit") process.exit(7);
	if (message.how === "reject") Promise.reject(new RangeError("rejected as told"));
	else
		setImmediate(() => {
			throw new RangeError("failed as told");
		});
});
