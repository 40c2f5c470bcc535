/**
 * Whether the shared store is reachable: the state that serving threads act on, and that is logged once per
 * change.
 *
 * - A lost connection has {@link RECONNECT_GRACE_MS} to be re-established, unless a reconnection attempt fails
 *   too.
 * - After this process was suspended, its timers fire before it reads replies that have arrived: a reply that
 *   then seems overdue has the same grace.
 */

import type { LeaseWords } from "../limits/lease-words.js";
import type { Log } from "../log.js";
import { RepeatedFaults } from "../repeated-faults.js";
import { SharedStoreError, type SharedStoreErrorCode } from "./errors.js";
import type { SharedStatus } from "./shared-status.js";

/**
 * Milliseconds that a lost connection may take to be re-established before the shared store is treated as
 * unreachable.
 */
const RECONNECT_GRACE_MS = 250;
/** Milliseconds between ticks that indicate that this process was suspended. */
const STALLED_MS = 500;

/** What is wrong, for the log and the notes of `/readyz`. */
export const FAULTS_SAID: Readonly<Record<SharedStoreErrorCode, string>> = {
	unreachable: "the shared store does not answer",
	read_only: "the shared store takes no writes: it is a replica, or its memory or disk is full",
	denied: "the shared store refuses this user or a command of it",
	unsupported_version: "the shared store's data was written by a newer program",
	failed: "the shared store failed",
};

export interface LinkHealthOptions {
	readonly words: LeaseWords;
	/** Address of the shared store, without secrets. */
	readonly shown: string;
	readonly log: Log;
	/** Called when the shared store becomes unreachable. */
	readonly onLost: () => void;
	readonly monotonicMs: () => number;
}

export class LinkHealth {
	/** The last failure; null: none since the shared store last replied. */
	fault: string | null = "not heard yet";
	#code: SharedStoreErrorCode = "unreachable";
	#dataLosses = 0;
	#failovers = 0;
	#logged: SharedStoreErrorCode | null = null;
	/** Since when there is no connection; null: there is one, or the store is known to be unreachable. */
	#downMs: number | null = null;
	/** Why there is none. */
	#downCode: SharedStoreErrorCode = "unreachable";
	#tickedMs: number;
	/** When this process last resumed after a suspension. */
	#resumedMs = Number.NEGATIVE_INFINITY;
	/** Whether the connection has ended since there last was one. */
	#disconnected = false;
	#closed = false;
	/** Of this host itself, such as its database of keys; met at every heartbeat while they last. */
	readonly #ownFaults: RepeatedFaults;

	constructor(private readonly options: LinkHealthOptions) {
		const { log, monotonicMs } = options;
		this.#ownFaults = new RepeatedFaults(log, "sharing state with other hosts failed", monotonicMs);
		this.#tickedMs = options.monotonicMs();
	}

	/** Whether a connection was lost just now and may be re-established. */
	get isReconnecting(): boolean {
		return this.options.words.linked && this.#downMs !== null;
	}

	get status(): Pick<SharedStatus, "linked" | "fault" | "faultCode" | "dataLosses" | "failovers"> {
		const { linked } = this.options.words;
		const counts = { dataLosses: this.#dataLosses, failovers: this.#failovers };
		return { linked, fault: linked ? null : this.fault, faultCode: linked ? null : this.#code, ...counts };
	}

	/** The shared store has none of the data that it had. */
	lostData(): void {
		this.#dataLosses++;
		this.options.log.warn("the shared store lost its memory; limits, usage and keys are given back to it");
	}

	/** Another server answers for the shared store. */
	tookOver(): void {
		this.#failovers++;
		this.options.log.warn("another server took over the shared store; what it lacks is given back to it");
	}

	/** To be called every 100 ms. */
	tick(): void {
		const nowMs = this.options.monotonicMs();
		if (nowMs - this.#tickedMs > STALLED_MS) this.#resumedMs = nowMs;
		this.#tickedMs = nowMs;
		if (this.#downMs !== null && this.#tickedMs - this.#downMs > RECONNECT_GRACE_MS)
			this.#lose(this.#downCode);
	}

	/** A connection was established. */
	connected(): void {
		this.#downMs = null;
		this.#disconnected = false;
	}

	/** The connection ended. */
	disconnected(reason: string, code: SharedStoreErrorCode): void {
		this.fault = reason;
		this.#downCode = code;
		// The second time in a row: reconnecting failed too.
		if (this.#disconnected || !this.options.words.linked) this.#lose(code);
		this.#disconnected = true;
		this.#downMs ??= this.options.monotonicMs();
	}

	/** The shared store replied as expected. */
	answered(hosts: number): void {
		const { words, log, shown } = this.options;
		this.#downMs = null;
		this.fault = null;
		if (words.linked) return;
		words.linked = true;
		this.#logged = null;
		log.info({ store: shown, hosts }, "the shared store answers");
	}

	/** A command failed. Returns whether it should be retried immediately. */
	failed(error: unknown): boolean {
		const { words, monotonicMs } = this.options;
		if (this.#closed) return false;
		if (!(error instanceof SharedStoreError)) {
			this.#ownFaults.report(error);
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

	/** Stops reporting. */
	close(): void {
		this.#closed = true;
		this.options.words.linked = false;
	}

	#lose(code: SharedStoreErrorCode): void {
		const { words, log, shown, onLost } = this.options;
		const was = words.linked;
		words.linked = false;
		this.#code = code;
		if (was) onLost();
		if (this.#closed || this.#logged === code) return;
		this.#logged = code;
		log.warn(
			{ code, store: shown, reason: this.fault },
			`${FAULTS_SAID[code]}; serving on leases and keys held here`,
		);
	}
}
