/**
 * Precomputed entries of the offices with most rows: an office's cities, brokers and active licenses are counted over its rows,
 * and the 20 largest of 2.5 million have 37,000 together, 2 ms of every page that lists them.
 *
 * Invariant: an entry is what {@link OfficeReader} reads without a filter on cities. Memory: at most {@link KEPT_MAX} offices of some
 * 200 references each, 6 MB, and the texts of their cities, each once.
 */

import type { StateRun } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { type Office, OfficeReader } from "./office-reader.js";
import type { RankedOffices } from "./ranked-offices.js";
import type { CountedGroup } from "./top-groups.js";

/**
 * Minimum rows of a precomputed office. Reading fewer takes some ten microseconds; precomputing those of 64 rows raised the
 * longest hold of a thread at a swap from 6 to 8 ms of processor time (bench swaps).
 */
export const LARGE_ROWS_MIN = 256;
const KEPT_MAX = 4_096;
/** Offices taken from the ranked ones at a time: a tenth of a millisecond. */
const BATCH = 16;

export class LargeOffices {
	/** By code of the state, by code of the office. */
	private readonly kept = new Map<number, Map<number, Office>>();

	constructor(
		private readonly states: readonly StateRun[],
		private readonly columns: SnapshotColumns,
	) {}

	/** Precomputes the offices with most rows, if they are ranked, one at each step. Cost O(their rows). */
	*prepare(ranked: RankedOffices): Generator<void, void> {
		const reader = new OfficeReader(undefined, this.states, this.columns);
		const runs = [{ from: 0, to: this.columns.rows }];
		let after: CountedGroup | undefined;
		for (let read = 0; read < KEPT_MAX; read += BATCH) {
			const found = ranked.page({ isByRows: true, offset: 0, limit: BATCH, after }, runs);
			for (const group of found?.page ?? []) {
				if (group.rows < LARGE_ROWS_MIN) return;
				this.keep(group, reader.read(group));
				yield;
			}
			if (found === null || !found.hasMore) return;
			after = found.page[found.page.length - 1];
		}
	}

	/** The entry of an office, of all its rows in the state; null where it is not precomputed. */
	find({ first: office, second: state }: CountedGroup): Office | null {
		return this.kept.get(state)?.get(office) ?? null;
	}

	private keep({ first: office, second: state }: CountedGroup, read: Office): void {
		const ofState = this.kept.get(state) ?? new Map<number, Office>();
		ofState.set(office, read);
		this.kept.set(state, ofState);
	}
}
