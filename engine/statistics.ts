/** The statistics of one snapshot, read at first use: as objects, or as JSON. */

import { columnNamed, type StateRun } from "../formats/index.js";
import { coveredStates, type Stats, sumStats, sumTotals } from "./aggregate/stats.js";
import type { SnapshotColumns } from "./columns/snapshot-columns.js";
import type { Geography } from "./query.js";
import type { ByteSink } from "./render/sink.js";
import { VocabularyText } from "./render/vocabulary-text.js";

export type { Stats };

/** Each vocabulary of the statistics, as text. */
interface Texts {
	readonly statuses: VocabularyText;
	readonly types: VocabularyText;
}

export class Statistics {
	private texts: Texts | null = null;

	constructor(
		private readonly states: readonly StateRun[],
		private readonly columns: SnapshotColumns,
	) {}

	/** Those of the rows that the grant reads. */
	of(geography: Geography | null): Stats {
		return sumStats(this.columns.stats, this.states, this.columns, geography);
	}

	/** Appends {@link of} as JSON, at a tenth of the cost. */
	write(geography: Geography | null, sink: ByteSink): void {
		this.texts ??= this.makeTexts();
		const { statuses, types } = this.texts;
		const covered = coveredStates(this.states, geography);
		const isCovered = new Uint8Array(this.states.length);
		for (const state of covered) isCovered[state] = 1;
		const { rows, countries, ...rest } = sumTotals(this.columns.stats, this.states, covered);
		sink.text(`${JSON.stringify({ rows, countries }).slice(0, -1)},"license_status":`);
		statuses.write(isCovered, sink);
		sink.text(',"member_type":');
		types.write(isCovered, sink);
		sink.text(`,${JSON.stringify(rest).slice(1)}`);
	}

	private makeTexts(): Texts {
		const { columns, states } = this;
		const counts = columns.stats.states;
		return {
			statuses: new VocabularyText(
				counts.map(({ license_status }) => license_status),
				states,
				columns.dictionary.get(columnNamed("member_license_status")),
			),
			types: new VocabularyText(
				counts.map(({ member_type }) => member_type),
				states,
				columns.dictionary.get(columnNamed("member_type")),
			),
		};
	}
}
