/**
 * Every window at its boundaries, for threads whose clocks are apart: decisions are those of a model that keeps
 * one number and one count a window (docs/API.md §5).
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { RateLimits } from "../../server/keys/key.js";
import { SharedCounters, windowWord } from "../../server/limits/counters.js";
import { SharedLimits } from "../../server/limits/shared-limits.js";
import { MINUTE } from "../../server/limits/windows.js";
import { looseKey } from "../keys/scratch.js";
import { Draw } from "../oracle/draw.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";

/** Threads whose clocks differ by up to this share the later window at a boundary. */
const CLOCKS_APART_MS = 5_000;
const LIMITS = { per_minute: 2, per_day: 3, monthly_quota: 4 } satisfies RateLimits;
const LIMIT_OF_WINDOW = [LIMITS.per_minute, LIMITS.per_day, LIMITS.monthly_quota];
/** Ends of a minute, of a day, of a month, of a leap day, and of a year. */
const BOUNDARIES = [
	Date.UTC(2026, 10, 21, 10, 21),
	Date.UTC(2026, 10, 22),
	Date.UTC(2026, 11, 1),
	Date.UTC(2028, 2, 1),
	Date.UTC(2027, 0, 1),
];
/** Around a boundary in milliseconds: one to each side of every moment at which a rule turns. */
const OFFSETS = [
	-60_000, -10_000, -5_001, -5_000, -4_999, -1_001, -1_000, -999, -1, 0, 1, 999, 5_000, 60_000,
];

/** Number and end of the minute, day and month of a moment, from the calendar. */
function windowsAt(nowMs: number): { readonly number: number; readonly endMs: number }[] {
	const date = new Date(nowMs);
	const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
	const minute = Math.floor(nowMs / 60_000);
	const day = Math.floor(nowMs / 86_400_000);
	return [
		{ number: minute, endMs: (minute + 1) * 60_000 },
		{ number: day, endMs: (day + 1) * 86_400_000 },
		{ number: year * 12 + month, endMs: Date.UTC(year, month + 1, 1) },
	];
}

/** The windows as they are held: a request counts in all of them or in none. */
class Model {
	private readonly held = [0, 1, 2].map(() => ({ number: Number.NaN, count: 0 }));

	take(nowMs: number): boolean {
		windowsAt(nowMs).forEach(({ number, endMs }, i) => {
			const window = this.held[i];
			const isNextBegun = window.number === number + 1 && endMs - nowMs <= CLOCKS_APART_MS;
			if (window.number !== number && !isNextBegun) this.held[i] = { number, count: 0 };
		});
		if (this.held.some(({ count }, i) => count >= LIMIT_OF_WINDOW[i])) return false;
		for (const window of this.held) window.count++;
		return true;
	}
}

/** Two threads over one set of counters, and the model beside them. */
function newThreads() {
	const counters = SharedCounters.allocate(1);
	const key = looseKey({ rate_limits: LIMITS });
	const threads = [0, 1].map(() => new SharedLimits(new SharedCounters(counters.buffer)));
	const model = new Model();
	return (thread: number, nowMs: number, told: string) => {
		const { allowed } = threads[thread].take(key, "/v1/me", nowMs);
		assert.equal(allowed, model.take(nowMs), `${told}, at ${new Date(nowMs).toISOString()}`);
	};
}

test("one thread before a boundary and one beside it decide as one count of each window does", () => {
	for (const boundaryMs of BOUNDARIES)
		for (const first of OFFSETS)
			for (const second of OFFSETS) {
				const take = newThreads();
				const told = `offsets ${first} and ${second}`;
				for (let i = 0; i < 3; i++) {
					take(0, boundaryMs + first, told);
					take(1, boundaryMs + second, told);
				}
			}
});

test("a request that one window refuses counts in no other", () => {
	for (const boundaryMs of BOUNDARIES) {
		const take = newThreads();
		// Two in the first minute and refusals; the day has one left, and the month two.
		for (const offset of [-1, -1, -1, -1, 0, 0, 0]) take(0, boundaryMs - 60_000 + offset, "refusals");
		for (const offset of [0, 0, 0]) take(0, boundaryMs + offset, "after refusals");
	}
});

/** Counters of a thread that is overtaken: `meanwhile` happens once, between its look at the minute and its reservations. */
class OvertakenCounters extends SharedCounters {
	meanwhile: (() => void) | null = null;

	override look(slot: number, word: number, tag: number, nearEnd: boolean): number {
		const counted = super.look(slot, word, tag, nearEnd);
		const { meanwhile } = this;
		if (word === windowWord(MINUTE) && meanwhile !== null) {
			this.meanwhile = null;
			meanwhile();
		}
		return counted;
	}
}

test("a request overtaken on its way gives back what it had reserved in longer windows", () => {
	const shared = SharedCounters.allocate(1);
	const overtaken = new OvertakenCounters(shared.buffer);
	const [slow, quick] = [overtaken, shared].map((counters) => new SharedLimits(counters));
	const key = looseKey({ rate_limits: { per_minute: 2, per_day: 10, monthly_quota: 20 } });
	const nowMs = BOUNDARIES[0] - 30_000;
	overtaken.meanwhile = () => {
		for (let i = 0; i < 2; i++) assert.equal(quick.take(key, "/v1/me", nowMs).allowed, true);
	};
	assert.equal(slow.take(key, "/v1/me", nowMs).allowed, false);
	assert.deepEqual(
		slow.windows(key, nowMs).map(({ used }) => used),
		[2, 2, 2],
	);
});

test("for any course of time over a boundary, threads a few seconds apart decide as the model", (t) => {
	const cases = fuzzRuns(3_000);
	tellSeed(t, cases);
	for (let i = 0; i < cases; i++) {
		const draw = new Draw(SEED, i);
		const take = newThreads();
		const apart = [0, 1].map(() => draw.below(CLOCKS_APART_MS / 2));
		let nowMs = draw.pick(BOUNDARIES) - 10_000;
		for (let request = 0; request < 16; request++) {
			nowMs += draw.pick([0, 1, 500, 1_000, 2_500]);
			const thread = draw.below(2);
			take(thread, nowMs + apart[thread], `case ${i}`);
		}
	}
});
