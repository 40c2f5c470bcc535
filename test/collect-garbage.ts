/** Full garbage collections on request, without a flag of Node. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Collects garbage once. Memory of mapped files is released some time later. Cost O(heap). */
export function collectGarbage(): void {
	setFlagsFromString("--expose-gc");
	(runInNewContext("gc") as () => void)();
}
