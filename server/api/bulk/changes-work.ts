/**
 * Changes that are being composed in this thread, between the requests that it answers: a few milliseconds at
 * a time, then whatever else waits. Requests for them are tried again once they are there.
 *
 * Bounds: {@link WORKS_MAX} at a time, each for as many requests as ask for it; others are refused.
 */

import type { ChangeSet, SlicedWork } from "../../../engine/index.js";
import { RequestPending } from "../../request-pending.js";
import { ApiError } from "../errors.js";

/** How long a thread works before it answers what has arrived, in milliseconds. */
const TURN_MS = 2;
/** Sets that are composed at a time. Each holds some tens of bytes a row. */
const WORKS_MAX = 2;
/** How long a failure is the answer to those who ask for the same, in milliseconds. */
const FAILURE_KEPT_MS = 1_000;

const BUSY_MESSAGE = "changes over several months are being composed; retry in a second";

interface Failure {
	readonly name: string;
	readonly error: unknown;
	readonly atMs: number;
}

export class ChangesWork {
	/** By what is composed. */
	private readonly settled = new Map<string, Promise<void>>();
	private failure: Failure | null = null;

	/**
	 * Takes up `work`, unless work of this name is in progress. Always throws: {@link RequestPending}, what work
	 * of this name has just failed with, or ApiError `unavailable` where too much is in progress.
	 */
	take(name: string, work: SlicedWork<ChangeSet>, nowMs: number): never {
		const { failure } = this;
		if (failure?.name === name && nowMs - failure.atMs < FAILURE_KEPT_MS) throw failure.error;
		let settled = this.settled.get(name);
		if (settled === undefined) {
			if (this.settled.size >= WORKS_MAX) throw new ApiError("unavailable", BUSY_MESSAGE);
			settled = this.finish(name, work, nowMs);
			this.settled.set(name, settled);
		}
		throw new RequestPending(settled, BUSY_MESSAGE);
	}

	private async finish(name: string, work: SlicedWork<ChangeSet>, nowMs: number): Promise<void> {
		try {
			while (!(await this.turn(work)));
		} catch (error) {
			this.failure = { name, error, atMs: nowMs };
		} finally {
			this.settled.delete(name);
		}
	}

	/** Works for one turn, once what has arrived is answered; resolves to whether the work is done. */
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
