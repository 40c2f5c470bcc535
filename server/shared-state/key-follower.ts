/**
 * Follows the shared keys while the host runs, and publishes to serving threads when the keys were last known
 * to be current. That time outlasts the process: a host that starts without the shared store trusts its copy of the keys
 * no longer than it would have without the restart.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../clock.js";
import type { LeaseWords } from "../limits/lease-words.js";
import type { Log } from "../log.js";
import { awaitAcknowledgement } from "../store/acknowledgement.js";
import type { Store } from "../store/store.js";
import type { Table } from "../store/table.js";
import { KeyCopy } from "./key-copy.js";
import { KeySync } from "./key-sync.js";
import { NAMES } from "./names.js";
import type { RedisLink } from "./redis.js";
import { SHARED_SCHEMAS } from "./shared-tables.js";

/** Delay between a failure and the next attempt, in milliseconds. */
const RETRY_MS = 100;
/** How long to wait for this host's threads before reporting a change as applied, in milliseconds. */
const APPLIED_MS_MAX = 900;
/** Name of the time last heard, in milliseconds as text, and how long it may lag behind: a share of the limit, or less. */
const HEARD = "keys_heard_ms";
const HEARD_LAG_MS_MAX = 10_000;
const HEARD_LAG_SHARE = 1 / 4;

export interface KeyFollowerOptions {
	readonly store: Store;
	readonly words: LeaseWords;
	readonly link: RedisLink;
	readonly following: RedisLink;
	readonly host: string;
	readonly clock: Clock;
	readonly log: Log;
	/** Milliseconds without confirmation that keys are current after which all keys are refused; 0: never. */
	readonly staleAfterMs: number;
	readonly onFailure: (error: unknown) => void;
}

export class KeyFollower {
	readonly #options: KeyFollowerOptions;
	readonly #sync: KeySync;
	/** When keys were last known to be current; null: not since the start. */
	#heardMs: number | null = null;
	/** The same before the start; the start itself if that is not known. */
	readonly #heardBeforeMs: number;
	readonly #meta: Table<string>;
	#notedMs = 0;
	#closed = false;
	/** Settles when this no longer follows. */
	#followed: Promise<void> = Promise.resolve();

	constructor(options: KeyFollowerOptions) {
		const { following, link, store, log, clock } = options;
		this.#options = options;
		this.#meta = store.table("shared_meta", SHARED_SCHEMAS.shared_meta);
		// Of a clock that was ahead then, a time in the future would keep old keys trusted until it has come.
		this.#heardBeforeMs = Math.min(Number(this.#meta.get(HEARD) ?? clock.now()), clock.now());
		this.#sync = new KeySync({
			following,
			link,
			copy: new KeyCopy(store),
			log,
			clock,
			onCurrent: (atMs) => this.#current(atMs),
			onApplied: (change) => void this.#reportApplied(change).catch(options.onFailure),
		});
	}

	/** Brings the keys up to date once. Rejects with SharedStoreError or StoreError. */
	step(): Promise<void> {
		return this.#sync.step();
	}

	/** Follows changes until {@link close}. */
	follow(): void {
		this.#followed = this.#follow();
	}

	async #follow(): Promise<void> {
		const { following, words, onFailure } = this.#options;
		while (!this.#closed) {
			try {
				if (following.connected && words.linked) {
					await this.#sync.step();
					continue;
				}
			} catch (error) {
				this.#sync.compareAgain();
				if (!this.#closed) onFailure(error);
			}
			await delay(RETRY_MS, undefined, { ref: false });
		}
	}

	/** Makes the next step compare all keys before it reads further changes. */
	compareAgain(): void {
		this.#sync.compareAgain();
	}

	/** Shares changes made here. Rejects as {@link step}. */
	shareLocal(): Promise<void> {
		return this.#sync.shareLocal();
	}

	/** Milliseconds since keys were known to be current; null: not since the start. */
	get heardAgoMs(): number | null {
		return this.#heardMs === null ? null : this.#options.clock.now() - this.#heardMs;
	}

	/** Refuses or accepts keys depending on when they were last known to be current. */
	judge(): void {
		const { words, staleAfterMs, clock } = this.#options;
		if (staleAfterMs > 0)
			words.keysStale = clock.now() - (this.#heardMs ?? this.#heardBeforeMs) > staleAfterMs;
	}

	close(): void {
		this.#closed = true;
		this.#sync.close();
	}

	/**
	 * Resolves when the step in progress has ended, which reads the store: reading one that is closed ends the process.
	 * REQUIRES: this and its connections are closed.
	 */
	ended(): Promise<void> {
		return this.#followed;
	}

	#current(atMs: number): void {
		this.#heardMs = atMs;
		this.#options.words.heardAt(atMs);
		this.judge();
		void this.#note(atMs).catch(this.#options.onFailure);
	}

	/** Stores the time last heard, unless that was done a short time ago. */
	async #note(atMs: number): Promise<void> {
		const { store, staleAfterMs } = this.#options;
		const lagMs = staleAfterMs === 0 ? HEARD_LAG_MS_MAX : staleAfterMs * HEARD_LAG_SHARE;
		if (Math.abs(atMs - this.#notedMs) < Math.min(lagMs, HEARD_LAG_MS_MAX)) return;
		this.#notedMs = atMs;
		await store.transaction(() => this.#meta.put(HEARD, String(atMs)));
	}

	/** Reports that this host's threads have applied a change. */
	async #reportApplied(change: string): Promise<void> {
		const { store, link, host } = this.#options;
		const behind = await awaitAcknowledgement(store.path, store.generation(), APPLIED_MS_MAX);
		if (behind.length === 0 && link.connected) await link.call("HSET", NAMES.applied, host, change);
	}
}
