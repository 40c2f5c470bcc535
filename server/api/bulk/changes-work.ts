/**
 * Changes being opened or composed in this thread between the requests that it answers: a few milliseconds at a
 * time, then whatever else is waiting. Requests for them are retried once they are available.
 *
 * Bounds: each is made once for all requests for it, and {@link WORKS_MAX} that take memory at a time; others are
 * refused.
 */

import type { ChangeSet, PendingChanges, SlicedWork } from "../../../engine/index.js";
import { RequestPending } from "../../request-pending.js";
import { ApiError } from "../errors.js";

/** How long a thread works before it answers the requests that have arrived, in milliseconds. */
const TURN_MS = 2;
/** Sets composed at a time. Each takes some tens of bytes per row. */
const WORKS_MAX = 2;
/** How long a failure is returned to requests for the same changes, in milliseconds. */
const FAILURE_KEPT_MS = 1_000;

const BUSY_MESSAGE = "changes over several months are being composed; retry in a second";

interface Failure {
	readonly name: string;
	readonly error: unknown;
	readonly atMs: number;
}

export class ChangesWork {
	/** By the set that is composed. */
	private readonly settled = new Map<string, Promise<void>>();
	/** Works in progress that take memory. */
	private inMemory = 0;
	private failure: Failure | null = null;

	/**
	 * Starts `work`, unless work of this name is in progress. Always throws: {@link RequestPending}, the recent
	 * failure of work of this name, or ApiError `unavailable` if too much is in progress.
	 */
	take(name: string, { work, takesMemory }: PendingChanges, nowMs: number): never {
		const { failure } = this;
		if (failure?.name === name && nowMs - failure.atMs < FAILURE_KEPT_MS) throw failure.error;
		let settled = this.settled.get(name);
		if (settled === undefined) {
			if (takesMemory && this.inMemory >= WORKS_MAX) throw new ApiError("unavailable", BUSY_MESSAGE);
			if (takesMemory) this.inMemory++;
			settled = this.finish(name, work, nowMs).finally(() => {
				this.settled.delete(name);
				if (takesMemory) this.inMemory--;
			});
			this.settled.set(name, settled);
		}
		throw new RequestPending(settled, BUSY_MESSAGE);
	}

	private async finish(name: string, work: SlicedWork<ChangeSet>, nowMs: number): Promise<void> {
		try {
			while (!(await this.turn(work)));
		} catch (error) {
			this.failure = { name, error, atMs: nowMs };
		}
	}

	/** Works for one turn, after pending requests are answered; resolves to whether the work is done. */
	private turn(work: SlicedWork<ChangeSet>): Promise<boolean> {
		return new Promise((resolve, reject) => {
			setImmediate(() => {
				const endMs = performance.now() + TURN_MS;
				try {
					let done = false;
					while (!done && performance.now() < endMs) done = work.next().done === true;
					resolve(done);
				} catch (error) {
					reject(error);
				}
			});
		});
	}
}
