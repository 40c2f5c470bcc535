/**
 * A bound on what the hints of a response read. Hints ask for a filter alone, for all but one, for each word of a name: some
 * twenty queries, each of which may read as much as the request did, and a name whose words are single letters reads
 * half a month.
 */

import type { Filters, Snapshot } from "../../../engine/index.js";
import { type HintSource, placeOf } from "./hint.js";

/** Elements of {@link Snapshot.work}: some milliseconds of bitmaps, or twenty of names. */
export const HINT_WORK_MAX = 2_000_000;

class HintWork {
	private readonly work: Snapshot["work"];
	private readonly until: number;

	constructor({ work }: Snapshot) {
		this.work = work;
		this.until = work.elements + HINT_WORK_MAX;
	}

	/** Whether no further query is to be run. The one before may read more than is left. */
	get isSpent(): boolean {
		return this.work.elements >= this.until;
	}
}

/** The rows of some states and a country as a source, with the work that its queries have in common. */
export interface BoundedSource extends HintSource {
	/** Only the filters on state and country. */
	readonly place: Filters;
	readonly work: HintWork;
}

export function boundedSource(filters: Filters, source: HintSource): BoundedSource {
	const { snapshot, geography, stats, aliases, unread } = source;
	// Not spread, which takes a microsecond.
	return {
		snapshot,
		geography,
		stats,
		aliases,
		unread,
		place: placeOf(filters),
		work: new HintWork(snapshot),
	};
}
