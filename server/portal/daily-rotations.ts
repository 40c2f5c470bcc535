/**
 * How often each key may be rotated in the portal on one day: every rotation is an entry of the audit log, which is kept
 * for good. Counted in this process, which serves the portal alone.
 */

import { dayOf } from "../limits/windows.js";

export class DailyRotations {
	private day = -1;
	private readonly counts = new Map<string, number>();

	/** `max`: rotations of one key on a UTC day. */
	constructor(readonly max: number) {}

	/** Counts a rotation; false, and nothing is counted, if the key has had its last of the day. */
	take(keyId: string, nowMs: number): boolean {
		const day = dayOf(nowMs);
		if (day !== this.day) {
			this.day = day;
			this.counts.clear();
		}
		const count = this.counts.get(keyId) ?? 0;
		if (count >= this.max) return false;
		this.counts.set(keyId, count + 1);
		return true;
	}
}
