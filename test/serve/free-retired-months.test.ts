/**
 * After months were taken out of service, garbage is collected incrementally, without the pause of a forced collection;
 * a collection is forced only if external memory pressure does not start one.
 */

import assert from "node:assert/strict";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { giveBackSoon } from "../../server/free-retired-months.js";

/** Milliseconds after which both collections, or the forced one, have ended on a slow machine. */
const PATIENCE_MS = 30_000;
const POLL_MS = 50;
const AllocatedBuffer = ArrayBuffer;

interface Collected {
	readonly collected: boolean;
	/** Collections by `gc`. */
	readonly forced: number;
}

/** Makes garbage and asks for collections of it, with `buffer` in place of V8's. */
async function collectWith(buffer: new (bytes: number) => object): Promise<Collected> {
	let forced = 0;
	const observer = new PerformanceObserver((list) => {
		for (const { detail } of list.getEntries() as { detail?: { flags?: number } }[])
			if (((detail?.flags ?? 0) & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0) forced++;
	});
	observer.observe({ entryTypes: ["gc"] });
	globalThis.ArrayBuffer = buffer as ArrayBufferConstructor;
	try {
		// Not a WeakRef: each `deref` keeps its target alive, so polling it during marking would prevent the collection.
		let collected = false;
		const registry = new FinalizationRegistry(() => {
			collected = true;
		});
		registry.register({}, null);
		const begunMs = performance.now();
		giveBackSoon();
		while (!collected && performance.now() - begunMs < PATIENCE_MS) await delay(POLL_MS);
		// Observers are called in a later turn of the event loop.
		await delay(POLL_MS);
		return { collected, forced };
	} finally {
		globalThis.ArrayBuffer = AllocatedBuffer;
		observer.disconnect();
	}
}

test("garbage is collected without a forced collection", async () => {
	const { collected, forced } = await collectWith(AllocatedBuffer);
	assert.ok(collected);
	assert.equal(forced, 0);
});

test("where no allocation begins a collection, one is forced", async () => {
	class Nothing {}
	const { collected, forced } = await collectWith(Nothing);
	assert.ok(collected);
	assert.equal(forced, 1);
});

test("where memory cannot be allocated, a collection is forced", async () => {
	class Refused {
		constructor() {
			throw new RangeError("Array buffer allocation failed");
		}
	}
	const { collected, forced } = await collectWith(Refused);
	assert.ok(collected);
	assert.ok(forced >= 1);
});
