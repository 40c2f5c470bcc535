/**
 * Who may ask, how often, and what was asked: the store of keys, the directory, the limits and the
 * usage, put together for a server. The main thread opens it and is the one writer of counts; each
 * worker thread joins with the counters that the main thread hands it.
 */

import type { Clock } from "./clock.js";
import { KeyDirectory } from "./keys/directory.js";
import type { Authenticator } from "./keys/key.js";
import { SharedCounters } from "./limits/counters.js";
import { Ledger } from "./limits/ledger.js";
import type { Limits } from "./limits/limits.js";
import { SharedLimits } from "./limits/shared-limits.js";
import type { UsageReader } from "./limits/usage.js";
import { StoredUsage } from "./limits/usage-reader.js";
import { announceServer } from "./store/presence.js";
import { MAX_KEYS, Store } from "./store/store.js";

export interface AccessOptions {
	readonly dataFolder: string;
	readonly clock: Clock;
	/** Told of a refresh or flush that failed; both are tried again. */
	readonly onError: (error: unknown) => void;
}

export interface Access {
	readonly authenticator: Authenticator;
	readonly limits: Limits;
	readonly usage: UsageReader;
	/** What cursors are signed with; the same after restarts. */
	readonly cursorSecret: Uint8Array;
	/** What {@link joinAccess} in a worker thread takes. */
	readonly counters: SharedArrayBuffer;
	/** What is wrong with the store, in words safe to send; null where nothing is. Cost: a point read and a stat. */
	fault(): string | null;
	/** Takes over changes of keys and stores counts now, without waiting for the next interval. */
	settle(): Promise<void>;
	/** Stores all counts (the writer) and closes the store. REQUIRES: nothing is counted any more. */
	close(): Promise<void>;
}

/**
 * Opens the keys of a data folder, creating the store where there is none, loads the counts, and
 * starts refreshing and flushing. One a process. Errors: those of {@link Store.open}.
 */
export function openAccess({ dataFolder, clock, onError }: AccessOptions): Access {
	const store = Store.open({ dataFolder, create: true });
	const directory = new KeyDirectory(store);
	const counters = SharedCounters.allocate(MAX_KEYS);
	const ledger = new Ledger({ store, directory, counters, clock });
	directory.start(onError);
	ledger.start(onError);
	return access(store, directory, counters, { ledger, leave: announceServer(store.path) });
}

/** The same in a worker thread, over the counters of {@link openAccess}. Errors: those of {@link Store.open}. */
export function joinAccess(options: Omit<AccessOptions, "clock">, buffer: SharedArrayBuffer): Access {
	const store = Store.open({ dataFolder: options.dataFolder, create: false });
	const directory = new KeyDirectory(store);
	directory.start(options.onError);
	return access(store, directory, new SharedCounters(buffer), null);
}

/** What the main thread has beside the others. */
interface Writer {
	readonly ledger: Ledger;
	/** Says that the store is no longer served. */
	readonly leave: () => void;
}

function access(
	store: Store,
	directory: KeyDirectory,
	counters: SharedCounters,
	writer: Writer | null,
): Access {
	return {
		authenticator: directory,
		limits: new SharedLimits(counters),
		usage: new StoredUsage(store, directory, counters),
		cursorSecret: store.secret("cursors"),
		counters: counters.buffer,
		fault() {
			try {
				if (!store.inPlace()) return "the database of keys was moved or replaced under the server";
				store.generation();
			} catch {
				// What is wrong in detail is in the log, told by whoever needs the store; it is nobody else's business.
				return "the database of keys does not answer";
			}
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
				await store.close();
				writer?.leave();
			}
		},
	};
}
