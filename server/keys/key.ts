/**
 * What an API key is to the rest of the server: the grant that a request carries, and the result of
 * authentication. Types only; field names are those of `/v1/me` (docs/API.md §7.2).
 */

import type { KeyStatus, RateLimits, Scope, Tier } from "../store/key-record.js";

export * from "../store/key-record.js";

/** Status at a moment: the stored one, or `expired`. */
export type EffectiveStatus = KeyStatus | "expired";

/** A key as a request carries it: immutable; a change to the record makes a new one. */
export interface Key {
	readonly id: string;
	readonly name: string;
	readonly tier: Tier;
	readonly status: KeyStatus;
	readonly created_at: string;
	readonly expires_at: string | null;
	readonly rate_limits: RateLimits;
	/** The effective scope, tier included: a demo key's columns lack `member_address`. */
	readonly scope: Scope;
	/** Whether contact columns are masked: demo and trial keys. */
	readonly masked: boolean;
	/** Changes whenever anything that shapes a response body (scope, masking) differs; for ETags. */
	readonly scopeTag: string;
	/** Place of the key's counters in shared memory. */
	readonly slot: number;
}

/** The two headers a key may come in, as received; null where a header is absent. */
export interface KeyHeaders {
	readonly authorization: string | null;
	readonly xApiKey: string | null;
}

/**
 * Outcome of authentication. `key` of a refusal is the known but unusable key (suspended, revoked,
 * expired), whose limits are still in the headers; null if the text is of no key.
 */
export type Authentication =
	| { readonly ok: true; readonly key: Key }
	| {
			readonly ok: false;
			readonly code: "unauthorized" | "key_suspended" | "unavailable";
			readonly message: string;
			readonly key: Key | null;
	  };

/** Finds the key of a request. Safe to share between requests of one thread. */
export interface Authenticator {
	/** Cost: about a microsecond for a key seen before; a SHA-256 more for one that was not. */
	authenticate(headers: KeyHeaders, nowMs: number): Authentication;
	/** The key `id` for a client that has proved by other means that it may use it; refused as any other that is not active. */
	authenticateId(id: string, nowMs: number): Authentication;
}
