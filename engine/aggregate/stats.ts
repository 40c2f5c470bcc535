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

/** The statistics of the rows that `geography` grants. Cost O(states × values). */
export function sumStats(
	stats: SnapshotStats,
	states: readonly StateRun[],
	columns: SnapshotColumns,
	geography: Geography | null,
): Stats {
	const granted = states
		.map((state, index) => ({ state, stats: stats.states[index] }))
		.filter((s) => coversState(geography, s.state.state, s.state.country));
	const rows = granted.reduce((sum, s) => sum + s.state.rows, 0);
	const countries = new Map<string, number>();
	for (const { state } of granted)
		countries.set(state.country, (countries.get(state.country) ?? 0) + state.rows);
	const coverage = COVERAGE_COLUMNS.map((name, i) => {
		const covered = granted.reduce((sum, s) => sum + s.stats.coverage[i], 0);
		return [name, { rows: covered, share: rows === 0 ? 0 : covered / rows }] as const;
	});
	const expiration = EXPIRATION_BUCKETS.map(
		(bucket, i) => [bucket, granted.reduce((sum, s) => sum + s.stats.expiration[i], 0)] as const,
	);
	const vocabulary = (
		name: "license_status" | "member_type",
		column: "member_license_status" | "member_type",
	) =>
		sumVocabulary(
			granted.map((s) => ({ state: s.state.state, counts: s.stats[name] })),
			columns.dictionary.get(columnNamed(column)),
		);
	return {
		rows,
		countries: [...countries].map(([country, count]) => ({ country, rows: count })),
		license_status: vocabulary("license_status", "member_license_status"),
		member_type: vocabulary("member_type", "member_type"),
		contact_coverage: Object.fromEntries(coverage),
		expiration: Object.fromEntries(expiration),
	};
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
