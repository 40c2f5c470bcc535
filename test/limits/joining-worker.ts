/**
 * A worker thread that joins the main thread's access, counts a hundred requests, reports it, and ends
 * as ordered: `terminate` (waits for it), `throw` or `exit`. Not a test; durability.test.ts starts it.
 */

import { parentPort, workerData } from "node:worker_threads";
import { joinAccess } from "../../server/open-access.js";

const { dataFolder, counters, text, ending } = workerData;
const onError = (error: unknown) => {
	throw error;
};
const access = joinAccess({ dataFolder, onError }, counters);
const authentication = access.authenticator.authenticate(
	{ authorization: `Bearer ${text}`, xApiKey: null },
	Date.now(),
);
if (!authentication.ok) throw new RangeError(authentication.message);
for (let i = 0; i < 100; i++) access.limits.take(authentication.key, "/v1/stats", Date.now());
parentPort?.postMessage(100);
if (ending === "throw") setTimeout(() => onError(new RangeError("as told")), 20);
if (ending === "exit") setTimeout(() => process.exit(0), 20);
if (ending === "terminate") setInterval(() => access.fault(), 1);
