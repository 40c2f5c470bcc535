/** What each tier comes with (docs/API.md §4, §5.1). One row a tier. */

import type { ColumnName } from "../../formats/index.js";
import type { RateLimits, Tier } from "./key.js";

const DAY_MS = 86_400_000;

export interface TierTraits {
	/** Limits of a key created without others. */
	readonly rate_limits: RateLimits;
	/** Lifetime of a key created without another, in milliseconds; null: does not expire. */
	readonly lifetimeMs: number | null;
	/** Whether contact columns are masked. */
	readonly masked: boolean;
	/** Columns that no key of the tier reads, whatever its grant. */
	readonly withheld: readonly ColumnName[];
}

function limits(per_minute: number, per_day: number | null, monthly_quota: number | null): RateLimits {
	return { per_minute, per_day, monthly_quota };
}

export const TIER_TRAITS: Readonly<Record<Tier, TierTraits>> = {
	demo: { rate_limits: limits(10, 100, 1_000), lifetimeMs: null, masked: true, withheld: ["member_address"] },
	trial: { rate_limits: limits(30, 300, 2_000), lifetimeMs: 14 * DAY_MS, masked: true, withheld: [] },
	production: { rate_limits: limits(600, 100_000, null), lifetimeMs: null, masked: false, withheld: [] },
	enterprise: { rate_limits: limits(6_000, null, null), lifetimeMs: null, masked: false, withheld: [] },
};
