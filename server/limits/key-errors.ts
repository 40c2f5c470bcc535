/**
 * Errors returned to each key, by code: how many since the server started, and when the last one occurred.
 * Counted in the shared counters by all threads, and not stored, since only recent errors are of interest to
 * the owner of a key.
 *
 * Invariant: memory is fixed, two words per code and slot; keys without errors touch none of it.
 */

import { invariant } from "../../formats/index.js";
import { ERROR_CODES_MAX, type SharedCounters } from "./counters.js";

export interface KeyErrorCount {
	readonly code: string;
	/** Responses since the server started. */
	readonly requests: number;
	/** Seconds since 1970. */
	readonly last_s: number;
}

export class KeyErrors {
	private readonly places: ReadonlyMap<string, number>;

	/** `codes`: all codes, in one order for all threads. */
	constructor(
		private readonly counters: SharedCounters,
		private readonly codes: readonly string[],
	) {
		invariant(codes.length <= ERROR_CODES_MAX, "a slot has room for every error code");
		this.places = new Map(codes.map((code, place) => [code, place]));
	}

	/** Counts a response to the key in `slot`. Cost: two stores. */
	count(slot: number, code: string, nowMs: number): void {
		const place = this.places.get(code);
		if (place !== undefined) this.counters.countError(slot, place, Math.floor(nowMs / 1000));
	}

	/** The errors of the key in `slot`, latest first. */
	of(slot: number): KeyErrorCount[] {
		return this.codes
			.map((code, place) => ({ code, ...this.counters.errors(slot, place) }))
			.filter(({ requests }) => requests > 0)
			.sort((a, b) => b.last_s - a.last_s);
	}
}
