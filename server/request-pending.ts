/**
 * Requests that wait for something which is settled soon, such as a count in the shared store, and are then tried again.
 */

import { UntracedError } from "../formats/index.js";

/** Attempts that a request has in any case, and at most. */
const ATTEMPTS = 12;
const ATTEMPTS_MAX = 1_000;
/** How long a request is attempted again beyond {@link ATTEMPTS}, in milliseconds. */
const ATTEMPTED_MS = 2_000;

/**
 * The attempts of one request. Among hundreds of requests that wait for the last few of a limit, one can lose to
 * the others many times within milliseconds, so the number of attempts alone does not end it.
 */
export class Attempts {
	#count = 1;
	readonly #begunMs: number;

	constructor(private readonly monotonicMs: () => number = () => performance.now()) {
		this.#begunMs = monotonicMs();
	}

	/** Whether the request may be attempted again after `error`, which then counts as an attempt. */
	again(error: unknown): error is RequestPending {
		if (!(error instanceof RequestPending)) return false;
		if (this.#count >= ATTEMPTS && this.monotonicMs() - this.#begunMs > ATTEMPTED_MS) return false;
		return this.#count++ < ATTEMPTS_MAX;
	}
}

/** Thrown for a request that is tried again once `settled` has resolved, which it does soon whatever happens. */
export class RequestPending extends UntracedError {
	/**
	 * Counts the request, which counts once whether or not its client waits for the answer; set by what took its count back.
	 * `nowMs`: the present, since a count of a window that has ended would begin that window again.
	 */
	countAbandoned: (nowMs: number) => void = () => undefined;

	constructor(
		readonly settled: Promise<void>,
		/** For the client, where the request has been tried often enough. */
		message: string,
		/** Whether the request is still counted as one, if it was. */
		readonly counted = true,
	) {
		super(message);
		this.name = "RequestPending";
	}

	/** {@link settled}, for a request of which `isGone` says whether its client has disconnected. */
	settledFor(_isGone: () => boolean): Promise<void> {
		return this.settled;
	}
}
