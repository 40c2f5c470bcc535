/**
 * A build's report as plain data: printed by `--json`, stored beside the months, and
 * drawn on screen and as a page.
 */

import type { ParsedMonth } from "../csv/parsed-month.js";
import type { Enrichment } from "../enrich/enrich-month.js";
import { GATE_SUBJECTS, GATES, type GateFailure, type GateName, type GateSubject } from "../gates/gate.js";
import type { RemediedRejects } from "../gates/reject-remedies.js";
import { visibleName } from "../input/likely-names.js";
import type { Churn } from "../profile/churn.js";
import type { MonthProfile, Vocabulary } from "../profile/month-profile.js";
import type { OddValues } from "../profile/odd-rows.js";
import type { UnmappedWording } from "../profile/unmapped.js";
import type { OddityRemedy } from "./oddity-remedies.js";

/**
 * Statuses and types listed, those with most rows: a column that is mapped to theirs by mistake, such as that of license
 * numbers, has one a row.
 */
export const WORDINGS_LISTED_MAX = 1_000;

export interface BuildReport {
	readonly month: string;
	readonly rows: number;
	readonly published: boolean;
	/** Whether the month waits for its release. */
	readonly held: boolean;
	readonly sources: ParsedMonth["sources"];
	readonly rejects: RemediedRejects;
	/** CSV of the rejected rows: file, line, column, reason, raw; made only where there are any. */
	readonly rejectFile: string;
	readonly oddities: ParsedMonth["oddities"];
	/** The results of the contacts files; null without any. */
	readonly enrichment: Enrichment | null;
	/** What became of every gate. */
	readonly gates: readonly GateOutcome[];
	/** Gates that failed and were accepted. */
	readonly accepted: readonly GateFailure[];
	/** Null where a gate on the parsed rows stopped the build. */
	readonly comparison: Comparison | null;
	readonly states: readonly { readonly state: string; readonly country: string; readonly rows: number }[];
	/** New, gone and changed licenses by state; null without a month to compare with. */
	readonly churn: Churn | null;
	/** Values that are odd for their column. */
	readonly oddValues: readonly OddValues[];
	/** What mends the oddities and odd values, by kind. */
	readonly oddityRemedies: readonly OddityRemedy[];
	/** Wordings of statuses and types without a group, most rows first; {@link WORDINGS_LISTED_MAX} at most. */
	readonly unmapped: readonly UnmappedWording[];
	/** How many more there are. */
	readonly unlistedUnmapped: number;
	/** Bytes of the snapshot without its row store. */
	readonly bytes: number;
	/** Seconds by stage. */
	readonly seconds: Readonly<Record<string, number>>;
}

export interface GateOutcome {
	readonly gate: GateName;
	/** `skipped`: the build stopped before, there is no earlier month to compare with, or no share is of enough rows. */
	readonly outcome: "passed" | "failed" | "accepted" | "skipped";
	readonly finding: string | null;
}

/** A month compared with the previously published one; `previous` members are null if there is none. */
export interface Comparison {
	/** `YYYY-MM`. */
	readonly previous: string | null;
	/** In canonical order, vanished ones last. */
	readonly states: readonly {
		readonly state: string;
		readonly rows: number;
		readonly previous: number | null;
	}[];
	/** Share of rows without a value, by column in output order. */
	readonly nulls: readonly {
		readonly column: string;
		readonly share: number;
		readonly previous: number | null;
	}[];
	/** Values that a state has in one of the two months alone; most rows first; {@link WORDINGS_LISTED_MAX} at most. */
	readonly vocabulary: readonly VocabularyChange[];
	/** How many more there are. */
	readonly unlisted_vocabulary: number;
	/** Share of rows with a matched e-mail address, by US state. */
	readonly matched_email: readonly {
		readonly state: string;
		readonly share: number;
		readonly previous: number | null;
	}[];
	readonly expiration: readonly {
		readonly bucket: string;
		readonly rows: number;
		readonly previous: number | null;
	}[];
	/** Rows by month of expiry, ascending. */
	readonly expiry_months: readonly { readonly month: string; readonly rows: number }[];
	readonly duplicates: { readonly rows: number; readonly previous: number | null };
	readonly odd_dates: readonly { readonly column: string; readonly rows: number }[];
}

export interface VocabularyChange {
	readonly column: "member_license_status" | "member_type";
	readonly state: string;
	readonly value: string;
	readonly change: "new" | "gone";
	readonly rows: number;
}

/** The column that an oddity is about, and what it probably is. */
export function columnText({ column, likely }: BuildReport["oddities"][number]): string {
	const guess = likely === undefined ? "" : ` (probably ${likely})`;
	return visibleName(`${column ?? ""}${guess}`);
}

/** What became of the month, in words. */
export function outcomeText({ published, held }: BuildReport): string {
	return published ? "published" : held ? "held for release" : "not published";
}

/** What became of every gate, of which `failures` were found. */
export function gateOutcomes(
	failures: readonly GateFailure[],
	accept: ReadonlySet<GateName>,
	judged: {
		readonly compiled: boolean;
		readonly compared: boolean;
		/** Gates that had no share of enough rows to judge. */
		readonly unjudged: ReadonlySet<GateName>;
	},
): GateOutcome[] {
	const sees: Readonly<Record<GateSubject, boolean>> = {
		files: true,
		month: judged.compiled,
		"both-months": judged.compiled && judged.compared,
	};
	return GATES.map((gate) => {
		const failure = failures.find((f) => f.gate === gate);
		if (failure !== undefined)
			return { gate, outcome: accept.has(gate) ? "accepted" : "failed", finding: failure.finding };
		const isSeen = sees[GATE_SUBJECTS[gate]] && !judged.unjudged.has(gate);
		return { gate, outcome: isSeen ? "passed" : "skipped", finding: null };
	});
}

/** The comparison with the previous month. */
export function compareProfiles(month: MonthProfile, previous: MonthProfile | null): Comparison {
	const before = new Map(previous?.states.map((state) => [state.state, state]));
	const stateNames = new Set(month.states.map(({ state }) => state));
	const vanished = previous?.states.filter(({ state }) => !stateNames.has(state)) ?? [];
	const nullsBefore = new Map(previous?.nulls.map(({ column, rows }) => [column, rows / previous.rows]));
	const expiration = new Map(previous?.expiration.map(({ bucket, rows }) => [bucket, rows]));
	const vocabulary = previous === null ? [] : vocabularyChanges(month, previous);
	const listed = vocabulary.slice(0, WORDINGS_LISTED_MAX);
	return {
		previous: previous?.month ?? null,
		states: [
			...month.states.map(({ state, rows }) => ({ state, rows, previous: before.get(state)?.rows ?? null })),
			...vanished.map(({ state, rows }) => ({ state, rows: 0, previous: rows })),
		],
		nulls: month.nulls.map(({ column, rows }) => ({
			column,
			share: rows / Math.max(1, month.rows),
			previous: nullsBefore.get(column) ?? null,
		})),
		vocabulary: listed,
		unlisted_vocabulary: vocabulary.length - listed.length,
		matched_email: month.states
			.filter(({ country }) => country === "US")
			.map(({ state, rows, matched_email }) => {
				const last = before.get(state);
				return {
					state,
					share: matched_email / rows,
					previous: last === undefined ? null : last.matched_email / last.rows,
				};
			}),
		expiration: month.expiration.map(({ bucket, rows }) => ({
			bucket,
			rows,
			previous: expiration.get(bucket) ?? null,
		})),
		expiry_months: month.dates.find(({ column }) => column === "member_license_expires")?.months ?? [],
		duplicates: { rows: month.duplicates, previous: previous?.duplicates ?? null },
		odd_dates: month.dates.map(({ column, odd }) => ({ column, rows: odd })).filter(({ rows }) => rows > 0),
	};
}

function vocabularyChanges(month: MonthProfile, previous: MonthProfile): VocabularyChange[] {
	const changes = [
		...changesOf("member_license_status", month.license_status, previous.license_status),
		...changesOf("member_type", month.member_type, previous.member_type),
	];
	return changes.sort((a, b) => b.rows - a.rows);
}

function changesOf(
	column: VocabularyChange["column"],
	now: Vocabulary,
	before: Vocabulary,
): VocabularyChange[] {
	const only = (change: "new" | "gone", from: Vocabulary, against: Vocabulary) =>
		[...from].flatMap(([state, values]) =>
			[...values]
				.filter(([value]) => !against.get(state)?.has(value))
				.map(([value, rows]) => ({ column, state, value, change, rows })),
		);
	return [...only("new", now, before), ...only("gone", before, now)];
}
