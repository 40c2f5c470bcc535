/**
 * This host's copy of the shared keys, in the store of keys: applying what others changed, and finding what was
 * changed here. Serving threads follow the store as they do on one host.
 *
 * Invariant: a change of another host and the note of its version are one transaction, so that what differs
 * from the noted record was changed here, whenever the process ended.
 */

import type { KeyRecord } from "../store/key-record.js";
import type { Change } from "../store/records.js";
import type { Store } from "../store/store.js";
import type { Table } from "../store/table.js";
import { mergeRecords, type SharedKey, sameRecord, sharedKeySchema, withoutSlot } from "./shared-key.js";

/** A change made here that others are to have. */
export interface LocalChange {
	readonly id: string;
	/** The version it was made from; 0: none. */
	readonly expected: number;
	readonly next: SharedKey;
}

export class KeyCopy {
	readonly #store: Store;
	/** Each key as it was last shared. */
	readonly #shared: Table<SharedKey>;
	/** Generation up to which the store's own changes were looked at. */
	#seen = -1;

	constructor(store: Store) {
		this.#store = store;
		this.#shared = store.table("shared_keys", sharedKeySchema);
	}

	/** Version of each key as it was last shared. */
	versions(): Map<string, number> {
		return new Map(this.#shared.entries().map(({ key, value }) => [key, value.version]));
	}

	/** A key as it was last shared. */
	shared(id: string): SharedKey | undefined {
		return this.#shared.get(id);
	}

	/** Applies what others changed. Changes made here meanwhile stay, on top. */
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
			const record = mergeRecords(base?.record ?? null, here, key.record);
			// A key of the same id that was never shared is the same key: its own changes were pushed by another host.
			const merged = base === undefined ? key.record : record;
			if (sameRecord(merged, here)) return null;
			return { record: { ...merged, slot: current.slot }, change: key.change };
		});
		this.#shared.put(id, key);
	}

	/** Notes that the change was shared. */
	async noteShared(id: string, key: SharedKey): Promise<void> {
		await this.#store.transaction(() => this.#shared.put(id, key));
	}

	/**
	 * Changes made here since the last call, or with `all` any that were not shared. Cost: a point read
	 * where the store has not changed.
	 */
	localChanges(all: boolean): LocalChange[] {
		const generation = this.#store.generation();
		if (!all && generation === this.#seen) return [];
		const entries = this.#seen < 0 || all ? this.#store.auditSince(0) : this.#store.auditSince(this.#seen);
		this.#seen = generation;
		const newest = new Map<string, Change>(entries.map(({ seq: _, ...change }) => [change.key_id, change]));
		return [...newest].flatMap(([id, change]) => this.#localChange(id, change));
	}

	/** Has {@link localChanges} look at everything again. */
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
