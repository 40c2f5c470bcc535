/** A rate shared by everything that is sent from files: leaky bucket, without bursts. */

export class Pace {
	/** When what was admitted so far has been sent at the rate, in milliseconds. */
	private freeAtMs = 0;

	/** `bytesPerSecond`: 0 for any rate. */
	constructor(
		private readonly bytesPerSecond: number,
		/** A clock that never goes back, in milliseconds. */
		private readonly now: () => number,
	) {}

	/** Admits `bytes`; returns how many milliseconds to wait before they are sent. */
	admit(bytes: number): number {
		if (this.bytesPerSecond === 0) return 0;
		const nowMs = this.now();
		const startMs = Math.max(nowMs, this.freeAtMs);
		this.freeAtMs = startMs + (bytes / this.bytesPerSecond) * 1_000;
		return startMs - nowMs;
	}
}
