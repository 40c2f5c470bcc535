/**
 * Whether the shared store is there: what threads that serve go by, and what an operator is told, once until
 * it changes.
 *
 * - A connection that ends is given {@link RECONNECT_GRACE_MS} to come back, unless connecting anew fails too.
 * - After this process was stopped for a while its timers fire first, and replies may be there to be read:
 *   a reply that seems overdue then is given the same grace.
 */

import type { LeaseWords } from "../limits/lease-words.js";
import type { Log } from "../log.js";
import { SharedStoreError, type SharedStoreErrorCode } from "./errors.js";

/** How long a connection that was lost may take to come back before the shared store is treated as away. */
const RECONNECT_GRACE_MS = 250;
/** Ticks further apart: this process did not run meanwhile. */
const STALLED_MS = 500;

export interface LinkHealthOptions {
	readonly words: LeaseWords;
	/** Where the shared store is, without secrets. */
	readonly shown: string;
	readonly log: Log;
	/** Called when the shared store has just been found to be away. */
	readonly onLost: () => void;
	readonly monotonicMs: () => number;
}

export class LinkHealth {
	/** What was wrong last; null: nothing since the shared store answered. */
	fault: string | null = "not heard yet";
	#logged: SharedStoreErrorCode | null = null;
	/** Since when there is no connection; null: there is one, or it is known to be away. */
	#downMs: number | null = null;
	#tickedMs: number;
	/** When this process last went on after it was stopped. */
	#resumedMs = Number.NEGATIVE_INFINITY;
	/** Whether the connection ended since there last was one. */
	#disconnected = false;
	#closed = false;

	constructor(private readonly options: LinkHealthOptions) {
		this.#tickedMs = options.monotonicMs();
	}

	/** Whether a connection was just lost that may be back in a moment. */
	get isReconnecting(): boolean {
		return this.options.words.linked && this.#downMs !== null;
	}

	/** To be called every 100 ms. */
	tick(): void {
		const nowMs = this.options.monotonicMs();
		if (nowMs - this.#tickedMs > STALLED_MS) this.#resumedMs = nowMs;
		this.#tickedMs = nowMs;
		if (this.#downMs !== null && this.#tickedMs - this.#downMs > RECONNECT_GRACE_MS)
			this.#lose("unreachable");
	}

	/** There is a connection. */
	connected(): void {
		this.#downMs = null;
		this.#disconnected = false;
	}

	/** There is none. */
	disconnected(reason: string): void {
		this.fault = reason;
		// The second time in a row: connecting anew failed too.
		if (this.#disconnected || !this.options.words.linked) this.#lose("unreachable");
		this.#disconnected = true;
		this.#downMs ??= this.options.monotonicMs();
	}

	/** The shared store answered as it should. */
	answered(hosts: number): void {
		const { words, log, shown } = this.options;
		this.#downMs = null;
		this.fault = null;
		if (words.linked) return;
		words.linked = true;
		this.#logged = null;
		log.info({ store: shown, hosts }, "the shared store answers");
	}

	/** Something failed. Returns whether it is worth asking again at once. */
	failed(error: unknown): boolean {
		const { words, log, monotonicMs } = this.options;
		if (this.#closed) return false;
		if (!(error instanceof SharedStoreError)) {
			log.error({ err: error }, "sharing state with other hosts failed");
			return false;
		}
		this.fault = error.message;
		const nowMs = monotonicMs();
		const stopped = nowMs - this.#tickedMs > STALLED_MS || nowMs - this.#resumedMs < RECONNECT_GRACE_MS;
		const overdue = error.code === "unreachable" && stopped && words.linked && this.#downMs === null;
		if (overdue) this.#downMs = nowMs;
		if (this.#downMs === null || error.code !== "unreachable") this.#lose(error.code);
		return overdue;
	}

	/** Reports nothing more. */
	close(): void {
		this.#closed = true;
		this.options.words.linked = false;
	}

	#lose(code: SharedStoreErrorCode): void {
		const { words, log, shown, onLost } = this.options;
		const was = words.linked;
		words.linked = false;
		if (was) onLost();
		if (this.#closed || this.#logged === code) return;
		this.#logged = code;
		log.warn(
			{ code, store: shown, reason: this.fault },
			"the shared store does not answer; serving on leases and keys held here",
		);
	}
}
