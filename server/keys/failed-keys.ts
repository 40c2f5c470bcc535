/**
 * How many wrong keys each address sent in this minute. Beyond a number, an address is told to wait
 * instead of that its key is wrong. It does not keep guessers out: 160 random bits do, and a right key
 * is served whatever its neighbours send. It tells programs that retry with a wrong key to slow down,
 * and operators that somebody knocks.
 *
 * Memory is the same whatever is sent: a count-min sketch, whose counters are never less than the true
 * count. Addresses that share both their counters with others count as one, some one in a hundred where
 * a thousand addresses send wrong keys in a minute; that costs nobody with a right key anything. Hashes are seeded, so that nobody can choose whom to share with.
 *
 * Cost: some hundred nanoseconds a wrong key, and 64 KiB to clear a minute in which one came.
 */

import { randomInt } from "node:crypto";

const MINUTE_MS = 60_000;
const ROWS = 2;
/** A power of two. */
const COUNTERS = 8_192;

export class FailedKeys {
	/** Wrong keys a minute that are answered as such; 0: all are. */
	private readonly perMinute: number;
	private readonly counters = new Uint32Array(ROWS * COUNTERS);
	private readonly seeds = Array.from({ length: ROWS }, () => randomInt(2 ** 32));
	private minute = -1;
	private failedKeys = 0;
	private throttledKeys = 0;

	constructor(perMinute: number) {
		this.perMinute = perMinute;
	}

	/** Wrong keys so far, throttled or not. */
	get failed(): number {
		return this.failedKeys;
	}

	/** Wrong keys whose senders were told to wait. */
	get throttled(): number {
		return this.throttledKeys;
	}

	/** Counts a wrong key whose address does not matter. */
	count(): void {
		this.failedKeys++;
	}

	/** Counts a wrong key from `address`. Returns how many seconds it is to wait; 0: not at all. */
	waitAfter(address: string, nowMs: number): number {
		this.failedKeys++;
		if (this.perMinute === 0) return 0;
		const minute = Math.floor(nowMs / MINUTE_MS);
		if (minute !== this.minute) this.counters.fill(0);
		this.minute = minute;
		let least = Number.POSITIVE_INFINITY;
		for (let row = 0; row < ROWS; row++) {
			const place = row * COUNTERS + (hash(address, this.seeds[row]) & (COUNTERS - 1));
			least = Math.min(least, ++this.counters[place]);
		}
		if (least <= this.perMinute) return 0;
		this.throttledKeys++;
		return Math.max(1, Math.ceil(((minute + 1) * MINUTE_MS - nowMs) / 1_000));
	}
}

/** FNV-1a over the characters, begun at `seed`, and mixed so that its low bits depend on all. */
function hash(text: string, seed: number): number {
	let state = seed ^ 0x811c9dc5;
	for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
	state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
	state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
	return (state ^ (state >>> 16)) >>> 0;
}
