/**
 * Changes the index by compare-and-swap: read, change, write on the condition that the object is unchanged. For
 * stores without conditional writes, a lock object with a lease serialises writers: each writes its name into
 * it, waits until any concurrent writer has written too, and proceeds if the name is still its own.
 *
 * A writer that died holds the lock until its lease ends, by its own clock or {@link LEASE_MS} after another writer
 * first saw it, whichever is earlier. Writers wait for longer than that, so the next one succeeds.
 */

import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { ObjectStoreError } from "./errors.js";
import {
	documentBytes,
	EMPTY_INDEX,
	INDEX_NAME,
	type MonthIndex,
	readStoredIndex,
	sha256Of,
} from "./month-index.js";
import type { ObjectStore, WriteCondition } from "./object-store.js";

const LOCK_NAME = "index.lock";
const LOCK_BYTES_MAX = 1_024;
/** How long a writer may hold the lock. */
const LEASE_MS = 30_000;
/** Longer than any writer takes from finding the lock free to having written its name. */
const SETTLE_MS = 2_000;
/** Before the end of its lease a writer must have begun to write the index. */
const MARGIN_MS = 5_000;
/** How long a writer waits for the lock: the lease of one that died, and a few of those before it in line. */
const WAIT_MS = 60_000;
const ATTEMPTS = 20;

/** The parts of an index that commands change. */
export interface IndexedMonths {
	readonly months: MonthIndex["months"];
	readonly retired: Readonly<Record<string, string>>;
	/** Without it there are none. */
	readonly unserved?: readonly string[];
}

type Change = (index: IndexedMonths) => IndexedMonths;

/**
 * Applies `change` to the current index and writes the result, which it returns. `change` may be called again.
 * `sleep` waits, by the clock of `nowMs`.
 */
export async function changeIndex(
	store: ObjectStore,
	nowMs: () => number,
	change: Change,
	sleep: (ms: number) => Promise<unknown> = delay,
): Promise<MonthIndex> {
	for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
		const { index, condition } = await readIndex(store, nowMs());
		const changed = nextIndex(index, change);
		const bytes = documentBytes(changed);
		const outcome = await store.write(INDEX_NAME, new Blob([bytes]), sha256Of(bytes), condition);
		if (outcome === "written") return changed;
		if (outcome === "unsupported")
			return whileLocked(store, nowMs, sleep, (isHeld) =>
				changeUnconditionally(store, nowMs, change, isHeld),
			);
		await sleep(50 + Math.random() * 100 * (attempt + 1));
	}
	throw new ObjectStoreError(
		"index_contended",
		`${store.url}/${INDEX_NAME}: other writers kept changing it; try again`,
	);
}

/**
 * The index of a store. The first revision of one that has none is the time, in seconds since 1970: if the index was lost,
 * hosts have seen its revisions, and ignore those that are not above them.
 */
async function readIndex(
	store: ObjectStore,
	nowMs: number,
): Promise<{ index: MonthIndex; condition: WriteCondition }> {
	const stored = await readStoredIndex(store);
	if (stored === null)
		return { index: { ...EMPTY_INDEX, revision: Math.floor(nowMs / 1_000) }, condition: "absent" };
	return { index: stored.index, condition: { etag: stored.etag } };
}

function nextIndex(index: MonthIndex, change: Change): MonthIndex {
	const { unserved: before = [] } = index;
	const {
		months,
		retired,
		unserved = [],
	} = change({ months: index.months, retired: index.retired ?? {}, unserved: before });
	return {
		format: index.format,
		revision: index.revision + 1,
		months,
		...(Object.keys(retired).length === 0 ? {} : { retired: { ...retired } }),
		...(unserved.length === 0 ? {} : { unserved: [...unserved] }),
	};
}

async function changeUnconditionally(
	store: ObjectStore,
	nowMs: () => number,
	change: Change,
	isHeld: () => boolean,
): Promise<MonthIndex> {
	const { index } = await readIndex(store, nowMs());
	const changed = nextIndex(index, change);
	const bytes = documentBytes(changed);
	if (!isHeld()) throw contended(store);
	await store.write(INDEX_NAME, new Blob([bytes]), sha256Of(bytes), null);
	return changed;
}

/** `act` gets whether the lock is held for as long as a write takes. */
async function whileLocked<T>(
	store: ObjectStore,
	nowMs: () => number,
	sleep: (ms: number) => Promise<unknown>,
	act: (isHeld: () => boolean) => Promise<T>,
): Promise<T> {
	const owner = randomUUID();
	const endMs = nowMs() + WAIT_MS;
	let seen = { owner: "", sinceMs: 0 };
	while (nowMs() < endMs) {
		const held = await readLock(store);
		if (held !== null && held.owner !== seen.owner) seen = { owner: held.owner, sinceMs: nowMs() };
		if (held !== null && nowMs() < Math.min(held.until, seen.sinceMs + LEASE_MS)) {
			await sleep(500 + Math.random() * 1000);
			continue;
		}
		const until = nowMs() + LEASE_MS;
		const bytes = Buffer.from(JSON.stringify({ owner, until }));
		await store.write(LOCK_NAME, new Blob([bytes]), sha256Of(bytes), null);
		await sleep(SETTLE_MS);
		if ((await readLock(store))?.owner !== owner) continue;
		try {
			return await act(() => nowMs() < until - MARGIN_MS);
		} finally {
			// Another writer's, if the lease ended meanwhile.
			if (nowMs() < until) await store.remove(LOCK_NAME);
		}
	}
	throw contended(store);
}

function contended(store: ObjectStore): ObjectStoreError {
	return new ObjectStoreError(
		"index_contended",
		`${store.url}/${LOCK_NAME}: another writer holds it; try again`,
	);
}

async function readLock(store: ObjectStore): Promise<{ owner: string; until: number } | null> {
	const found = await store.read(LOCK_NAME, LOCK_BYTES_MAX);
	if (found === null || found === "unchanged") return null;
	try {
		const { owner, until } = JSON.parse(Buffer.from(found.bytes).toString());
		return typeof owner === "string" && typeof until === "number" ? { owner, until } : null;
	} catch {
		return null;
	}
}
