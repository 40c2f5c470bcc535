/**
 * Key authentication, limits and usage of one thread, over the store of keys. The main thread opens the store
 * and is the only one that writes counts; worker threads join with the main thread's counters.
 */

import type { Clock } from "./clock.js";
import { KeyDirectory } from "./keys/directory.js";
import type { Authenticator, Key } from "./keys/key.js";
import { SharedCounters } from "./limits/counters.js";
import type { LeaseLine } from "./limits/lease-line.js";
import { Ledger } from "./limits/ledger.js";
import type { Limits } from "./limits/limits.js";
import { SharedLimits } from "./limits/shared-limits.js";
import type { UsageReader } from "./limits/usage.js";
import { StoredUsage } from "./limits/usage-reader.js";
import { outboxOf, storedElsewhere } from "./shared-state/usage-exchange.js";
import type { UsageOutbox } from "./shared-state/usage-outbox.js";
import { Acknowledgement } from "./store/acknowledgement.js";
import { announceServer } from "./store/presence.js";
import { MAX_KEYS } from "./store/record-checks.js";
import { Store } from "./store/store.js";

export interface AccessOptions {
	readonly dataFolder: string;
	readonly clock: Clock;
	/** Called for every failed refresh or flush; both are retried. */
	readonly onError: (error: unknown) => void;
	/** Index of this thread among the serving ones: 0 for the main thread. */
	readonly thread?: number;
	/** As in `DirectoryOptions`. */
	readonly staleAfterMs?: number;
	/** Leases of limits that hosts share; absent: keys are not shared. */
	readonly leases?: LeaseLine;
}

export interface Access {
	readonly store: Store;
	readonly authenticator: Authenticator;
	readonly limits: Limits;
	readonly usage: UsageReader;
	/** The secret that authenticates cursors: the same after restarts, and on hosts that share keys. Cost: a point read. */
	readonly cursorSecret: () => Uint8Array;
	/** The arguments of {@link joinAccess} in a worker thread. */
	readonly counters: SharedArrayBuffer;
	/** Usage to be sent to the other hosts (main thread); null: keys are not shared. */
	readonly outbox: UsageOutbox | null;
	/** The key whose counters are in a slot. */
	keyOfSlot(slot: number): Key | undefined;
	/** Resolves when keys are current among hosts, or after a short wait; null: they are. */
	keysBehind(nowMs: number): Promise<void> | null;
	/** A fault of the store, as text safe to send; null: none. Cost: a point read and a stat. */
	fault(): string | null;
	/** Applies changes of keys and stores counts now instead of at the next interval. */
	settle(): Promise<void>;
	/** Stores all counts (main thread) and closes the store. REQUIRES: nothing is being counted. */
	close(): Promise<void>;
}

/**
 * Opens the keys of a data folder, creating the store if there is none, loads the counts, and starts refreshing
 * and flushing. Once per process. Errors: those of {@link Store.open}.
 */
export function openAccess(options: AccessOptions): Access {
	const { dataFolder, clock, onError } = options;
	const store = Store.open({ dataFolder, create: true });
	const leave = announceServer(store.path);
	const acknowledgement = acknowledge(store, options);
	const directory = openDirectory(store, acknowledgement, options);
	const counters = SharedCounters.allocate(MAX_KEYS);
	const leases = options.leases ?? null;
	const outbox = leases === null ? null : outboxOf(store);
	const ledger = new Ledger({
		store,
		directory,
		counters,
		clock,
		...(outbox === null ? {} : { onUsage: outbox.post.bind(outbox) }),
	});
	ledger.start(onError);
	return access({ store, directory, counters, acknowledgement, leases, outbox, writer: { ledger, leave } });
}

/** The same in a worker thread, over the counters of {@link openAccess}. Errors: those of {@link Store.open}. */
export function joinAccess(options: Omit<AccessOptions, "clock">, buffer: SharedArrayBuffer): Access {
	const store = Store.open({ dataFolder: options.dataFolder, create: false });
	const acknowledgement = acknowledge(store, options);
	const directory = openDirectory(store, acknowledgement, options);
	const leases = options.leases ?? null;
	const counters = new SharedCounters(buffer);
	return access({ store, directory, counters, acknowledgement, leases, outbox: null, writer: null });
}

type ThreadOptions = Pick<AccessOptions, "onError" | "thread" | "staleAfterMs" | "leases">;

/**
 * This thread's acknowledgement, created before keys are read; null if its file cannot be created: the thread
 * serves anyway.
 */
function acknowledge(store: Store, { onError, thread = 0 }: ThreadOptions): Acknowledgement | null {
	try {
		return new Acknowledgement(store.path, thread);
	} catch (error) {
		onError(error);
		return null;
	}
}

function openDirectory(
	store: Store,
	acknowledgement: Acknowledgement | null,
	{ onError, staleAfterMs, leases }: ThreadOptions,
): KeyDirectory {
	const onApplied = (generation: number) => acknowledgement?.write(generation);
	const directory = new KeyDirectory(store, {
		onApplied,
		onError,
		...(staleAfterMs === undefined ? {} : { staleAfterMs }),
		...(leases === undefined ? {} : { isStale: () => leases.words.keysStale }),
	});
	directory.start();
	return directory;
}

/** Parts that only the main thread has. */
interface Writer {
	readonly ledger: Ledger;
	/** Withdraws the announcement that this process serves the store. */
	readonly leave: () => void;
}

interface Parts {
	readonly store: Store;
	readonly directory: KeyDirectory;
	readonly counters: SharedCounters;
	readonly acknowledgement: Acknowledgement | null;
	readonly leases: LeaseLine | null;
	readonly outbox: UsageOutbox | null;
	/** Null in worker threads. */
	readonly writer: Writer | null;
}

/**
 * Reads the secret whenever it is needed, since hosts agree on one while they run. While the store cannot be read, which
 * its directory of keys reports, the one read last is used.
 */
function cursorSecretOf(store: Store): () => Uint8Array {
	let last = store.secret("cursors");
	return () => {
		try {
			last = store.secret("cursors");
		} catch {}
		return last;
	};
}

function access({ store, directory, counters, acknowledgement, leases, outbox, writer }: Parts): Access {
	const elsewhere = leases === null ? null : storedElsewhere(store, (keyId) => leases.usageBehind(keyId));
	return {
		store,
		authenticator: directory,
		limits: new SharedLimits(counters, leases),
		usage: new StoredUsage(store, directory, counters, elsewhere),
		outbox,
		keyOfSlot(slot) {
			const id = directory.idOfSlot(slot);
			return id === undefined ? undefined : directory.find(id);
		},
		keysBehind: (nowMs) => leases?.keysBehind(nowMs) ?? null,
		cursorSecret: cursorSecretOf(store),
		counters: counters.buffer,
		fault() {
			try {
				if (!store.inPlace()) return "the database of keys was moved or replaced under the server";
				store.generation();
			} catch {
				// The details are logged, but not sent to clients.
				return "the database of keys does not answer";
			}
			const directoryFault = directory.fault();
			if (directoryFault !== null) return directoryFault;
			if (leases?.words.keysStale === true)
				return "the store of keys that hosts share was not heard for too long";
			return counters.storeFailing ? "the database of keys takes no writes" : null;
		},
		async settle() {
			directory.refresh();
			await writer?.ledger.flush();
		},
		async close() {
			directory.stop();
			try {
				await writer?.ledger.close();
			} finally {
				acknowledgement?.close();
				await store.close();
				writer?.leave();
			}
		},
	};
}
