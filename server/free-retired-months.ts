/**
 * Frees the memory of months that were taken out of service. A mapping is removed when its last view is
 * collected, and a server that allocates little may not collect for hours. So a collection is
 * requested, some time after the last request that may have begun on the old month.
 */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Delays of two collections: the first frees views, the second what only they referenced. */
const WAITS_MS = [500, 2_000];

let collect: (() => void) | null = null;

/** Collects garbage some time from now. Cost: two pauses of the thread of about ten milliseconds. */
export function giveBackSoon(): void {
	if (collect === null) {
		// Node exposes the collector only with this flag; a context made after it is set has it.
		setFlagsFromString("--expose-gc");
		collect = runInNewContext("gc") as () => void;
	}
	for (const waitMs of WAITS_MS) setTimeout(collect, waitMs).unref();
}
