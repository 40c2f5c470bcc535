/**
 * A serving thread's access to leases: the words in shared memory, and messages to the thread that communicates
 * with the shared store. A request whose lease is used up waits here, at most {@link WAIT_MS}; no other request
 * waits.
 */

import { RequestPending } from "../request-pending.js";
import type { LeaseWords } from "./lease-words.js";

/** How long a request waits for a lease before the shared store is treated as unreachable for it, in milliseconds. */
const WAIT_MS = 750;
/** How long after such a wait requests do not wait again, in milliseconds. */
const GIVEN_UP_MS = 250;

/**
 * Milliseconds without confirmation of keys after which a request waits for it: this process may have been
 * suspended.
 */
const KEYS_BEHIND_MS = 800;
/** Duration of one such wait, in milliseconds. */
const KEYS_LOOK_MS = 100;
/** How long a reading of usage counted by other hosts is reused, in milliseconds. */
const USAGE_FRESH_MS = 1_000;
/** Maximum keys whose reading is remembered. */
const USAGE_KEYS_MAX = 10_000;

/**
 * Outcome of a request for a lease: `granted`, possibly in part; `full`: no window has room; `short`: less room
 * than requested; `lost`: no reply.
 */
export type LeaseOutcome = "granted" | "full" | "short" | "lost";

/** Message to the thread that communicates with the shared store. */
export interface LeaseAsk {
	readonly kind: "lease";
	readonly slot: number;
	/** Number of requests that wait for it; 0: none, an early renewal. */
	readonly need: number;
}

/** Message to the same thread: read usage of a key counted by other hosts into the store. */
export interface UsageAsk {
	readonly kind: "usage";
	readonly keyId: string;
}

/** Its reply: whether the usage was read. */
export interface UsageAnswer {
	readonly kind: "usage read";
	readonly keyId: string;
}

/** Its reply. */
export interface LeaseAnswer {
	readonly kind: "leased";
	readonly slot: number;
	readonly need: number;
	readonly outcome: LeaseOutcome;
}

/** {@link RequestPending} for data of other hosts. */
export class SharedStatePending extends RequestPending {
	constructor(settled: Promise<void>, counted = true) {
		super(settled, "the state that hosts share does not answer; retry in a second", counted);
		this.name = "SharedStatePending";
	}
}

interface Wait {
	readonly settled: Promise<void>;
	readonly settle: () => void;
	readonly timer: NodeJS.Timeout;
}

export class LeaseLine {
	/** By slot and number of requests, or by key. */
	readonly #waits = new Map<string, Wait>();
	/** When usage counted by other hosts was last read, by key. */
	readonly #usageReadMs = new Map<string, number>();
	/** Slots that recently had less room than the number of requests, with the time until which that is assumed. */
	readonly #short = new Map<number, { readonly need: number; readonly untilMs: number }>();
	#givenUpUntilMs = Number.NEGATIVE_INFINITY;

	constructor(
		readonly words: LeaseWords,
		/** Whether requests of keys with a monthly quota are refused while the shared store is unreachable. */
		readonly denyWhenLost: boolean,
		private readonly post: (ask: LeaseAsk | UsageAsk) => void,
		private readonly monotonicMs: () => number = () => performance.now(),
	) {}

	/** Whether the shared store is unreachable. */
	get lost(): boolean {
		return !this.words.linked || this.monotonicMs() < this.#givenUpUntilMs;
	}

	/** Requests an early renewal. Cost: none if one has been requested. */
	askAhead(slot: number): void {
		if (this.words.markAsked(slot)) this.post({ kind: "lease", slot, need: 0 });
	}

	/** Requests room for `need` requests. Resolves at the reply, or after {@link WAIT_MS}. */
	wait(slot: number, need: number): Promise<void> {
		return this.#waitFor(
			`${slot}/${need}`,
			() => this.post({ kind: "lease", slot, need }),
			() => this.answered({ kind: "leased", slot, need, outcome: "lost" }),
		);
	}

	/**
	 * Resolves once usage counted by other hosts was read; null: it was read less than {@link USAGE_FRESH_MS}
	 * ago, or cannot be.
	 */
	usageBehind(keyId: string): Promise<void> | null {
		if (this.lost || this.monotonicMs() - (this.#usageReadMs.get(keyId) ?? -USAGE_FRESH_MS) < USAGE_FRESH_MS)
			return null;
		return this.#waitFor(
			keyId,
			() => this.post({ kind: "usage", keyId }),
			() => this.answered({ kind: "usage read", keyId }),
		);
	}

	/**
	 * Resolves when keys are current again, or after a short wait; null: they are, or the shared store is known
	 * to be unreachable.
	 */
	keysBehind(nowMs: number): Promise<void> | null {
		if (!this.words.linked || Math.abs(this.words.heardAgoMs(nowMs)) < KEYS_BEHIND_MS) return null;
		return new Promise((resolve) => {
			setTimeout(resolve, KEYS_LOOK_MS);
		});
	}

	/** One wait per name at a time, at most {@link WAIT_MS}. */
	#waitFor(name: string, begin: () => void, giveUp: () => void): Promise<void> {
		const known = this.#waits.get(name);
		if (known !== undefined) return known.settled;
		let settle = (): void => undefined;
		const settled = new Promise<void>((resolve) => {
			settle = resolve;
		});
		this.#waits.set(name, { settled, settle, timer: setTimeout(giveUp, WAIT_MS) });
		begin();
		return settled;
	}

	/** Whether `need` requests recently exceeded the available room. */
	isShort(slot: number, need: number): boolean {
		const found = this.#short.get(slot);
		if (found === undefined) return false;
		if (found.untilMs > this.monotonicMs()) return need >= found.need;
		this.#short.delete(slot);
		return false;
	}

	/** Handles a reply of the other thread. */
	answered(answer: LeaseAnswer | UsageAnswer): void {
		if (answer.kind === "usage read") {
			if (this.#usageReadMs.size >= USAGE_KEYS_MAX) this.#usageReadMs.clear();
			this.#usageReadMs.set(answer.keyId, this.monotonicMs());
			this.#settle(answer.keyId);
			return;
		}
		const { slot, need, outcome } = answer;
		if (outcome === "lost") this.#givenUpUntilMs = this.monotonicMs() + GIVEN_UP_MS;
		if (outcome === "short") this.#short.set(slot, { need, untilMs: this.monotonicMs() + GIVEN_UP_MS });
		this.#settle(`${slot}/${need}`);
	}

	#settle(name: string): void {
		const wait = this.#waits.get(name);
		if (wait === undefined) return;
		this.#waits.delete(name);
		clearTimeout(wait.timer);
		wait.settle();
	}
}
