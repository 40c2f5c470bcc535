/**
 * This host's copy of the shared keys, in its store of keys: applies changes of other hosts, and finds changes
 * made here. Serving threads follow the store as they do on a single host.
 *
 * Invariant: a change from another host and the version it gives the key are stored in one transaction, so a
 * record that differs from the last shared one was changed here, even after a crash.
 */

import type { KeyRecord } from "../store/key-record.js";
import type { Change } from "../store/records.js";
import type { Store } from "../store/store.js";
import type { Table } from "../store/table.js";
import {
	joinHistories,
	mergeRecords,
	type SharedKey,
	type SharedRecord,
	sameRecord,
	withoutSlot,
} from "./shared-key.js";
import { SHARED_SCHEMAS } from "./shared-tables.js";

/** A change made here that is to be shared. */
export interface LocalChange {
	readonly id: string;
	/** The version it is based on; 0: none. */
	readonly expected: number;
	readonly next: SharedKey;
}

export class KeyCopy {
	readonly #store: Store;
	/** Each key as last shared. */
	readonly #shared: Table<SharedKey>;
	/** Generation up to which the store's own changes have been examined. */
	#seen = -1;

	constructor(store: Store) {
		this.#store = store;
		this.#shared = store.table("shared_keys", SHARED_SCHEMAS.shared_keys);
	}

	/** Version of each key as last shared. */
	versions(): Map<string, number> {
		return new Map(this.#shared.entries().map(({ key, value }) => [key, value.version]));
	}

	/** A key as last shared. */
	shared(id: string): SharedKey | undefined {
		return this.#shared.get(id);
	}

	/** Applies changes of other hosts. Changes made here in the meantime are kept and merged on top. */
	async apply(keys: readonly { readonly id: string; readonly key: SharedKey }[]): Promise<void> {
		if (keys.length === 0) return;
		await this.#store.transaction(() => {
			for (const { id, key } of keys) this.#applyNow(id, key);
		});
	}

	#applyNow(id: string, key: SharedKey): void {
		const base = this.#shared.get(id);
		if (base !== undefined && base.version >= key.version) return;
		this.#store.changeNow(id, (current, freshSlot) => {
			if (current === undefined) return { record: withSlot(key, freshSlot), change: key.change };
			const here = withoutSlot(current);
			const merged =
				base === undefined ? this.#joinUnshared(id, here, key) : mergeRecords(base.record, here, key.record);
			if (sameRecord(merged, here)) return null;
			return { record: { ...merged, slot: current.slot }, change: key.change };
		});
		this.#shared.put(id, key);
	}

	/**
	 * A key that this host has not noted as shared, but that is: by a host with a copy of the same data folder, or by this
	 * one, which did not learn of it. Either may have been changed since. Cost: reads the audit log if they differ.
	 */
	#joinUnshared(id: string, here: SharedRecord, there: SharedKey): SharedRecord {
		if (sameRecord(here, there.record)) return here;
		const change = this.#store.auditSince(0).findLast(({ key_id }) => key_id === id);
		if (change === undefined) return there.record;
		return joinHistories({ version: there.version, record: here, change }, there).record;
	}

	/** Records that the change was shared. */
	async noteShared(id: string, key: SharedKey): Promise<void> {
		await this.#store.transaction(() => this.#shared.put(id, key));
	}

	/**
	 * Changes made here since the last call, or with `all` every change that was not shared. Cost: a point read
	 * if the store has not changed.
	 */
	localChanges(all: boolean): LocalChange[] {
		const generation = this.#store.generation();
		if (!all && generation === this.#seen) return [];
		const entries = this.#seen < 0 || all ? this.#store.auditSince(0) : this.#store.auditSince(this.#seen);
		this.#seen = generation;
		const newest = new Map<string, Change>(entries.map(({ seq: _, ...change }) => [change.key_id, change]));
		return [...newest].flatMap(([id, change]) => this.#localChange(id, change));
	}

	/** Makes the next {@link localChanges} examine all keys. */
	lookAgain(): void {
		this.#seen = -1;
	}

	#localChange(id: string, change: Change): LocalChange[] {
		const current = this.#store.key(id);
		if (current === undefined) return [];
		const base = this.#shared.get(id);
		const record = withoutSlot(current);
		if (base !== undefined && sameRecord(base.record, record)) return [];
		const expected = base?.version ?? 0;
		return [{ id, expected, next: { version: expected + 1, record, change } }];
	}
}

function withSlot({ record }: SharedKey, slot: number): KeyRecord {
	return { ...record, slot };
}
