/** The statistics of one snapshot, read at first use: as objects, or as JSON. */

import {
	COVERAGE_COLUMNS,
	type CodeCounts,
	columnNamed,
	type Dictionary,
	EXPIRATION_BUCKETS,
	type StateRun,
} from "../formats/index.js";
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

/**
 * Most counts by state whose text is kept. All rosters together have some two thousand; a month whose column is mapped
 * wrongly may have one a row, whose text takes seconds and hundreds of MB.
 */
const TEXT_COUNTS_MAX = 8_192;
/** Bytes of the shortest entry, `{"value":"","rows":1,"states":{}},`, and of the shortest count in it, `"CA":1,`. */
const ENTRY_BYTES_MIN = 34;
const COUNT_BYTES_MIN = 7;

const VOCABULARIES = [
	["license_status", "member_license_status"],
	["member_type", "member_type"],
] as const;

/** Each vocabulary of the statistics, as text. */
interface Texts {
	readonly statuses: VocabularyText;
	readonly types: VocabularyText;
}

export class Statistics {
	/** Undefined until they are needed; null: there are too many counts to keep as text. */
	private texts: Texts | null | undefined;

	constructor(
		private readonly states: readonly StateRun[],
		private readonly columns: SnapshotColumns,
	) {}

	/** Those of the rows that the grant reads. */
	of(geography: Geography | null): Stats {
		return sumStats(this.columns.stats, this.states, this.columns, geography);
	}

	/**
	 * Appends {@link of} as JSON, at a tenth of the cost where texts are kept. Throws `EngineError` `answer_too_large`
	 * before values are made that the sink has no room for.
	 */
	write(geography: Geography | null, sink: ByteSink): void {
		const covered = coveredStates(this.states, geography);
		const totals = sumTotals(this.columns.stats, this.states, covered);
		const [statuses, types] = this.vocabularies(covered, geography, sink);
		sink.text(`{"rows":${totals.rows},"countries":[${countriesText(totals)}],"license_status":`);
		statuses();
		sink.text(',"member_type":');
		types();
		sink.text(
			`,"contact_coverage":{${coverageText(totals)}},"expiration":{${expirationText(totals.expiration)}}}`,
		);
	}

	/** What appends each vocabulary. */
	private vocabularies(
		covered: readonly number[],
		geography: Geography | null,
		sink: ByteSink,
	): [() => void, () => void] {
		if (this.texts === undefined) this.texts = this.makeTexts();
		if (this.texts === null) {
			const counts = this.columns.stats.states;
			for (const [name, column] of VOCABULARIES) {
				const words = this.columns.dictionary.get(columnNamed(column));
				sink.requireRoom(
					leastBytes(
						covered.map((i) => counts[i][name]),
						words,
					),
				);
			}
			const { license_status, member_type } = this.of(geography);
			return [() => sink.text(JSON.stringify(license_status)), () => sink.text(JSON.stringify(member_type))];
		}
		const { statuses, types } = this.texts;
		const isCovered = new Uint8Array(this.states.length);
		for (const state of covered) isCovered[state] = 1;
		return [() => statuses.write(isCovered, sink), () => types.write(isCovered, sink)];
	}

	/** Null where there are too many counts to keep as text. */
	private makeTexts(): Texts | null {
		const { columns, states } = this;
		const counts = columns.stats.states;
		const all = counts.flatMap(({ license_status, member_type }) => [license_status, member_type]);
		if (countsIn(all) > TEXT_COUNTS_MAX) return null;
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

function countsIn(counts: readonly CodeCounts[]): number {
	return counts.reduce((sum, { codes }) => sum + codes.length, 0);
}

/** Bytes that the entries of states with these counts take at least. Cost O(counts), some milliseconds of a million. */
function leastBytes(counts: readonly CodeCounts[], { distinct, offsets }: Dictionary): number {
	const isFound = new Uint8Array(distinct);
	let bytes = 0;
	for (const { codes } of counts) {
		for (const code of codes) {
			if (isFound[code] !== 0) continue;
			isFound[code] = 1;
			bytes += ENTRY_BYTES_MIN - 1 + offsets[code + 1] - offsets[code];
		}
		bytes += codes.length * COUNT_BYTES_MIN;
	}
	return bytes;
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
