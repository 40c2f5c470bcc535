/** Identity of a host among hosts, and the epoch of the shared store, kept in the host's store of keys. */

import { randomBytes } from "node:crypto";
import type { Store } from "../store/store.js";
import type { Table } from "../store/table.js";
import { SHARED_SCHEMAS } from "./shared-tables.js";

export class HostIdentity {
	/** Persistent across restarts; unique among hosts. */
	readonly host: string;
	/** Unique to this process. */
	readonly run = randomBytes(6).toString("hex");
	readonly #meta: Table<string>;
	readonly #store: Store;

	private constructor(store: Store, meta: Table<string>, host: string) {
		this.#store = store;
		this.#meta = meta;
		this.host = host;
	}

	/** Reads the identity, or creates it at the first start with a shared store. Errors: those of the store. */
	static async open(store: Store): Promise<HostIdentity> {
		const meta = store.table("shared_meta", SHARED_SCHEMAS.shared_meta);
		const host = await store.transaction(() => {
			const known = meta.get("host");
			if (known !== undefined) return known;
			const made = randomBytes(8).toString("hex");
			meta.put("host", made);
			return made;
		});
		return new HostIdentity(store, meta, host);
	}

	/** The last known epoch of the shared store; null: this host has never connected to one. */
	get epoch(): string | null {
		return this.#meta.get("epoch") ?? null;
	}

	/** Stores the epoch and runs `work` in one transaction, unless it is stored already. */
	async noteEpoch(epoch: string, work: () => void): Promise<void> {
		await this.#store.transaction(() => {
			// Two heartbeats may have been answered in the meantime.
			if (this.epoch === epoch) return;
			work();
			this.#meta.put("epoch", epoch);
		});
	}
}
