/**
 * Gives back the memory of months that were taken out of service. A map goes when the last view of
 * it is collected, and a server that makes hardly any garbage may not collect for hours; so it is
 * asked for, some time after the last request that may have begun on the old month.
 */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Waits before a collection: views go at the first, and what only they held at the second. */
const WAITS_MS = [500, 2_000];

let collect: (() => void) | null = null;

/** Collects garbage some time from now. Cost then: a pause of the thread of some ten milliseconds, twice. */
export function giveBackSoon(): void {
	if (collect === null) {
		// Node offers the collector only to programs started with this flag; set now, a new context has it.
		setFlagsFromString("--expose-gc");
		collect = runInNewContext("gc") as () => void;
	}
	for (const waitMs of WAITS_MS) setTimeout(collect, waitMs).unref();
}
