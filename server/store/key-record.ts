/** A key as it is stored: tier, status, limits and grant. Types and constants only. */

import type { Geography } from "../../engine/query.js";
import type { ColumnName } from "../../formats/index.js";

/** Tiers, from the narrowest to the widest. */
export const TIERS = ["demo", "trial", "production", "enterprise"] as const;
export type Tier = (typeof TIERS)[number];

/** The status set by the operator. Expiry is not a stored status: it follows from `expires_at`. */
export const KEY_STATUSES = ["active", "suspended", "revoked"] as const;
export type KeyStatus = (typeof KEY_STATUSES)[number];

/** Requests allowed in each window; null: no limit in that window. Whole numbers ≥ 1. */
export interface RateLimits {
	readonly per_minute: number | null;
	readonly per_day: number | null;
	readonly monthly_quota: number | null;
}

/** Which snapshots a key reads: `latest`, the latest plus `months` prior ones, or all (docs/API.md §6.1). */
export type HistoryScope =
	| { readonly mode: "latest" }
	| { readonly mode: "months"; readonly months: number }
	| { readonly mode: "all" };

/** What a key may read. A null member is unrestricted (docs/API.md §7.2). */
export interface Scope {
	/** Rows whose country is granted or whose state is granted. */
	readonly geography: Geography | null;
	/** In output order, always with `id` and `snapshot`. */
	readonly columns: readonly ColumnName[] | null;
	readonly history: HistoryScope;
	/** Whether the key may read whole results: cursors, streams and exports. Absent: no. */
	readonly bulk?: boolean;
}

/** A key as stored. Contains only the SHA-256 of the key's text. Times are ISO 8601 in UTC. */
export interface KeyRecord {
	readonly id: string;
	readonly name: string;
	readonly tier: Tier;
	readonly status: KeyStatus;
	readonly created_at: string;
	readonly expires_at: string | null;
	readonly rate_limits: RateLimits;
	/** The grant given by the operator; the key's tier may narrow it further. */
	readonly scope: Scope;
	/** SHA-256 of the key's text, lower-case hex. */
	readonly hash: string;
	/** The text before the last rotation, valid until `until`. */
	readonly previous: { readonly hash: string; readonly until: string } | null;
	/** Slot of the key's counters in shared memory; unique, never reused. */
	readonly slot: number;
}
