/**
 * Frees the memory of months that were taken out of service. A mapping is removed when its last view is
 * collected, and a server that allocates little may not collect for hours. So a collection is
 * requested, some time after the last request that may have begun on the old month.
 *
 * V8 marks incrementally, in other threads and between requests, where memory outside its heap grows; a collection by
 * its `gc` is one pause, of 20 to 40 ms on a core that the other threads share. So memory is allocated, which is never
 * touched, and `gc` is left for a V8 that does not collect for it.
 */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Delays of two collections: the first frees views, the second what only they referenced. */
const WAITS_MS = [500, 2_000];
/** V8 begins a collection for every 64 MB that are allocated outside its heap. */
const ALLOCATED_BYTES = 80 * 1024 * 1024;
/** When garbage of now is looked for, which the first collection would have collected. */
const COLLECTED_WITHIN_MS = 6_000;

let collect: (() => void) | null = null;

/** Collects garbage some time from now. Cost: two times, pauses of the thread of a few milliseconds. */
export function giveBackSoon(): void {
	const garbage = new WeakRef({});
	for (const waitMs of WAITS_MS) setTimeout(beginCollection, waitMs).unref();
	const look = () => {
		if (garbage.deref() !== undefined) collectNow();
	};
	setTimeout(look, COLLECTED_WITHIN_MS).unref();
}

function beginCollection(): void {
	try {
		// Garbage at once, which no system has pages for.
		new ArrayBuffer(ALLOCATED_BYTES);
	} catch {
		// No room for it. A collection is the more wanted.
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
