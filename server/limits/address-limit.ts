/**
 * A limit of requests per UTC minute and client address, for requests that are not charged to a key. There are two:
 * one for requests without a key, one for requests with an invalid key. Neither ever refuses a valid key.
 *
 * Memory is constant: a count-min sketch, whose counters are never below the true count. Addresses that
 * collide in every row are counted together: about one in a hundred while a thousand addresses are
 * active. The hashes are seeded per process, so that a client cannot choose whom to collide with.
 *
 * One per thread: each worker counts for itself.
 *
 * Cost: some hundred nanoseconds a request, and 64 KiB to clear in each minute with a request.
 */

import { randomInt } from "node:crypto";
import { finishHash, HASH_BASIS, hashText } from "../../formats/index.js";
import type { HeaderBlock } from "../http/transport.js";
import { limitHeaders, UNLIMITED } from "./limit-headers.js";
import { minuteOf, secondsOfMinuteLeft } from "./windows.js";

const ROWS = 2;
/** Counters of a row; a power of two. */
const COUNTERS = 8_192;

export class AddressLimit {
	private readonly counters = new Uint32Array(ROWS * COUNTERS);
	private readonly seeds = Array.from({ length: ROWS }, () => randomInt(2 ** 32));
	private minute = -1;
	private countedRequests = 0;
	private refusedRequests = 0;

	/**
	 * `name` names the window in `RateLimit-Policy`. `perMinute`: requests allowed to one address in a
	 * minute; 0: unlimited.
	 */
	constructor(
		private readonly name: string,
		private readonly perMinute: number,
	) {}

	/** Requests counted since the start, refused ones included. */
	get counted(): number {
		return this.countedRequests;
	}

	/** Requests refused since the start. */
	get refused(): number {
		return this.refusedRequests;
	}

	/** Counts a request from `address`. Returns the seconds to wait if it exceeds the limit, else 0. */
	take(address: string, nowMs: number): number {
		this.count(address, nowMs);
		if (this.perMinute === 0 || this.used(address, nowMs) <= this.perMinute) return 0;
		this.refusedRequests++;
		return secondsOfMinuteLeft(nowMs);
	}

	/** The seconds that a next request from `address` would have to wait, 0: none. Counts nothing. */
	wait(address: string, nowMs: number): number {
		return this.perMinute === 0 || this.used(address, nowMs) < this.perMinute
			? 0
			: secondsOfMinuteLeft(nowMs);
	}

	/** Counts a request from an address that is never refused. */
	count(address: string, nowMs: number): void {
		this.countedRequests++;
		this.enter(nowMs);
		for (let row = 0; row < ROWS; row++) this.counters[this.slot(row, address)]++;
	}

	/** Counts `more` requests for one from `address` that was counted, whose answer takes as much as several. */
	charge(address: string, nowMs: number, more: number): void {
		this.enter(nowMs);
		for (let row = 0; row < ROWS; row++) this.counters[this.slot(row, address)] += more;
	}

	/** Headers that describe the window of `address` (docs/API.md §5.2). Counts nothing. */
	headers(address: string, nowMs: number): HeaderBlock {
		const seconds = secondsOfMinuteLeft(nowMs);
		if (this.perMinute === 0) return limitHeaders(UNLIMITED, UNLIMITED, seconds);
		const remaining = Math.max(0, this.perMinute - this.used(address, nowMs));
		return (
			limitHeaders(this.perMinute, remaining, seconds) +
			`\r\nRateLimit-Policy: "${this.name}";q=${this.perMinute};w=60` +
			`\r\nRateLimit: "${this.name}";r=${remaining};t=${seconds}`
		);
	}

	/** Requests counted from `address` in the minute of `nowMs`, at least. */
	private used(address: string, nowMs: number): number {
		this.enter(nowMs);
		let least = Number.POSITIVE_INFINITY;
		for (let row = 0; row < ROWS; row++) least = Math.min(least, this.counters[this.slot(row, address)]);
		return least;
	}

	private enter(nowMs: number): void {
		const minute = minuteOf(nowMs);
		if (minute === this.minute) return;
		this.counters.fill(0);
		this.minute = minute;
	}

	private slot(row: number, address: string): number {
		return row * COUNTERS + (finishHash(hashText(address, this.seeds[row] ^ HASH_BASIS)) & (COUNTERS - 1));
	}
}
