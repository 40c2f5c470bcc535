/**
 * The clock that all hosts share: the shared store's. Its offset is added to this machine's clock. Windows of
 * limits begin and end by it, so hosts whose clocks differ do not allow the same request twice.
 *
 * Invariant: between two readings the shared clock advances with the monotonic clock; setting the machine's
 * clock affects it only until the next {@link SharedClock.offsetMs}.
 */

/** Readings with a longer round trip are ignored, except the first: the error is up to half of it. */
const ROUND_TRIP_MS_MAX = 500;
/** How fast the known offset loses precision, so that a slower reading eventually replaces a faster one. */
const DRIFT = 1e-3;

export class SharedClock {
	/** Shared time minus monotonic time; null: never read. */
	#ahead: number | null = null;
	#errorMs = Number.POSITIVE_INFINITY;
	#readMs = 0;

	/** The shared store's clock showed `sharedMs` between two times of the monotonic clock. */
	read(sharedMs: number, sentMs: number, receivedMs: number): void {
		const errorMs = (receivedMs - sentMs) / 2;
		const aged = this.#errorMs + (receivedMs - this.#readMs) * DRIFT;
		const ahead = sharedMs - (sentMs + receivedMs) / 2;
		const stepped = this.#ahead !== null && Math.abs(ahead - this.#ahead) > errorMs + aged + 1;
		const tooSlow = errorMs * 2 > ROUND_TRIP_MS_MAX || (errorMs > aged && !stepped);
		if (tooSlow && this.#ahead !== null) return;
		this.#ahead = ahead;
		this.#errorMs = errorMs;
		this.#readMs = receivedMs;
	}

	/** What to add to the machine's clock now. 0 before the first reading. */
	offsetMs(machineMs: number, monotonicMs: number): number {
		return this.#ahead === null ? 0 : this.#ahead + monotonicMs - machineMs;
	}
}
