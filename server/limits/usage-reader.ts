/**
 * Usage of a key, read from the store and, for the days still being counted, from the shared
 * counters, which are at most a flush ahead of it.
 */

import { isoDateOfDays } from "../../formats/index.js";
import type { KeyDirectory } from "../keys/directory.js";
import type { Store } from "../store/store.js";
import { COUNT_WORDS, type SharedCounters, USAGE_BANKS } from "./counters.js";
import type { Usage, UsageReader } from "./usage.js";
import { ENDPOINT_CODES, ENDPOINTS } from "./usage-codes.js";
import { dayOf } from "./windows.js";

/** Requests that other hosts counted. */
export interface UsageElsewhere {
	/** By endpoint code; empty if there is none. */
	usage(keyId: string, day: number): readonly number[];
	/** Resolves once {@link usage} is current; null: it is. */
	behind(keyId: string): Promise<void> | null;
}

export class StoredUsage implements UsageReader {
	readonly #elsewhere: UsageElsewhere | null;
	readonly #store: Store;
	readonly #directory: KeyDirectory;
	readonly #counters: SharedCounters;

	constructor(
		store: Store,
		directory: KeyDirectory,
		counters: SharedCounters,
		elsewhere: UsageElsewhere | null = null,
	) {
		this.#elsewhere = elsewhere;
		this.#store = store;
		this.#directory = directory;
		this.#counters = counters;
	}

	usage(keyId: string, days: number, nowMs: number): Usage {
		const today = dayOf(nowMs);
		const first = today - days + 1;
		const live = this.#live(keyId);
		const byEndpoint = new Array<number>(ENDPOINTS.length).fill(0);
		const byDay: { date: string; requests: number }[] = [];
		let total = 0;
		for (let day = first; day <= today; day++) {
			let requests = 0;
			for (const [code, count] of this.#countsOfDay(keyId, day, live).entries()) {
				requests += count;
				// A code that a later version counted has no name here.
				byEndpoint[code < ENDPOINTS.length ? code : ENDPOINT_CODES.other] += count;
			}
			byDay.push({ date: isoDateOfDays(day), requests });
			total += requests;
		}
		return {
			days,
			from: isoDateOfDays(first),
			to: isoDateOfDays(today),
			total,
			by_day: byDay,
			by_endpoint: ENDPOINTS.map((endpoint, code) => ({ endpoint, requests: byEndpoint[code] }))
				.filter(({ requests }) => requests > 0)
				.sort((a, b) => b.requests - a.requests),
		};
	}

	behind(keyId: string): Promise<void> | null {
		return this.#elsewhere?.behind(keyId) ?? null;
	}

	#live(keyId: string): Int32Array | null {
		const key = this.#directory.find(keyId);
		if (key === undefined) return null;
		const words = new Int32Array(COUNT_WORDS);
		this.#counters.snapshot(key.slot, words);
		return words;
	}

	#countsOfDay(keyId: string, day: number, live: Int32Array | null): readonly number[] {
		const here = this.#countsHere(keyId, day, live);
		const elsewhere = this.#elsewhere?.usage(keyId, day) ?? [];
		if (elsewhere.length === 0) return here;
		const codes = Math.max(here.length, elsewhere.length);
		return Array.from({ length: codes }, (_, code) => (here[code] ?? 0) + (elsewhere[code] ?? 0));
	}

	#countsHere(keyId: string, day: number, live: Int32Array | null): readonly number[] {
		const stored = this.#store.usage(keyId, day);
		const bank = USAGE_BANKS[day & 1];
		if (live === null || live[bank] !== day + 1) return stored;
		const codes = Math.max(stored.length, ENDPOINTS.length);
		return Array.from({ length: codes }, (_, code) => {
			const counted = code < ENDPOINTS.length ? live[bank + 1 + code] : 0;
			return Math.max(stored[code] ?? 0, counted);
		});
	}
}
