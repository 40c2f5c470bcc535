/**
 * Frees the memory of months that were taken out of service. A mapping is removed when its last view is
 * collected, and a server that allocates little may not collect for hours. So a collection is
 * requested, some time after the last request that may have begun on the old month.
 *
 * External memory pressure makes V8 mark incrementally and concurrently, with pauses of some milliseconds, where its
 * function `gc` stops the thread for the whole collection: 20 to 40 ms on a core that other threads share. So external
 * memory is allocated, which is never touched, and `gc` is the fallback.
 */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Delays of two collections: the first frees views, the second what only they referenced. */
const WAITS_MS = [500, 2_000];
/** More than the 64 MB of external memory after which V8 starts marking. */
const ALLOCATED_BYTES = 80 * 1024 * 1024;
/** After this delay `gc` is called if no collection has run. */
const FALLBACK_AFTER_MS = 6_000;

let collect: (() => void) | null = null;

/** Collects garbage some time from now. Cost: two collections, each with pauses of a few milliseconds. */
export function giveBackSoon(): void {
	const garbage = new WeakRef({});
	for (const waitMs of WAITS_MS) setTimeout(startMarking, waitMs).unref();
	const collectIfAlive = () => {
		if (garbage.deref() !== undefined) collectNow();
	};
	setTimeout(collectIfAlive, FALLBACK_AFTER_MS).unref();
}

function startMarking(): void {
	try {
		// Unreachable at once, and without physical memory, since no page of it is touched.
		new ArrayBuffer(ALLOCATED_BYTES);
	} catch {
		// Out of address space or over a limit of the process: collect at once.
		collectNow();
	}
}

function collectNow(): void {
	if (collect === null) {
		// Node exposes the collector only with this flag; a context made after it is set has it.
		setFlagsFromString("--expose-gc");
		collect = runInNewContext("gc") as () => void;
	}
	collect();
}
