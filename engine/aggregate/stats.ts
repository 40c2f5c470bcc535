/** Statistics of the rows that a key may read: precomputed counts summed over its states (docs/API.md §7.6). */

import {
	COVERAGE_COLUMNS,
	type CodeCounts,
	columnNamed,
	coversState,
	type Dictionary,
	EXPIRATION_BUCKETS,
	type SnapshotStats,
	type StateRun,
} from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import type { Geography } from "../query.js";

export interface VocabularyEntry {
	readonly value: string;
	readonly rows: number;
	/** Rows by state, for states that have the value. */
	readonly states: Record<string, number>;
}

export interface Stats {
	readonly rows: number;
	readonly countries: { readonly country: string; readonly rows: number }[];
	/** Most rows first, then by fold. */
	readonly license_status: VocabularyEntry[];
	readonly member_type: VocabularyEntry[];
	/** Share: rows with a value divided by all rows; 0 if there are none. */
	readonly contact_coverage: Record<string, { readonly rows: number; readonly share: number }>;
	readonly expiration: Record<string, number>;
}

/** What statistics count besides the values of vocabularies. */
export interface Totals {
	readonly rows: number;
	/** By country, in the order of the states. */
	readonly countries: ReadonlyMap<string, number>;
	/** Rows with a value, by COVERAGE_COLUMNS. */
	readonly coverage: readonly number[];
	/** Rows by EXPIRATION_BUCKETS. */
	readonly expiration: readonly number[];
}

/** The statistics of the rows that `geography` grants. Cost O(states × values). */
export function sumStats(
	stats: SnapshotStats,
	states: readonly StateRun[],
	columns: SnapshotColumns,
	geography: Geography | null,
): Stats {
	const covered = coveredStates(states, geography);
	const vocabulary = (
		name: "license_status" | "member_type",
		column: "member_license_status" | "member_type",
	) =>
		sumVocabulary(
			covered.map((i) => ({ state: states[i].state, counts: stats.states[i][name] })),
			columns.dictionary.get(columnNamed(column)),
		);
	const { rows, countries, coverage, expiration } = sumTotals(stats, states, covered);
	return {
		rows,
		countries: Array.from(countries, ([country, count]) => ({ country, rows: count })),
		license_status: vocabulary("license_status", "member_license_status"),
		member_type: vocabulary("member_type", "member_type"),
		contact_coverage: Object.fromEntries(
			COVERAGE_COLUMNS.map((name, i) => [name, { rows: coverage[i], share: shareOf(coverage[i], rows) }]),
		),
		expiration: Object.fromEntries(EXPIRATION_BUCKETS.map((bucket, i) => [bucket, expiration[i]])),
	};
}

/** The share of `count` in `rows`; 0 if there are none. */
export function shareOf(count: number, rows: number): number {
	return rows === 0 ? 0 : count / rows;
}

/** The indexes of the states that `geography` grants. */
export function coveredStates(states: readonly StateRun[], geography: Geography | null): number[] {
	const covered: number[] = [];
	for (let i = 0; i < states.length; i++)
		if (coversState(geography, states[i].state, states[i].country)) covered.push(i);
	return covered;
}

/** The totals of the states with indexes `covered`. Cost O(states). */
export function sumTotals(
	stats: SnapshotStats,
	states: readonly StateRun[],
	covered: readonly number[],
): Totals {
	let rows = 0;
	const countries = new Map<string, number>();
	const coverage = new Array<number>(COVERAGE_COLUMNS.length).fill(0);
	const expiration = new Array<number>(EXPIRATION_BUCKETS.length).fill(0);
	for (const i of covered) {
		rows += states[i].rows;
		countries.set(states[i].country, (countries.get(states[i].country) ?? 0) + states[i].rows);
		addTo(coverage, stats.states[i].coverage);
		addTo(expiration, stats.states[i].expiration);
	}
	return { rows, countries, coverage, expiration };
}

function addTo(sums: number[], counts: ArrayLike<number>): void {
	for (let i = 0; i < sums.length; i++) sums[i] += counts[i];
}

function sumVocabulary(
	counts: readonly { readonly state: string; readonly counts: CodeCounts }[],
	dictionary: Dictionary,
): VocabularyEntry[] {
	const byCode = new Map<number, { rows: number; states: Record<string, number> }>();
	for (const {
		state,
		counts: { codes, rows },
	} of counts) {
		codes.forEach((code, i) => {
			const entry = byCode.get(code) ?? { rows: 0, states: {} };
			entry.rows += rows[i];
			entry.states[state] = rows[i];
			byCode.set(code, entry);
		});
	}
	return [...byCode]
		.sort(([a, { rows: aRows }], [b, { rows: bRows }]) => bRows - aRows || a - b)
		.map(([code, entry]) => ({ value: dictionary.value(code) as string, ...entry }));
}
