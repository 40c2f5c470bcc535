/** The statistics of one snapshot, read at first use: as objects, or as JSON. */

import { COVERAGE_COLUMNS, columnNamed, EXPIRATION_BUCKETS, type StateRun } from "../formats/index.js";
import { coveredStates, type Stats, shareOf, sumStats, sumTotals, type Totals } from "./aggregate/stats.js";
import type { SnapshotColumns } from "./columns/snapshot-columns.js";
import type { Geography } from "./query.js";
import type { ByteSink } from "./render/sink.js";
import { VocabularyText } from "./render/vocabulary-text.js";

export type { Stats };

/** The members of JSON objects up to each one's value. */
const COVERAGE_LABELS = labelsOf(COVERAGE_COLUMNS);
const EXPIRATION_LABELS = labelsOf(EXPIRATION_BUCKETS);

function labelsOf(names: readonly string[]): string[] {
	return names.map((name, i) => `${i === 0 ? "" : ","}${JSON.stringify(name)}:`);
}

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
		const totals = sumTotals(this.columns.stats, this.states, covered);
		sink.text(`{"rows":${totals.rows},"countries":[${countriesText(totals)}],"license_status":`);
		statuses.write(isCovered, sink);
		sink.text(',"member_type":');
		types.write(isCovered, sink);
		sink.text(
			`,"contact_coverage":{${coverageText(totals)}},"expiration":{${expirationText(totals.expiration)}}}`,
		);
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

function countriesText({ countries }: Totals): string {
	let text = "";
	for (const [country, rows] of countries) {
		if (text !== "") text += ",";
		text += `{"country":${JSON.stringify(country)},"rows":${rows}}`;
	}
	return text;
}

function coverageText({ rows, coverage }: Totals): string {
	let text = "";
	for (let i = 0; i < coverage.length; i++)
		text += `${COVERAGE_LABELS[i]}{"rows":${coverage[i]},"share":${shareOf(coverage[i], rows)}}`;
	return text;
}

function expirationText(expiration: readonly number[]): string {
	let text = "";
	for (let i = 0; i < expiration.length; i++) text += EXPIRATION_LABELS[i] + expiration[i];
	return text;
}
