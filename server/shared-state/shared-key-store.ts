/**
 * The shared keys as commands read and change them, without a data folder. A change is stored only if the
 * version it is based on is still current; otherwise it is made again on top of the newer version.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { KeyStore } from "../keys/lifecycle.js";
import type { KeyRecord } from "../store/key-record.js";
import { type AuditEntry, type Change, type EditKey, RECORD_SCHEMAS } from "../store/records.js";
import { parseSharedAddress } from "./address.js";
import { SharedStoreError } from "./errors.js";
import { ALIVE_MS, NAMED_MS } from "./host-scripts.js";
import { NAMES } from "./names.js";
import { RedisLink } from "./redis.js";
import { putKey } from "./script-calls.js";
import { parseSharedKey, type SharedKey, withoutSlot } from "./shared-key.js";

const ATTEMPTS_MAX = 20;
/** How often a waiting command polls, in milliseconds. */
const POLL_MS = 20;

interface Made {
	readonly id: string;
	readonly record: KeyRecord;
	readonly change: Change;
}

export class SharedKeyStore implements KeyStore {
	readonly #link: RedisLink;
	readonly #keys = new Map<string, SharedKey>();
	/** The change made by the current transaction. */
	#made: Made | null = null;
	/** Id in the stream of the newest change made here. */
	#newest: string | null = null;

	private constructor(link: RedisLink) {
		this.#link = link;
	}

	/** Connects. Rejects with SharedStoreError. */
	static async open(address: string): Promise<SharedKeyStore> {
		const link = new RedisLink({ address: parseSharedAddress(address), name: "rollcall-keys" });
		await link.open();
		try {
			await link.call("PING");
		} catch (error) {
			link.close();
			throw error;
		}
		return new SharedKeyStore(link);
	}

	close(): void {
		this.#link.close();
	}

	/** Reads one key, for {@link key} and for changes of it. Rejects with SharedStoreError. */
	async load(id: string): Promise<void> {
		const text = await this.#link.call("HGET", NAMES.records, id);
		if (text === null) this.#keys.delete(id);
		else this.#keys.set(id, parseSharedKey(String(text)));
	}

	/** Reads every key. */
	async loadAll(): Promise<void> {
		const flat = (await this.#link.call("HGETALL", NAMES.records)) as string[];
		for (let i = 0; i < flat.length; i += 2) this.#keys.set(flat[i], parseSharedKey(flat[i + 1]));
	}

	/** A loaded key. */
	key(id: string): KeyRecord | undefined {
		const found = this.#keys.get(id);
		return found === undefined ? undefined : { ...found.record, slot: 0 };
	}

	/** The loaded keys, by creation. */
	keys(): KeyRecord[] {
		return [...this.#keys.values()]
			.map(({ record }) => ({ ...record, slot: 0 }))
			.sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
	}

	/** The changes of keys that the stream keeps, about ten thousand, oldest first. */
	async audit(): Promise<AuditEntry[]> {
		const entries = (await this.#link.call("XRANGE", NAMES.changes, "-", "+")) as [string, string[]][];
		return entries.map(([, fields], i) =>
			RECORD_SCHEMAS.audit.parse({ seq: i + 1, ...JSON.parse(fields[3]) }),
		);
	}

	/** When each key was last used, in seconds since 1970; absent: never. */
	async lastUsed(): Promise<ReadonlyMap<string, number>> {
		const flat = (await this.#link.call("HGETALL", NAMES.used)) as string[];
		return new Map(flat.flatMap((id, i) => (i % 2 === 0 ? [[id, Number(flat[i + 1])] as const] : [])));
	}

	changeNow(id: string, edit: EditKey): KeyRecord | undefined {
		const current = this.key(id);
		const edited = edit(current, 0);
		if (edited === null) return current;
		this.#made = { id, ...edited };
		return edited.record;
	}

	/** REQUIRES: `write` changes one key, which was loaded unless it is new. Rejects with SharedStoreError. */
	async transaction<T>(write: () => T): Promise<T> {
		for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
			this.#made = null;
			const result = write();
			const made = this.#made as Made | null;
			if (made === null || (await this.#put(made))) return result;
			await this.load(made.id);
		}
		throw new SharedStoreError("failed", "the key is being changed elsewhere over and over; try again");
	}

	async #put({ id, record, change }: Made): Promise<boolean> {
		const expected = this.#keys.get(id)?.version ?? 0;
		const key: SharedKey = { version: expected + 1, record: withoutSlot(record), change };
		const { stored, found } = await putKey(this.#link, id, expected, key);
		if (!stored) return false;
		this.#keys.set(id, key);
		this.#newest = found;
		return true;
	}

	/**
	 * Waits until every host with a recent heartbeat has applied the changes made here, at most `timeoutMs`.
	 * Returns the hosts that have not.
	 */
	async acknowledged(timeoutMs: number): Promise<string[]> {
		const newest = this.#newest;
		if (newest === null) return [];
		const deadlineMs = performance.now() + timeoutMs;
		for (;;) {
			const behind = await this.#behind(newest);
			if (behind.length === 0 || performance.now() >= deadlineMs) return behind;
			await delay(POLL_MS);
		}
	}

	/**
	 * Hosts that did not leave, but have had no heartbeat for {@link ALIVE_MS} to {@link NAMED_MS}: they may serve, and
	 * know of no change made since. Each with the time of its last heartbeat in milliseconds since 1970.
	 */
	async silent(): Promise<{ readonly host: string; readonly heardMs: number }[]> {
		const [seconds] = (await this.#link.call("TIME")) as string[];
		const nowMs = Number(seconds) * 1_000;
		const range = [nowMs - NAMED_MS, `(${nowMs - ALIVE_MS}`, "WITHSCORES"] as const;
		const flat = (await this.#link.call("ZRANGEBYSCORE", NAMES.alive, ...range)) as string[];
		return flat.flatMap((host, i) => (i % 2 === 0 ? [{ host, heardMs: Number(flat[i + 1]) }] : []));
	}

	async #behind(change: string): Promise<string[]> {
		const [seconds] = (await this.#link.call("TIME")) as string[];
		const since = Number(seconds) * 1_000 - ALIVE_MS;
		const alive = (await this.#link.call("ZRANGEBYSCORE", NAMES.alive, since, "+inf")) as string[];
		if (alive.length === 0) return [];
		const applied = (await this.#link.call("HMGET", NAMES.applied, ...alive)) as (string | null)[];
		return alive.filter((_, i) => !isAtLeast(applied[i] ?? "0-0", change));
	}
}

/** Whether stream id `a` is at or after `b`. */
function isAtLeast(a: string, b: string): boolean {
	const [aMs, aSeq] = a.split("-").map(Number);
	const [bMs, bSeq] = b.split("-").map(Number);
	return aMs > bMs || (aMs === bMs && aSeq >= bSeq);
}
