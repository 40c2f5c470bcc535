/**
 * The constant part of a key's limit headers, built once per key and month.
 *
 * `RateLimit-Limit`, `-Remaining` and `-Reset` are described in docs/API.md §5.2. `RateLimit-Policy` and `RateLimit`
 * follow draft-ietf-httpapi-ratelimit-headers (versions 08 to 10), in the syntax of RFC 9651: a list
 * of policies, each with its quota `q` and window `w` in seconds; and for each what remains, `r`, and
 * the seconds until more is available, `t`.
 */

import type { Key, RateLimits } from "../keys/key.js";
import { DAY, MINUTE, MONTH, startOfMonth, WINDOW_NAMES } from "./windows.js";

export interface Policy {
	/** The key it was made for, and the month. */
	readonly key: Key;
	readonly month: number;
	/** Limit of each window, by position in {@link WINDOW_NAMES}; Infinity: none. */
	readonly limits: readonly number[];
	readonly limitTexts: readonly string[];
	/** Windows with a limit, the shortest first. */
	readonly limited: readonly number[];
	/** Value of `RateLimit-Policy`; "" if nothing is limited. */
	readonly policyText: string;
	/** For each limited window, the start of its member of `RateLimit`. */
	readonly memberStarts: readonly string[];
}

/** The policy of `key` in `month`, whose length determines the quota's window. */
export function policyOf(key: Key, month: number): Policy {
	const limits = limitsOf(key.rate_limits);
	const limited = [MINUTE, DAY, MONTH].filter((kind) => limits[kind] !== Number.POSITIVE_INFINITY);
	const seconds = [60, 86_400, (startOfMonth(month + 1) - startOfMonth(month)) / 1000];
	const policies = limited.map((kind) => `"${WINDOW_NAMES[kind]}";q=${limits[kind]};w=${seconds[kind]}`);
	return {
		key,
		month,
		limits,
		limitTexts: limits.map(String),
		limited,
		policyText: policies.join(", "),
		memberStarts: limited.map((kind, i) => `${i === 0 ? "" : ", "}"${WINDOW_NAMES[kind]}";r=`),
	};
}

/** By position in {@link WINDOW_NAMES}; Infinity: none. */
export function limitsOf(limits: RateLimits): number[] {
	return [limits.per_minute, limits.per_day, limits.monthly_quota].map(
		(limit) => limit ?? Number.POSITIVE_INFINITY,
	);
}
