/**
 * A limit of tool-server messages per key and UTC minute, for those that do not count as requests:
 * handshakes, lists, notifications. One per thread: each worker counts for itself.
 *
 * Memory: one entry for each key that sent a message in this minute.
 */

import type { Key } from "../keys/key.js";
import { minuteOf, secondsOfMinuteLeft } from "./windows.js";

export class MessageLimit {
	private readonly used = new Map<number, number>();
	private minute = -1;

	/** `perMinute`: messages allowed to one key in a minute; 0: unlimited. */
	constructor(private readonly perMinute: number) {}

	/** Seconds until `key` may send another message; 0: at once. */
	wait({ slot }: Key, nowMs: number): number {
		this.enter(nowMs);
		if (this.perMinute === 0 || (this.used.get(slot) ?? 0) < this.perMinute) return 0;
		return secondsOfMinuteLeft(nowMs);
	}

	/** Counts a message of `key`. */
	count({ slot }: Key, nowMs: number): void {
		this.enter(nowMs);
		this.used.set(slot, (this.used.get(slot) ?? 0) + 1);
	}

	private enter(nowMs: number): void {
		const minute = minuteOf(nowMs);
		if (minute !== this.minute) this.used.clear();
		this.minute = minute;
	}
}
