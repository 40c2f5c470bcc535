/**
 * The clock that all hosts share, which is that of the shared store: what is added to this machine's clock
 * to get it. Windows of limits begin and end by it, so that clocks of hosts that are apart allow nothing twice.
 *
 * Invariant: between two readings the shared clock runs at the pace of the monotonic clock; setting the
 * machine's clock moves it only until the next {@link SharedClock.offsetMs}.
 */

/** A reading that took longer says little: half its time is how far it may be off. */
const ROUND_TRIP_MS_MAX = 500;
/** How fast what is known gets older: a slower reading replaces a faster one after a while. */
const DRIFT = 1e-3;

export class SharedClock {
	/** Shared time less monotonic time; null: never read. */
	#ahead: number | null = null;
	#errorMs = Number.POSITIVE_INFINITY;
	#readMs = 0;

	/** The shared store's clock showed `sharedMs` between two moments of the monotonic clock. */
	read(sharedMs: number, sentMs: number, receivedMs: number): void {
		const errorMs = (receivedMs - sentMs) / 2;
		const aged = this.#errorMs + (receivedMs - this.#readMs) * DRIFT;
		const ahead = sharedMs - (sentMs + receivedMs) / 2;
		const stepped = this.#ahead !== null && Math.abs(ahead - this.#ahead) > errorMs + aged + 1;
		if (errorMs * 2 > ROUND_TRIP_MS_MAX || (errorMs > aged && !stepped)) return;
		this.#ahead = ahead;
		this.#errorMs = errorMs;
		this.#readMs = receivedMs;
	}

	/** What to add to the machine's clock now. 0 before the first reading. */
	offsetMs(machineMs: number, monotonicMs: number): number {
		return this.#ahead === null ? 0 : this.#ahead + monotonicMs - machineMs;
	}
}
