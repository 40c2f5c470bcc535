/** What the commands on keys work on: the store of a data folder, or the keys that hosts share. */

import type { KeyStore } from "../keys/lifecycle.js";
import type { KeyRecord } from "../store/key-record.js";
import type { AuditEntry } from "../store/records.js";
import { Store } from "../store/store.js";
import { type Unconfirmed, unconfirmedServers } from "./unconfirmed.js";

export interface KeyRepository {
	readonly changes: KeyStore;
	key(id: string): KeyRecord | undefined;
	keys(): KeyRecord[];
	/** Changes of keys, oldest first. */
	audit(): Promise<AuditEntry[]>;
	/** Seconds since 1970; 0: never. */
	lastUsed(id: string): number;
	/** Waits until all who serve act on what was changed, at most `timeoutMs`. Returns those that do not. */
	acknowledged(timeoutMs: number): Promise<Unconfirmed[]>;
	close(): Promise<void>;
}

/** Which keys a command is about. */
export interface KeySource {
	readonly data: string;
	/** Address of the shared store; absent or empty: the keys are those of the data folder. */
	readonly shared?: string;
}

/**
 * Opens the keys. `create`: a data folder without keys gets a store. `id`: the one key it is about; absent: any.
 * Errors: those of the store, and of the shared one.
 */
export async function openKeys(
	{ data, shared = "" }: KeySource,
	create: boolean,
	id?: string,
): Promise<KeyRepository> {
	return shared === "" ? localKeys(data, create) : sharedKeys(shared, create, id);
}

function localKeys(dataFolder: string, create: boolean): KeyRepository {
	const store = Store.open({ dataFolder, create });
	return {
		changes: store,
		key: (id) => store.key(id),
		keys: () => store.keys(),
		audit: async () => store.auditSince(0),
		lastUsed: (id) => store.counter(id)?.last_used ?? 0,
		acknowledged: (timeoutMs) => unconfirmedServers(store, timeoutMs),
		close: () => store.close(),
	};
}

async function sharedKeys(address: string, create: boolean, id?: string): Promise<KeyRepository> {
	// Its package is large, and most commands are about a data folder.
	const { SharedKeyStore } = await import("../shared-state/shared-key-store.js");
	const store = await SharedKeyStore.open(address);
	try {
		if (id !== undefined) await store.load(id);
		else if (!create) await store.loadAll();
		const used = create ? new Map<string, number>() : await store.lastUsed();
		return {
			changes: store,
			key: (asked) => store.key(asked),
			keys: () => store.keys(),
			audit: () => store.audit(),
			lastUsed: (asked) => used.get(asked) ?? 0,
			async acknowledged(timeoutMs) {
				const behind = await store.acknowledged(timeoutMs);
				const silent = (await store.silent()).filter(({ host }) => !behind.includes(host));
				return [
					...behind.map((host) => ({ name: `host ${host}`, last_heard_at: null })),
					...silent.map(({ host, heardMs }) => {
						return { name: `host ${host}`, last_heard_at: new Date(heardMs).toISOString() };
					}),
				];
			},
			async close() {
				store.close();
			},
		};
	} catch (error) {
		store.close();
		throw error;
	}
}
