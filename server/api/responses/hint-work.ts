/**
 * A bound on what the hints of an answer read. Hints ask for a filter alone, for all but one, for each word of a name: some
 * twenty questions, each of which may read as much as the request did, and a name whose words are single letters reads
 * half a month.
 */

import type { Snapshot } from "../../../engine/index.js";

/** Elements of {@link Snapshot.work}: some milliseconds of bitmaps, or twenty of names. */
export const HINT_WORK_MAX = 2_000_000;

export class HintWork {
	private readonly work: Snapshot["work"];
	private readonly until: number;

	constructor({ work }: Snapshot) {
		this.work = work;
		this.until = work.elements + HINT_WORK_MAX;
	}

	/** Whether nothing more is to be asked. What is asked before may read more than is left. */
	get isSpent(): boolean {
		return this.work.elements >= this.until;
	}
}
