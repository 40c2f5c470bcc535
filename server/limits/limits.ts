/**
 * The limits of a key: one call counts or refuses a request and returns the headers to send. Fixed windows of a UTC
 * minute, day and month (docs/API.md §5).
 */

import type { HeaderBlock } from "../http/transport.js";
import type { Key } from "../keys/key.js";
import type { Endpoint } from "./usage-codes.js";

/** Why a request was refused; all answer 429 (docs/API.md §5.3). */
export type LimitCode = "rate_limited" | "quota_exceeded" | "trial_limit";

export type Decision = Allowed | Refused | Pending | Unavailable;

/** The request was counted, or with {@link Limits.peek} would be. */
export interface Allowed {
	readonly allowed: true;
	readonly code: null;
	/** As in docs/API.md §5.2. */
	readonly headers: HeaderBlock;
}

/** The request counts toward nothing. */
export interface Refused {
	readonly allowed: false;
	readonly code: LimitCode;
	/** One sentence for the error body: which limit, and when it resets. */
	readonly message: string;
	/** As of {@link Allowed}, with `Retry-After`. */
	readonly headers: HeaderBlock;
	/** Seconds until the window ends, as in `Retry-After`; null: waiting does not help. */
	readonly retryAfterS: number | null;
	/** As how many requests one may count, where it counts as more than a window has room for; null: waiting helps. */
	readonly most: number | null;
}

/** Nothing was counted: this host's lease has run out, and the request is to be tried again. */
export interface Pending {
	readonly allowed: false;
	readonly code: "pending";
	/** Resolves soon, whether there is a lease then or not. */
	readonly settled: Promise<void>;
	readonly headers: HeaderBlock;
}

/** Nothing was counted: the state of shared limits is unknown, and the key has a quota. */
export interface Unavailable {
	readonly allowed: false;
	readonly code: "unavailable";
	readonly message: string;
	/** With `Retry-After`. */
	readonly headers: HeaderBlock;
	readonly retryAfterS: number;
}

/** `quota` of `/v1/me`. */
export interface Quota {
	readonly limit: number;
	readonly used: number;
	/** ISO 8601, the first moment of the next UTC month. */
	readonly resets_at: string;
}

export interface Limits {
	/**
	 * Counts `requests` (one) of `key` to `endpoint`, all or none, or refuses them. Exact over all threads that share the
	 * counters. Cost: under a microsecond.
	 */
	take(key: Key, endpoint: Endpoint, nowMs: number, requests?: number): Decision;
	/** Takes back `requests` (one) that {@link take} counted: they turned out to count toward nothing. */
	giveBack(key: Key, endpoint: Endpoint, nowMs: number, requests?: number): void;
	/** What {@link take} would decide, counting nothing. */
	check(key: Key, nowMs: number): Decision;
	/** The headers as they stand, counting nothing; always `allowed`. For responses that are not metered. */
	peek(key: Key, nowMs: number): Decision;
	/** The monthly quota and what is used of it; null for a key without one. */
	quota(key: Key, nowMs: number): Quota | null;
	/** Every limited window as it stands, the shortest first. Counts nothing. */
	windows(key: Key, nowMs: number): WindowUse[];
}

/** What is used of one window. */
export interface WindowUse {
	readonly window: "minute" | "day" | "month";
	readonly limit: number;
	readonly used: number;
	/** Whole seconds to the window's end, at least 1. */
	readonly resets_in_s: number;
}
