/**
 * The only writer of counts: flushes the shared counters to the store, and loads them at startup.
 *
 * Invariants:
 * - Counts reach the store within {@link FLUSH_INTERVAL_MS} plus the time of a commit, which bounds the loss of a
 *   killed process. A closed ledger loses nothing.
 * - What is added to the store is the difference to what was last flushed, in one transaction; so the
 *   counts of several server processes add up, and each takes over the others' where it flushes. A
 *   flush that fails leaves everything to the next.
 * - Usage is kept for {@link USAGE_DAYS_KEPT} days.
 *
 * Cost of a flush: a few microseconds per key used since the last one.
 */

import type { Clock } from "../clock.js";
import type { KeyDirectory } from "../keys/directory.js";
import type { CounterRecord, CountsWriter, WindowCount } from "../store/records.js";
import type { Store } from "../store/store.js";
import {
	COUNT_WORDS,
	LAST_USED_WORD,
	MOVING,
	type SharedCounters,
	USAGE_BANKS,
	windowWord,
} from "./counters.js";
import { ENDPOINTS } from "./usage-codes.js";
import { dayOf, isNearEnd, WINDOW_NAMES } from "./windows.js";

/** From one flush to the next, in milliseconds. */
const FLUSH_INTERVAL_MS = 150;
/**
 * Longest pause after flushes that failed, in milliseconds; each failure doubles it. LMDB prints every failed write to
 * stderr, past the log.
 */
const PAUSE_MAX_MS = 5_000;
/** Days that usage is kept, including today; `/v1/usage` reports 90. */
export const USAGE_DAYS_KEPT = 92;

const EMPTY: WindowCount = { window: -1, count: 0 };
const UNUSED: CounterRecord = { minute: EMPTY, day: EMPTY, month: EMPTY, last_used: 0 };

export interface LedgerOptions {
	readonly store: Store;
	readonly directory: KeyDirectory;
	readonly counters: SharedCounters;
	readonly clock: Clock;
	/** Called inside a flush's transaction with the newly flushed usage, by endpoint code. */
	readonly onUsage?: (keyId: string, day: number, requests: readonly number[], lastUsed: number) => void;
}

/** One key's counts during a flush. */
interface Posting {
	readonly slot: number;
	readonly keyId: string;
	/** The slot as copied from the counters. */
	readonly words: Int32Array;
	/** The slot as the store knows it, of this process and the others. */
	readonly baseline: Int32Array;
}

/** Requests that other processes counted, added to the word here once the flush is committed. */
interface Foreign {
	readonly slot: number;
	readonly tagWord: number;
	readonly tag: number;
	readonly word: number;
	readonly requests: number;
}

export class Ledger {
	readonly #store: Store;
	readonly #directory: KeyDirectory;
	readonly #counters: SharedCounters;
	readonly #clock: Clock;
	readonly #onUsage: LedgerOptions["onUsage"];
	readonly #baselines = new Map<number, Int32Array>();
	#running: Promise<void> | null = null;
	#prunedOnDay = -1;
	#timer: NodeJS.Timeout | null = null;
	/** Pause after the last flush by the timer, if it failed; 0: it did not. */
	#pauseMs = 0;
	#pausedUntilMs = 0;

	/** Loads what is stored into the counters. REQUIRES: nothing is counted yet. Errors: those of {@link Store}. */
	constructor({ store, directory, counters, clock, onUsage }: LedgerOptions) {
		this.#onUsage = onUsage;
		this.#store = store;
		this.#directory = directory;
		this.#counters = counters;
		this.#clock = clock;
		this.#load();
	}

	/**
	 * Flushes every {@link FLUSH_INTERVAL_MS}, and after failures less often ({@link PAUSE_MAX_MS}), until
	 * {@link close}. Reports errors to `onError`.
	 */
	start(onError: (error: unknown) => void): void {
		if (this.#timer !== null) return;
		this.#timer = setInterval(() => {
			if (this.#running === null && performance.now() >= this.#pausedUntilMs) this.#flushInTime(onError);
		}, FLUSH_INTERVAL_MS);
		this.#timer.unref();
	}

	#flushInTime(onError: (error: unknown) => void): void {
		this.flush().then(
			() => {
				this.#pauseMs = 0;
			},
			(error: unknown) => {
				this.#pauseMs = Math.min(PAUSE_MAX_MS, Math.max(FLUSH_INTERVAL_MS, this.#pauseMs) * 2);
				this.#pausedUntilMs = performance.now() + this.#pauseMs;
				onError(error);
			},
		);
	}

	/** Stores everything counted before the call. Errors: `write_failed`, `corrupt_record`; nothing is lost by them. */
	async flush(): Promise<void> {
		// A flush in progress may have read a slot before the caller's request was counted.
		while (this.#running !== null) await this.#running.catch(() => undefined);
		this.#running = this.#flushOnce();
		try {
			await this.#running;
		} finally {
			this.#running = null;
		}
	}

	/** Stops flushing after a last flush. Errors: as {@link flush}. */
	async close(): Promise<void> {
		if (this.#timer !== null) clearInterval(this.#timer);
		this.#timer = null;
		await this.flush();
	}

	#load(): void {
		const today = dayOf(this.#clock.now());
		for (const { keyId, record } of this.#store.counters()) {
			const words = this.#wordsToLoad(keyId);
			if (words === null) continue;
			for (const [kind, name] of WINDOW_NAMES.entries()) {
				words[windowWord(kind)] = record[name].window + 1;
				words[windowWord(kind) + 1] = record[name].count;
			}
			words[LAST_USED_WORD] = record.last_used;
		}
		for (const day of [today - 1, today]) {
			for (const { keyId, record } of this.#store.usageOfDay(day)) {
				const words = this.#wordsToLoad(keyId);
				if (words === null) continue;
				const bank = USAGE_BANKS[day & 1];
				words[bank] = day + 1;
				for (let i = 0; i < ENDPOINTS.length; i++) words[bank + 1 + i] = record[i] ?? 0;
			}
		}
		for (const [slot, words] of this.#baselines) this.#counters.restore(slot, words);
	}

	#wordsToLoad(keyId: string): Int32Array | null {
		const key = this.#directory.find(keyId);
		return key === undefined ? null : this.#baseline(key.slot);
	}

	#baseline(slot: number): Int32Array {
		let baseline = this.#baselines.get(slot);
		if (baseline === undefined) {
			baseline = new Int32Array(COUNT_WORDS);
			this.#baselines.set(slot, baseline);
		}
		return baseline;
	}

	async #flushOnce(): Promise<void> {
		const postings = this.#collect();
		if (postings.length > 0) {
			let foreign: Foreign[];
			try {
				const nowMs = this.#clock.now();
				foreign = await this.#store.flushCounts((counts) => {
					return postings.flatMap((posting) => post(counts, posting, nowMs, this.#onUsage));
				});
			} catch (error) {
				for (const { slot } of postings) this.#counters.markDirty(slot);
				this.#counters.storeFailing = true;
				throw error;
			}
			this.#counters.storeFailing = false;
			for (const { slot, words } of postings) this.#settle(slot, words);
			for (const f of foreign) this.#takeOver(f);
		}
		const today = dayOf(this.#clock.now());
		if (today !== this.#prunedOnDay) {
			await this.#store.pruneUsage(today - USAGE_DAYS_KEPT + 1);
			this.#prunedOnDay = today;
		}
	}

	#collect(): Posting[] {
		const postings: Posting[] = [];
		for (const slot of this.#counters.takeDirty()) {
			const words = new Int32Array(COUNT_WORDS);
			const whole = this.#counters.snapshot(slot, words);
			const keyId = this.#directory.idOfSlot(slot);
			// Another thread may know a new key, or be moving a cell, slightly before this one sees it.
			if (!whole || keyId === undefined) this.#counters.markDirty(slot);
			if (keyId !== undefined) postings.push({ slot, keyId, words, baseline: this.#baseline(slot) });
		}
		return postings;
	}

	/** Makes what was flushed the baseline, except cells that were being moved. */
	#settle(slot: number, words: Int32Array): void {
		const baseline = this.#baseline(slot);
		for (const [kind] of WINDOW_NAMES.entries()) settleCell(baseline, words, windowWord(kind), 1);
		for (const bank of USAGE_BANKS) settleCell(baseline, words, bank, ENDPOINTS.length);
		baseline[LAST_USED_WORD] = words[LAST_USED_WORD];
	}

	#takeOver({ slot, tagWord, tag, word, requests }: Foreign): void {
		this.#counters.addFromElsewhere(slot, tagWord, tag, word, requests);
		this.#baseline(slot)[word] += requests;
	}
}

function settleCell(baseline: Int32Array, words: Int32Array, tagWord: number, counts: number): void {
	if (words[tagWord] === MOVING) return;
	for (let word = tagWord; word <= tagWord + counts; word++) baseline[word] = words[word];
}

/** Requests in `word` that the store does not know of. */
function unflushed({ words, baseline }: Posting, tagWord: number, word: number): number {
	return words[tagWord] === baseline[tagWord] ? words[word] - baseline[word] : words[word];
}

/** Writes one key's counts. Returns what other processes have counted in the same windows. */
function post(
	counts: CountsWriter,
	posting: Posting,
	nowMs: number,
	onUsage: LedgerOptions["onUsage"],
): Foreign[] {
	const foreign: Foreign[] = [];
	const stored = counts.counter(posting.keyId) ?? UNUSED;
	const [minute, day, month] = WINDOW_NAMES.map((name, kind) =>
		postWindow(posting, kind, stored[name], foreign, nowMs),
	);
	const last_used = posting.words[LAST_USED_WORD] || stored.last_used;
	counts.putCounter(posting.keyId, { minute, day, month, last_used });
	for (const bank of USAGE_BANKS) postUsage(counts, posting, bank, foreign, onUsage);
	return foreign;
}

function postWindow(
	posting: Posting,
	kind: number,
	stored: WindowCount,
	foreign: Foreign[],
	nowMs: number,
): WindowCount {
	const tagWord = windowWord(kind);
	const tag = posting.words[tagWord];
	const here = posting.words[tagWord + 1];
	if (tag === MOVING || tag <= 0) return stored;
	// Another process has crossed the boundary already: what was counted before it no longer matters.
	if (stored.window === tag && isNearEnd(kind, tag - 1, nowMs)) return stored;
	if (stored.window !== tag - 1) return { window: tag - 1, count: here };
	const count = Math.max(0, stored.count + unflushed(posting, tagWord, tagWord + 1));
	noteForeign(foreign, posting.slot, tagWord, tag, tagWord + 1, count - here);
	return { window: tag - 1, count };
}

function postUsage(
	counts: CountsWriter,
	posting: Posting,
	bank: number,
	foreign: Foreign[],
	onUsage: LedgerOptions["onUsage"],
): void {
	const tag = posting.words[bank];
	if (tag <= 0) return;
	const own = ENDPOINTS.map((_, code) => unflushed(posting, bank, bank + 1 + code));
	if (own.every((requests) => requests === 0)) return;
	const stored = counts.usage(posting.keyId, tag - 1);
	const total = Array.from({ length: Math.max(own.length, stored.length) }, (_, code) => {
		// Less than 0 where the clock was set to another day between counting a request and giving it back.
		return Math.max(0, (stored[code] ?? 0) + (own[code] ?? 0));
	});
	counts.putUsage(posting.keyId, tag - 1, total);
	onUsage?.(posting.keyId, tag - 1, own, posting.words[LAST_USED_WORD]);
	for (const code of own.keys()) {
		const word = bank + 1 + code;
		noteForeign(foreign, posting.slot, bank, tag, word, total[code] - posting.words[word]);
	}
}

function noteForeign(
	foreign: Foreign[],
	slot: number,
	tagWord: number,
	tag: number,
	word: number,
	requests: number,
): void {
	if (requests !== 0) foreign.push({ slot, tagWord, tag, word, requests });
}
