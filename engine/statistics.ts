/** The statistics of one snapshot, read at first use: as objects, or as JSON. */

import { decodeStats, type SnapshotFiles, type SnapshotStats, type StateRun } from "../formats/index.js";
import { type Stats, sumStats } from "./aggregate/stats.js";
import type { SnapshotColumns } from "./columns/snapshot-columns.js";
import type { Geography } from "./query.js";
import type { ByteSink } from "./render/sink.js";
import { StatsText } from "./render/stats-text.js";

export type { Stats };

export class Statistics {
	private decoded: SnapshotStats | null = null;
	private text: StatsText | null = null;

	constructor(
		private readonly files: SnapshotFiles,
		private readonly states: readonly StateRun[],
		private readonly columns: SnapshotColumns,
	) {}

	/** Those of the rows that the grant reads. */
	of(geography: Geography | null): Stats {
		return sumStats(this.counts, this.states, this.columns, geography);
	}

	/** Appends {@link of} as JSON, at a tenth of the cost. */
	write(geography: Geography | null, sink: ByteSink): void {
		this.text ??= new StatsText(this.counts, this.states, this.columns);
		this.text.write(geography, sink);
	}

	private get counts(): SnapshotStats {
		this.decoded ??= decodeStats(this.files.stats());
		return this.decoded;
	}
}
