/**
 * Precomputed statistics of a snapshot, per state run, so that the statistics of a key with a geography are the
 * sum over the runs it may read (docs/API.md §7.6).
 */

import type { ColumnName } from "./columns.js";

/** Contact columns whose coverage is counted, in the order of `StateStats.coverage`. */
export const COVERAGE_COLUMNS = [
	"member_email",
	"member_preferred_phone",
	"matched_email",
	"matched_phone",
] as const satisfies readonly ColumnName[];

/** Buckets by days from the last day of the snapshot's month to expiry, in the order of `StateStats.expiration`. */
export const EXPIRATION_BUCKETS = [
	"expired",
	"days_0_30",
	"days_31_60",
	"days_61_90",
	"days_91_365",
	"later",
	"none",
] as const;

/** Index into {@link EXPIRATION_BUCKETS} of a license that expires `days` after the reference day; null: no date. */
export function expirationBucket(days: number | null): number {
	if (days === null) return 6;
	if (days < 0) return 0;
	if (days <= 30) return 1;
	if (days <= 60) return 2;
	if (days <= 90) return 3;
	return days <= 365 ? 4 : 5;
}

/** Rows by dictionary code, ascending codes; rows without a value are not counted. */
export interface CodeCounts {
	readonly codes: readonly number[];
	readonly rows: readonly number[];
}

/** Statistics of one state run of the catalog. */
export interface StateStats {
	readonly license_status: CodeCounts;
	readonly member_type: CodeCounts;
	/** Rows with a value, by {@link COVERAGE_COLUMNS}. */
	readonly coverage: readonly number[];
	/** Rows by {@link EXPIRATION_BUCKETS}. */
	readonly expiration: readonly number[];
}

/** One entry per state run, in the catalog's order. */
export interface SnapshotStats {
	readonly states: readonly StateStats[];
}
