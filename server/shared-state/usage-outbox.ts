/**
 * Usage to be sent from this host to the shared store, in numbered batches. It does no input or output: the
 * rows are the store's, changed within its transactions.
 *
 * ```
 * post (in the transaction that stores the counts) ─▶ seal: pending becomes batch n ─▶ sent, possibly repeatedly
 *                                                                                   ─▶ acknowledge n: deleted here
 * ```
 *
 * Invariants:
 * - A request is in exactly one of: applied batches, the sealed batch, pending. Each step is one transaction,
 *   so this holds after a crash at any time.
 * - A sealed batch never changes, and the next one is sealed only after it is acknowledged. A batch that is
 *   sent twice has the same number and contents, and is applied once.
 */

import { z } from "zod";
import type { UsageRecord } from "../store/records.js";

/** Maximum entries of one batch; the rest goes with the next. */
const BATCH_ENTRIES_MAX = 2_000;

/** Unacknowledged usage of one key on one day, by endpoint code. */
export interface OutboxRow {
	readonly pending: readonly number[];
	readonly sealed: readonly number[];
	/** Seconds since 1970. */
	readonly last_used: number;
}

const counts = z.array(z.int());
export const outboxRowSchema: z.ZodType<OutboxRow> = z.strictObject({
	pending: counts,
	sealed: counts,
	last_used: z.int().min(0),
});

/** The outbox's state besides the rows. */
export interface OutboxHead {
	/** Number of the newest sealed batch; 0: none. */
	readonly number: number;
	/** Whether it awaits its acknowledgement. */
	readonly waiting: boolean;
}

export const outboxHeadSchema: z.ZodType<OutboxHead> = z.strictObject({
	number: z.int().min(0),
	waiting: z.boolean(),
});

/** Rows by `DAY/KEY_ID`. Implemented by a table of the store. */
export interface OutboxRows<T> {
	get(key: string): T | undefined;
	entries(range?: { readonly limit?: number }): readonly { readonly key: string; readonly value: T }[];
	put(key: string, value: T): void;
	remove(key: string): void;
}

export interface BatchEntry {
	readonly day: number;
	readonly keyId: string;
	/** Requests by endpoint code. */
	readonly requests: readonly number[];
	readonly lastUsed: number;
}

export interface Batch {
	readonly number: number;
	readonly entries: readonly BatchEntry[];
}

const HEAD = "head";

export class UsageOutbox {
	constructor(
		private readonly rows: OutboxRows<OutboxRow>,
		private readonly heads: OutboxRows<OutboxHead>,
	) {}

	/** Adds usage. REQUIRES: inside the transaction that stores it. */
	post(keyId: string, day: number, requests: readonly number[], lastUsed: number): void {
		const name = rowName(day, keyId);
		const row = this.rows.get(name) ?? { pending: [], sealed: [], last_used: 0 };
		const last_used = Math.max(row.last_used, lastUsed);
		this.rows.put(name, { ...row, pending: sum(row.pending, requests), last_used });
	}

	/** The batch that awaits its acknowledgement; null: none. */
	waiting(): Batch | null {
		const head = this.head;
		if (!head.waiting) return null;
		const entries = this.rows
			.entries()
			.filter(({ value }) => value.sealed.length > 0)
			.map(({ key, value }) => ({ ...namesOf(key), requests: value.sealed, lastUsed: value.last_used }));
		return { number: head.number, entries };
	}

	/** Whether all usage was acknowledged. Cost: a point read. */
	get isEmpty(): boolean {
		return this.rows.entries({ limit: 1 }).length === 0;
	}

	/**
	 * Makes a batch of the pending usage; null: there is none. REQUIRES: inside a transaction; no batch awaits
	 * acknowledgement.
	 */
	seal(): Batch | null {
		const { number, waiting } = this.head;
		if (waiting) return this.waiting();
		const found = this.rows.entries({ limit: BATCH_ENTRIES_MAX });
		if (found.length === 0) return null;
		const entries = found.map(({ key, value }) => {
			this.rows.put(key, { ...value, pending: [], sealed: value.pending });
			return { ...namesOf(key), requests: value.pending, lastUsed: value.last_used };
		});
		this.heads.put(HEAD, { number: number + 1, waiting: true });
		return { number: number + 1, entries };
	}

	/** Deletes batch `number`, which was applied. REQUIRES: inside a transaction. */
	acknowledge(number: number): void {
		const head = this.head;
		if (!head.waiting || head.number !== number) return;
		for (const { key, value } of this.rows.entries()) {
			if (value.sealed.length === 0) continue;
			if (value.pending.length === 0) this.rows.remove(key);
			else this.rows.put(key, { ...value, sealed: [] });
		}
		this.heads.put(HEAD, { number, waiting: false });
	}

	/**
	 * Continues after `applied`, which is above every number known here: this store is an older copy of itself,
	 * and a later batch had the number of its sealed one. REQUIRES: inside a transaction.
	 */
	renumber(applied: number): void {
		for (const { key, value } of this.rows.entries()) {
			this.rows.put(key, { ...value, pending: sum(value.pending, value.sealed), sealed: [] });
		}
		this.heads.put(HEAD, { number: applied, waiting: false });
	}

	/**
	 * Starts over with `usage`, everything this host counted, since the shared store is new or lost its data.
	 * REQUIRES: inside a transaction.
	 */
	restart(usage: Iterable<BatchEntry>): void {
		for (const { key } of this.rows.entries()) this.rows.remove(key);
		for (const { day, keyId, requests, lastUsed } of usage) {
			this.rows.put(rowName(day, keyId), { pending: requests, sealed: [], last_used: lastUsed });
		}
		this.heads.put(HEAD, { number: this.head.number, waiting: false });
	}

	/**
	 * Usage of this host that the shared store does not have, given that the newest batch it applied is
	 * `applied`, by endpoint code.
	 */
	unapplied(keyId: string, day: number, applied: number): readonly number[] {
		const row = this.rows.get(rowName(day, keyId));
		if (row === undefined) return [];
		return applied >= this.head.number ? row.pending : sum(row.pending, row.sealed);
	}

	get head(): OutboxHead {
		return this.heads.get(HEAD) ?? { number: 0, waiting: false };
	}
}

/** Usage counted by other hosts: the total minus what this host has sent. By endpoint code. */
export function usageElsewhere(all: UsageRecord, here: UsageRecord, unapplied: readonly number[]): number[] {
	return all.map((count, code) => Math.max(0, count - ((here[code] ?? 0) - (unapplied[code] ?? 0))));
}

function sum(a: readonly number[], b: readonly number[]): number[] {
	return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => (a[i] ?? 0) + (b[i] ?? 0));
}

function rowName(day: number, keyId: string): string {
	return `${String(day).padStart(8, "0")}/${keyId}`;
}

function namesOf(name: string): { day: number; keyId: string } {
	return { day: Number(name.slice(0, 8)), keyId: name.slice(9) };
}
