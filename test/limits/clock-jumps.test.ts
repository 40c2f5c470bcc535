/**
 * Clocks that jump back and forth over the ends of minutes, days and months: nobody is locked out by a
 * window that was not used up, waits and remainders stay in range, and usage is stored under its own
 * day.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isoDateOfDays } from "../../formats/index.js";
import { SharedCounters } from "../../server/limits/counters.js";
import { SharedLimits } from "../../server/limits/shared-limits.js";
import {
	DAY,
	DAY_MS,
	dayOf,
	endOfWindow,
	MINUTE,
	MINUTE_MS,
	MONTH,
	Moment,
} from "../../server/limits/windows.js";
import { openAccess } from "../../server/open-access.js";
import { Store } from "../../server/store/store.js";
import { addKey, looseKey, NOON_MS, SetClock, scratchFolder } from "../keys/scratch.js";
import { checkAsyncProperty, checkProperty } from "../oracle/seeded.js";

const LIMITS = { per_minute: 4, per_day: 9, monthly_quota: 15 };
const LIMIT_OF = [LIMITS.per_minute, LIMITS.per_day, LIMITS.monthly_quota];
/** The longest windows, in seconds, and by how much clocks may differ. */
const WAIT_S_MAX = 31 * 86_400 + 5;
const NEAR_MS = 5_000;

/** Steps of the clock, most of them across a boundary and back. */
const jump = fc.oneof(
	fc.integer({ min: 0, max: 3_000 }),
	fc.integer({ min: -2 * MINUTE_MS, max: 2 * MINUTE_MS }),
	fc.integer({ min: -2 * DAY_MS, max: 2 * DAY_MS }),
	fc.integer({ min: -40 * DAY_MS, max: 40 * DAY_MS }),
);
const walk = fc.array(fc.record({ jump, requests: fc.integer({ min: 0, max: 6 }) }), {
	minLength: 1,
	maxLength: 30,
});

test("for any clock, no key waits for a window that was not used up", (t) => {
	checkProperty(
		t,
		2_000,
		fc.property(walk, (steps) => {
			const limits = new SharedLimits(SharedCounters.allocate(1));
			const key = looseKey({ rate_limits: LIMITS });
			/** Requests allowed so far in a window, or shortly before it began. */
			const allowedIn = new Map<string, number>();
			const moment = new Moment();
			let nowMs = NOON_MS;
			for (const step of steps) {
				nowMs += step.jump;
				moment.set(nowMs);
				for (let i = 0; i < step.requests; i++) {
					const { allowed, headers } = limits.take(key, "/v1/me", nowMs);
					const header = (name: string) => Number(headers.split(`\r\n${name}: `)[1].split("\r\n")[0]);
					const [limit, remaining] = [header("RateLimit-Limit"), header("RateLimit-Remaining")];
					assert.ok(remaining >= 0 && remaining <= limit);
					assert.ok(header("RateLimit-Reset") >= 1 && header("RateLimit-Reset") <= WAIT_S_MAX);
					assert.ok(header("X-Quota-Used") >= 0 && header("X-Quota-Used") <= LIMITS.monthly_quota);
					const windows = [MINUTE, DAY, MONTH].flatMap((kind) => {
						const index = moment.index(kind);
						const isNear = endOfWindow(kind, index) - nowMs <= NEAR_MS + 1_000;
						return isNear ? [`${kind} ${index}`, `${kind} ${index + 1}`] : [`${kind} ${index}`];
					});
					if (allowed) for (const name of windows) allowedIn.set(name, (allowedIn.get(name) ?? 0) + 1);
					else {
						assert.ok(header("Retry-After") >= 1 && header("Retry-After") <= WAIT_S_MAX);
						const isFull = windows.some((name) => (allowedIn.get(name) ?? 0) >= LIMIT_OF[Number(name[0])]);
						assert.ok(isFull, `refused in ${windows.join()}, none of which is used up`);
					}
				}
			}
		}),
	);
});

test("a clock that was a day or a month ahead locks no key out when corrected", () => {
	for (const [limit, aheadMs] of [
		["per_minute", MINUTE_MS],
		["per_day", DAY_MS],
		["monthly_quota", 20 * DAY_MS],
	] as const) {
		const limits = new SharedLimits(SharedCounters.allocate(1));
		const key = looseKey({ rate_limits: { [limit]: 2 } });
		for (let i = 0; i < 2; i++) assert.ok(limits.take(key, "/v1/me", NOON_MS + aheadMs).allowed);
		assert.equal(limits.take(key, "/v1/me", NOON_MS + aheadMs).allowed, false);
		assert.ok(limits.take(key, "/v1/me", NOON_MS).allowed, limit);
	}
});

test("usage is counted and stored under its own day, for any clock", async (t) => {
	await checkAsyncProperty(
		t,
		40,
		fc.asyncProperty(walk, async (steps) => {
			const dataFolder = scratchFolder(t);
			const store = Store.open({ dataFolder, create: true });
			const { record } = await addKey(store, {
				rate_limits: { per_minute: null, per_day: null, monthly_quota: null },
			});
			await store.close();
			const clock = new SetClock();
			const access = openAccess({ dataFolder, clock, onError: assert.ifError });
			const key = looseKey({ ...record });
			const made = new Map<string, number>();
			for (const step of steps) {
				// Within the retention of usage; what is older is pruned.
				clock.nowMs = Math.min(
					NOON_MS + 30 * DAY_MS,
					Math.max(NOON_MS - 30 * DAY_MS, clock.nowMs + step.jump),
				);
				for (let i = 0; i < step.requests; i++) access.limits.take(key, "/v1/me", clock.nowMs);
				const date = isoDateOfDays(dayOf(clock.nowMs));
				made.set(date, (made.get(date) ?? 0) + step.requests);
				await access.settle();
			}
			clock.nowMs = NOON_MS + 30 * DAY_MS;
			const { by_day } = access.usage.usage(record.id, 90, clock.nowMs);
			await access.close();
			for (const { date, requests } of by_day) assert.equal(requests, made.get(date) ?? 0, date);
		}),
		10,
	);
});
