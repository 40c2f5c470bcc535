/** How much memory this process uses, without its garbage. */

import { collectGarbage } from "./collect-garbage.js";

/** Bytes of objects and buffers that are in use. Cost: a full collection. */
export function bytesInUse(): number {
	collectGarbage();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}
