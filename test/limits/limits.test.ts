/** Decisions and headers of limits: allowed or refused, with which code, and with which headers. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Key, RateLimits, Tier } from "../../server/keys/key.js";
import { TIER_TRAITS } from "../../server/keys/tiers.js";
import { SharedCounters } from "../../server/limits/counters.js";
import { LeaseLine } from "../../server/limits/lease-line.js";
import { LeaseWords } from "../../server/limits/lease-words.js";
import type { Decision } from "../../server/limits/limits.js";
import { SharedLimits } from "../../server/limits/shared-limits.js";
import { DAY_MS, MINUTE, MINUTE_MS, minuteOf, monthOf } from "../../server/limits/windows.js";
import { looseKey, NOON_MS } from "../keys/scratch.js";

function newLimits(): SharedLimits {
	return new SharedLimits(SharedCounters.allocate(1));
}

function headersOf(decision: Decision): Record<string, string> {
	const headers: Record<string, string> = {};
	for (const line of decision.headers.split("\r\n").slice(1)) {
		const [, name, value] = /^([\w-]+): (.+)$/.exec(line) ?? assert.fail(line);
		assert.equal(headers[name], undefined);
		headers[name] = value;
	}
	return headers;
}

function takeMany(limits: SharedLimits, key: Key, requests: number, nowMs: number): Decision {
	let last: Decision = limits.peek(key, nowMs);
	for (let i = 0; i < requests; i++) last = limits.take(key, "/v1/me", nowMs);
	return last;
}

function tierKey(tier: Tier): Key {
	return looseKey({ tier, rate_limits: TIER_TRAITS[tier].rate_limits });
}

test("the headers describe the window with the fewest requests left, and the quota", () => {
	const limits = newLimits();
	const key = looseKey({ rate_limits: { per_minute: 10, per_day: 12, monthly_quota: 100 } });
	assert.deepEqual(headersOf(limits.take(key, "/v1/me", NOON_MS)), {
		"RateLimit-Limit": "10",
		"RateLimit-Remaining": "9",
		"RateLimit-Reset": "30",
		"RateLimit-Policy": '"minute";q=10;w=60, "day";q=12;w=86400, "month";q=100;w=2592000',
		RateLimit: '"minute";r=9;t=30, "day";r=11;t=49170, "month";r=99;t=826770',
		"X-Quota-Limit": "100",
		"X-Quota-Used": "1",
	});
	takeMany(limits, key, 8, NOON_MS);
	const nextMinute = headersOf(limits.take(key, "/v1/me", NOON_MS + MINUTE_MS));
	assert.equal(nextMinute["RateLimit-Limit"], "12");
	assert.equal(nextMinute["RateLimit-Remaining"], "2");
	assert.equal(nextMinute["RateLimit-Reset"], "49110");
	assert.equal(nextMinute["X-Quota-Used"], "10");
});

test("of windows with equally few left the longest is described", () => {
	const key = looseKey({ rate_limits: { per_minute: 5, per_day: 5, monthly_quota: null } });
	const headers = headersOf(newLimits().take(key, "/v1/me", NOON_MS));
	assert.equal(headers["RateLimit-Reset"], "49170");
	assert.equal(headers["X-Quota-Limit"], undefined);
});

test("the seconds to a reset are whole and at least one", () => {
	const limits = newLimits();
	const key = looseKey({ rate_limits: { per_minute: 5 } });
	const resetAt = (ms: number) =>
		headersOf(limits.peek(key, Date.UTC(2026, 10, 21, 10, 20) + ms))["RateLimit-Reset"];
	assert.deepEqual([0, 1, 999, 1_000, 58_999, 59_000, 59_999, 60_000].map(resetAt), [
		"60",
		"60",
		"60",
		"59",
		"2",
		"1",
		"1",
		"60",
	]);
});

test("a key without any limit reports the largest number, and the end of the minute", () => {
	const { headers } = newLimits().take(looseKey(), "/v1/me", NOON_MS);
	assert.equal(
		headers,
		"\r\nRateLimit-Limit: 999999999999999\r\nRateLimit-Remaining: 999999999999999\r\nRateLimit-Reset: 30",
	);
});

test("which tier is refused by which window with which code", () => {
	const table: [tier: Tier, limit: keyof RateLimits, code: string, message: RegExp][] = [
		[
			"demo",
			"per_minute",
			"rate_limited",
			/^The limit of 3 requests per minute is reached; retry in 30 s\.$/,
		],
		[
			"demo",
			"per_day",
			"rate_limited",
			/^The limit of 3 requests per day .* resets at 2026-11-22T00:00:00\.000Z\.$/,
		],
		[
			"demo",
			"monthly_quota",
			"quota_exceeded",
			/^The monthly quota of 3 .* resets at 2026-12-01T00:00:00\.000Z\.$/,
		],
		["trial", "per_minute", "rate_limited", /per minute/],
		["trial", "per_day", "trial_limit", /per day/],
		["trial", "monthly_quota", "trial_limit", /monthly/],
		["production", "per_minute", "rate_limited", /per minute/],
		["production", "per_day", "rate_limited", /per day/],
		["production", "monthly_quota", "quota_exceeded", /monthly/],
		["enterprise", "per_minute", "rate_limited", /per minute/],
		["enterprise", "per_day", "rate_limited", /per day/],
		["enterprise", "monthly_quota", "quota_exceeded", /monthly/],
	];
	for (const [tier, limit, code, message] of table) {
		const none = { per_minute: null, per_day: null, monthly_quota: null };
		const key = looseKey({ tier, rate_limits: { ...none, [limit]: 3 } });
		const limits = newLimits();
		assert.equal(takeMany(limits, key, 3, NOON_MS).allowed, true);
		const refused = limits.take(key, "/v1/me", NOON_MS);
		assert.equal(refused.code, code, `${tier} ${limit}`);
		assert.match("message" in refused ? refused.message : "", message);
		const headers = headersOf(refused);
		assert.equal(headers["RateLimit-Remaining"], "0");
		assert.equal(headers["Retry-After"], headers["RateLimit-Reset"]);
	}
});

test("every tier's own limits hold to the request", () => {
	for (const [tier, perMinute] of [
		["demo", 10],
		["trial", 30],
		["production", 600],
		["enterprise", 6_000],
	] as const) {
		const limits = newLimits();
		assert.equal(takeMany(limits, tierKey(tier), perMinute, NOON_MS).allowed, true);
		assert.equal(limits.take(tierKey(tier), "/v1/me", NOON_MS).code, "rate_limited");
	}
});

test("a refused request counts towards nothing", () => {
	const limits = newLimits();
	const key = looseKey({ rate_limits: { per_minute: 2, per_day: 100, monthly_quota: 100 } });
	takeMany(limits, key, 50, NOON_MS);
	assert.equal(limits.quota(key, NOON_MS)?.used, 2);
	const later = headersOf(limits.take(key, "/v1/me", NOON_MS + MINUTE_MS));
	assert.match(later.RateLimit, /"minute";r=1;.*"day";r=97;.*"month";r=97;/);
});

test("where several windows are full the longest determines the code and the wait", () => {
	const limits = newLimits();
	const key = looseKey({ tier: "trial", rate_limits: { per_minute: 2, per_day: 2, monthly_quota: 3 } });
	takeMany(limits, key, 2, NOON_MS);
	const refused = limits.take(key, "/v1/me", NOON_MS);
	assert.equal(refused.code, "trial_limit");
	assert.equal(headersOf(refused)["Retry-After"], "49170");
	assert.equal(limits.take(key, "/v1/me", NOON_MS + DAY_MS).allowed, true);
	assert.equal(headersOf(limits.take(key, "/v1/me", NOON_MS + DAY_MS))["Retry-After"], "740370");
});

test("peek returns the headers and counts nothing", () => {
	const limits = newLimits();
	const key = looseKey({ rate_limits: { per_minute: 2, monthly_quota: 5 } });
	limits.take(key, "/v1/me", NOON_MS);
	const first = limits.peek(key, NOON_MS);
	assert.deepEqual(limits.peek(key, NOON_MS), first);
	assert.equal(headersOf(first)["RateLimit-Remaining"], "1");
	assert.equal(headersOf(first)["X-Quota-Used"], "1");
});

test("the quota has its limit, use and reset; a key without one has none", () => {
	const limits = newLimits();
	const key = looseKey({ rate_limits: { monthly_quota: 5 } });
	assert.deepEqual(limits.quota(key, NOON_MS), { limit: 5, used: 0, resets_at: "2026-12-01T00:00:00.000Z" });
	takeMany(limits, key, 3, NOON_MS);
	assert.equal(limits.quota(key, NOON_MS)?.used, 3);
	const decemberMs = Date.UTC(2026, 11, 31, 23, 59);
	assert.deepEqual(limits.quota(key, decemberMs), {
		limit: 5,
		used: 0,
		resets_at: "2027-01-01T00:00:00.000Z",
	});
	assert.equal(limits.quota(looseKey({ slot: 0 }), NOON_MS), null);
});

test("minute, day and month restart on their boundaries, not a moment earlier", () => {
	for (const [limit, end] of [
		["per_minute", Date.UTC(2026, 11, 31, 23, 59)],
		["per_day", Date.UTC(2026, 11, 31)],
		["monthly_quota", Date.UTC(2027, 0, 1)],
	] as const) {
		const limits = newLimits();
		const key = looseKey({ rate_limits: { [limit]: 1 } });
		assert.equal(limits.take(key, "/v1/me", end - 1).allowed, true);
		assert.equal(limits.take(key, "/v1/me", end - 1).allowed, false);
		assert.equal(limits.take(key, "/v1/me", end).allowed, true);
		assert.equal(limits.take(key, "/v1/me", end).allowed, false);
	}
});

test("a clock set slightly back over a boundary reopens no window, and the wait includes it", () => {
	for (const [limit, end, wait] of [
		["per_minute", Date.UTC(2026, 11, 31, 23, 59), "61"],
		["per_day", Date.UTC(2026, 11, 31), "86401"],
		["monthly_quota", Date.UTC(2027, 0, 1), "2678401"],
	] as const) {
		const limits = newLimits();
		const key = looseKey({ rate_limits: { [limit]: 2 } });
		takeMany(limits, key, 2, end - 1);
		assert.equal(limits.take(key, "/v1/me", end).allowed, true);
		assert.equal(limits.take(key, "/v1/me", end - 500).allowed, true);
		const refused = limits.take(key, "/v1/me", end - 500);
		assert.equal(refused.allowed, false);
		assert.equal(headersOf(refused)["Retry-After"], wait);
		assert.equal(limits.take(key, "/v1/me", end).allowed, false);
	}
});

test("a request that counts as more than any window's limit is told that waiting does not help, whichever is full", () => {
	const limits = newLimits();
	const key = looseKey({ rate_limits: { per_minute: 5, per_day: 8 } });
	takeMany(limits, key, 4, NOON_MS);
	const refusedAs = (requests: number) => {
		const decision = limits.take(key, "/v1/verify", NOON_MS, requests);
		assert.ok(!decision.allowed && decision.code === "rate_limited");
		return { most: decision.most, retryAfterS: decision.retryAfterS, message: decision.message };
	};
	const never = refusedAs(6);
	assert.deepEqual(
		[never.most, never.retryAfterS],
		[5, null],
		"the day is full, and the minute never has room",
	);
	assert.match(
		never.message,
		/^This request counts as 6, more than the limit of 5 requests per minute, so waiting/,
	);
	const later = refusedAs(5);
	assert.deepEqual([later.most, later.retryAfterS], [null, 49_170]);
	assert.match(
		later.message,
		/counts as 5, and 4 of the limit of 8 requests per day are left; .* or retry in 49170 s/,
	);
});

test("a request that never fits has the code of the window that its message names, not of the one that is full", () => {
	const cases: [key: Key, code: string][] = [
		[looseKey({ tier: "trial", rate_limits: { per_minute: 5, per_day: 8 } }), "rate_limited"],
		[looseKey({ rate_limits: { per_minute: 5, monthly_quota: 8 } }), "rate_limited"],
		[looseKey({ tier: "trial", rate_limits: { per_day: 5, monthly_quota: 8 } }), "trial_limit"],
		[looseKey({ rate_limits: { per_day: 5, monthly_quota: 8 } }), "rate_limited"],
	];
	for (const [key, code] of cases) {
		const limits = newLimits();
		takeMany(limits, key, 4, NOON_MS);
		const refused = limits.take(key, "/v1/verify", NOON_MS, 6);
		assert.ok("message" in refused);
		assert.match(refused.message, /more than the limit of 5 requests per (minute|day)/);
		assert.equal(refused.code, code, refused.message);
	}
});

test("a clock set far back is accepted", () => {
	const limits = newLimits();
	const key = looseKey({ rate_limits: { per_minute: 1 } });
	assert.equal(limits.take(key, "/v1/me", NOON_MS).allowed, true);
	assert.equal(limits.take(key, "/v1/me", NOON_MS - 10 * MINUTE_MS).allowed, true);
	assert.equal(limits.take(key, "/v1/me", NOON_MS - 10 * MINUTE_MS).allowed, false);
});

test("a key changed in place is held to its new limits, with what it used counted", () => {
	const limits = newLimits();
	takeMany(limits, looseKey({ rate_limits: { per_minute: 5 } }), 3, NOON_MS);
	const narrower = looseKey({ rate_limits: { per_minute: 2 } });
	const refused = limits.take(narrower, "/v1/me", NOON_MS);
	assert.equal(refused.allowed, false);
	assert.equal(headersOf(refused)["RateLimit-Remaining"], "0");
	const larger = limits.take(narrower, "/v1/verify", NOON_MS, 2);
	assert.ok(!larger.allowed && larger.code === "rate_limited");
	assert.match(larger.message, /counts as 2, and 0 of the limit of 2 requests per minute are left/);
});

test("what other hosts were granted is shown as used", () => {
	const words = LeaseWords.allocate(1);
	const limits = new SharedLimits(SharedCounters.allocate(1), new LeaseLine(words, false, () => undefined));
	const tag = minuteOf(NOON_MS) + 1;
	words.grant(0, MINUTE, tag, 4);
	words.setElsewhere(0, MINUTE, tag, 3);
	const taken = limits.take(looseKey({ rate_limits: { per_minute: 10 } }), "/v1/me", NOON_MS);
	assert.equal(taken.allowed, true);
	assert.equal(headersOf(taken)["RateLimit-Remaining"], "6");
});

/** What the headers of a key without any limit say remains: the largest number that they allow. */
const UNLIMITED = 999_999_999_999_999;

test("for any sequence of times, limits decide as a plain count of each window does", () => {
	const step = fc.record({
		waitMs: fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 3 * DAY_MS })),
		requests: fc.integer({ min: 1, max: 6 }),
	});
	const limit = fc.option(fc.integer({ min: 1, max: 8 }), { nil: null });
	const rates = fc.record({ per_minute: limit, per_day: limit, monthly_quota: limit });
	fc.assert(
		fc.property(rates, fc.array(step, { maxLength: 60 }), (rate_limits, steps) => {
			const key = looseKey({ rate_limits });
			const limits = newLimits();
			const used = new Map<string, number>();
			let nowMs = NOON_MS;
			for (const { waitMs, requests } of steps) {
				nowMs += waitMs;
				for (let i = 0; i < requests; i++) {
					const windows: [string, number | null][] = [
						[`minute ${Math.floor(nowMs / MINUTE_MS)}`, rate_limits.per_minute],
						[`day ${Math.floor(nowMs / DAY_MS)}`, rate_limits.per_day],
						[`month ${monthOf(nowMs)}`, rate_limits.monthly_quota],
					];
					const expected = windows.every(([name, max]) => max === null || (used.get(name) ?? 0) < max);
					if (expected) for (const [name] of windows) used.set(name, (used.get(name) ?? 0) + 1);
					const decision = limits.take(key, "/v1/stats", nowMs);
					assert.equal(decision.allowed, expected);
					const left = windows.flatMap(([name, max]) => (max === null ? [] : [max - (used.get(name) ?? 0)]));
					const told = headersOf(decision)["RateLimit-Remaining"];
					assert.equal(told, String(left.length === 0 ? UNLIMITED : Math.min(...left)));
				}
			}
		}),
	);
});
