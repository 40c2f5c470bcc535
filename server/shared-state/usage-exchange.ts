/** Transfers usage between this host's store and the shared one: sends batches, reads the counts of other hosts. */

import { USAGE_DAYS_KEPT } from "../limits/ledger.js";
import { ENDPOINTS } from "../limits/usage-codes.js";
import type { UsageElsewhere } from "../limits/usage-reader.js";
import { dayOf } from "../limits/windows.js";
import type { Store } from "../store/store.js";
import type { Table } from "../store/table.js";
import type { ScriptRunner } from "./script.js";
import { readUsage, sendBatch } from "./script-calls.js";
import { SHARED_SCHEMAS } from "./shared-tables.js";
import { type BatchEntry, UsageOutbox, usageElsewhere } from "./usage-outbox.js";

/** The outbox of a store. */
export function outboxOf(store: Store): UsageOutbox {
	return new UsageOutbox(
		store.table("shared_outbox", SHARED_SCHEMAS.shared_outbox),
		store.table("shared_outbox_head", SHARED_SCHEMAS.shared_outbox_head),
	);
}

function elsewhereOf(store: Store): Table<number[]> {
	return store.table("shared_usage", SHARED_SCHEMAS.shared_usage);
}

/** Usage counted by other hosts, as last read by any thread. `behind` requests a new read. */
export function storedElsewhere(store: Store, behind: UsageElsewhere["behind"]): UsageElsewhere {
	const table = elsewhereOf(store);
	return { behind, usage: (keyId, day) => table.get(nameOf(keyId, day)) ?? [] };
}

export interface UsageExchangeOptions {
	readonly store: Store;
	readonly outbox: UsageOutbox;
	readonly runner: ScriptRunner;
	/** Persistent across restarts, unique among hosts. */
	readonly host: string;
	/** Whether batches may be sent over this connection. */
	readonly ready: () => boolean;
	/** Called if a batch had a number that was used before. */
	readonly onRenumber: () => void;
}

export class UsageExchange {
	readonly #elsewhere: Table<number[]>;
	/** Sending and reading are serialised, so that a reading is compared with what had been sent before it. */
	#turn: Promise<unknown> = Promise.resolve();

	constructor(private readonly options: UsageExchangeOptions) {
		this.#elsewhere = elsewhereOf(options.store);
	}

	/**
	 * Sends pending usage, at most one batch. Returns whether there was one. Rejects with SharedStoreError and
	 * StoreError.
	 */
	send(): Promise<boolean> {
		const { store, outbox, runner, host, ready, onRenumber } = this.options;
		return this.#inTurn(async () => {
			if (outbox.isEmpty) return false;
			const batch = outbox.waiting() ?? (await store.transaction(() => outbox.seal()));
			// Another store may have been connected meanwhile, which is to get everything, and this not twice.
			if (batch === null || !ready()) return false;
			const newest = await sendBatch(runner, host, batch);
			await store.transaction(() => {
				if (newest > batch.number) outbox.renumber(newest);
				else outbox.acknowledge(batch.number);
			});
			if (newest > batch.number) onRenumber();
			return true;
		});
	}

	/** Reads the usage of a key counted by all hosts. Rejects as {@link send}. */
	read(keyId: string, nowMs: number): Promise<void> {
		const { store, outbox, runner, host } = this.options;
		return this.#inTurn(async () => {
			const today = dayOf(nowMs);
			const days = Array.from({ length: USAGE_DAYS_KEPT }, (_, i) => today - i);
			const { applied, days: counts } = await readUsage(runner, host, keyId, days, ENDPOINTS.length);
			await store.transaction(() => {
				for (const [i, day] of days.entries()) {
					const unapplied = outbox.unapplied(keyId, day, applied);
					const others = usageElsewhere(counts[i], store.usage(keyId, day), unapplied);
					const name = nameOf(keyId, day);
					if (others.some((count) => count > 0)) this.#elsewhere.put(name, others);
					else if (this.#elsewhere.get(name) !== undefined) this.#elsewhere.remove(name);
				}
			});
		});
	}

	/** Everything this host counted in the days that are kept. REQUIRES: inside a transaction. */
	everything(nowMs: number): BatchEntry[] {
		const { store } = this.options;
		const today = dayOf(nowMs);
		return Array.from({ length: USAGE_DAYS_KEPT }, (_, i) => today - i).flatMap((day) =>
			store.usageOfDay(day).map(({ keyId, record }) => ({
				day,
				keyId,
				requests: record,
				lastUsed: store.counter(keyId)?.last_used ?? 0,
			})),
		);
	}

	#inTurn<T>(work: () => Promise<T>): Promise<T> {
		const mine = this.#turn.then(work, work);
		this.#turn = mine.catch(() => undefined);
		return mine;
	}
}

function nameOf(keyId: string, day: number): string {
	return `${keyId}/${String(day).padStart(8, "0")}`;
}
