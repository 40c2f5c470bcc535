/** How much memory this process uses, without its garbage. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes of objects and buffers that are in use. Cost: a full collection. */
export function bytesInUse(): number {
	setFlagsFromString("--expose-gc");
	(runInNewContext("gc") as () => void)();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}
