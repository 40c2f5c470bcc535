/**
 * Where a serving thread asks for leases: the words they are in, and the way to the thread that talks to
 * the shared store. A request whose lease has run out waits here, at most {@link WAIT_MS}; all others
 * never wait.
 */

import { RequestPending } from "../request-pending.js";
import type { LeaseWords } from "./lease-words.js";

/** How long a request waits for a lease before it is treated as if the shared store were away, in milliseconds. */
const WAIT_MS = 750;
/** How often a request that waited is tried. Each try fails only where others took what was granted meanwhile. */
export const ATTEMPTS_MAX = 12;
/** How long after such a wait requests do not wait again, in milliseconds. */
const GIVEN_UP_MS = 250;

/** Keys not known to be current for so long are waited for: this process may have been stopped meanwhile. */
const KEYS_BEHIND_MS = 800;
/** How long one such wait takes, in milliseconds. */
const KEYS_LOOK_MS = 100;
/** How long usage that other hosts counted is shown as it was read, in milliseconds. */
const USAGE_FRESH_MS = 1_000;
/** Keys whose reading is remembered. */
const USAGE_KEYS_MAX = 10_000;

/** What became of an ask: `granted`, also in part; `full`: no window has room; `short`: less room than asked for; `lost`: no answer. */
export type LeaseOutcome = "granted" | "full" | "short" | "lost";

/** To the thread that talks to the shared store. */
export interface LeaseAsk {
	readonly kind: "lease";
	readonly slot: number;
	/** Requests that wait for it; 0: none, it is asked for ahead. */
	readonly need: number;
}

/** To the same thread: usage of a key that other hosts counted is to be read into the store. */
export interface UsageAsk {
	readonly kind: "usage";
	readonly keyId: string;
}

/** From there: it was, or could not be. */
export interface UsageAnswer {
	readonly kind: "usage read";
	readonly keyId: string;
}

/** From there. */
export interface LeaseAnswer {
	readonly kind: "leased";
	readonly slot: number;
	readonly need: number;
	readonly outcome: LeaseOutcome;
}

/** {@link RequestPending} for what other hosts know. */
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
	/** Named by slot and number of requests, or by key. */
	readonly #waits = new Map<string, Wait>();
	/** When usage of a key that other hosts counted was last read. */
	readonly #usageReadMs = new Map<string, number>();
	/** Slots that lately had less room than the number of requests, with the moment until which that holds. */
	readonly #short = new Map<number, { readonly need: number; readonly untilMs: number }>();
	#givenUpUntilMs = Number.NEGATIVE_INFINITY;

	constructor(
		readonly words: LeaseWords,
		/** Whether requests of keys with a monthly quota are refused while the shared store is away. */
		readonly denyWhenLost: boolean,
		private readonly post: (ask: LeaseAsk | UsageAsk) => void,
		private readonly monotonicMs: () => number = () => performance.now(),
	) {}

	/** Whether the shared store cannot be asked. */
	get lost(): boolean {
		return !this.words.linked || this.monotonicMs() < this.#givenUpUntilMs;
	}

	/** Asks for more ahead. Cost: nothing where that has been done. */
	askAhead(slot: number): void {
		if (this.words.markAsked(slot)) this.post({ kind: "lease", slot, need: 0 });
	}

	/** Asks for room for `need` requests. Resolves when there is an answer, or after {@link WAIT_MS}. */
	wait(slot: number, need: number): Promise<void> {
		return this.#waitFor(
			`${slot}/${need}`,
			() => this.post({ kind: "lease", slot, need }),
			() => this.answered({ kind: "leased", slot, need, outcome: "lost" }),
		);
	}

	/** Resolves once usage of a key that other hosts counted was read; null: it was, less than {@link USAGE_FRESH_MS} ago, or cannot be. */
	usageBehind(keyId: string, _nowMs: number): Promise<void> | null {
		if (this.lost || this.monotonicMs() - (this.#usageReadMs.get(keyId) ?? -USAGE_FRESH_MS) < USAGE_FRESH_MS)
			return null;
		return this.#waitFor(
			keyId,
			() => this.post({ kind: "usage", keyId }),
			() => this.answered({ kind: "usage read", keyId }),
		);
	}

	/** Resolves when keys are current again, or soon; null: they are, or the shared store is known to be away. */
	keysBehind(nowMs: number): Promise<void> | null {
		if (!this.words.linked || Math.abs(this.words.heardAgoMs(nowMs)) < KEYS_BEHIND_MS) return null;
		return new Promise((resolve) => {
			setTimeout(resolve, KEYS_LOOK_MS);
		});
	}

	/** One wait of each name at a time, at most {@link WAIT_MS}. */
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

	/** Whether `need` requests were lately found to be more than there is room for. */
	isShort(slot: number, need: number): boolean {
		const found = this.#short.get(slot);
		if (found === undefined) return false;
		if (found.untilMs > this.monotonicMs()) return need >= found.need;
		this.#short.delete(slot);
		return false;
	}

	/** Takes an answer of the thread that was asked. */
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
