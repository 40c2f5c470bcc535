/** A rate limit shared by everything sent from files: a leaky bucket, without bursts. */

export class Pace {
	/** When the bytes admitted so far have been sent at the rate, in milliseconds. */
	private freeAtMs = 0;

	/** `bytesPerSecond`: 0 for no limit. */
	constructor(
		private readonly bytesPerSecond: number,
		/** A monotonic clock, in milliseconds. */
		private readonly now: () => number,
	) {}

	/** Admits `bytes`; returns how many milliseconds to wait before sending them. */
	admit(bytes: number): number {
		if (this.bytesPerSecond === 0) return 0;
		const nowMs = this.now();
		const startMs = Math.max(nowMs, this.freeAtMs);
		this.freeAtMs = startMs + (bytes / this.bytesPerSecond) * 1_000;
		return startMs - nowMs;
	}
}
