/**
 * Logs the failures of work that is retried several times a second: each fault when it first occurs and once a
 * minute while it lasts, so that a log on a full disk, or of a damaged database, stays small.
 *
 * Invariant: at most {@link FAULTS_MAX} lines a minute.
 */

import type { Log } from "./log.js";

/** Milliseconds after which a fault that lasts is logged again. */
const QUIET_MS = 60_000;
/** Maximum faults remembered. */
const FAULTS_MAX = 64;

export class RepeatedFaults {
	/** When each fault was last logged, by its message. */
	readonly #loggedMs = new Map<string, number>();
	/** Failures since the last line that were not logged. */
	#omitted = 0;

	/** `message`: the text of each line. */
	constructor(
		private readonly log: Log,
		private readonly message: string,
		private readonly monotonicMs: () => number = () => performance.now(),
	) {}

	/** Logs `error`, unless a line less than a minute old has the same fault. A line has `omitted` failures before it. */
	report(error: unknown): void {
		const fault = error instanceof Error ? error.message : String(error);
		const nowMs = this.monotonicMs();
		for (const [logged, ms] of this.#loggedMs) if (nowMs - ms >= QUIET_MS) this.#loggedMs.delete(logged);
		if (this.#loggedMs.has(fault) || this.#loggedMs.size >= FAULTS_MAX) {
			this.#omitted++;
			return;
		}
		this.#loggedMs.set(fault, nowMs);
		this.log.error({ err: error, ...(this.#omitted > 0 && { omitted: this.#omitted }) }, this.message);
		this.#omitted = 0;
	}
}
