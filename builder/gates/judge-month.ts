/**
 * The gates that compare a compiled month with the previously published one, and those on its own figures.
 *
 * Shares of fewer than `judgedRowsMin` rows are not significant and not judged. A state that disappears entirely is
 * not a question of shares, so it is judged from fewer rows on.
 */

import { GROUP_COLUMNS } from "../../formats/index.js";
import type { MonthProfile, StateProfile, Vocabulary } from "../profile/month-profile.js";
import { exceeds, findingsText } from "./findings.js";
import { GATES, type GateFailure, type GateLimits, type GateName } from "./gate.js";

/** Minimum previous rows of a state for its disappearance to be judged. */
const VANISHED_ROWS_MIN = 100;

/** Judges a month by itself and, if there is one, against the previous month. In the order of GATES. */
export function judgeMonth(
	month: MonthProfile,
	previous: MonthProfile | null,
	limits: GateLimits,
): GateFailure[] {
	const compared = previous === null ? [] : compareMonths(month, previous, limits);
	return [
		...compared,
		...failure("duplicates", judgeDuplicates(month, limits)),
		...failure("dates", judgeDates(month, limits)),
	];
}

/** Gates that found nothing because the months have too few rows for any of their shares. */
export function unjudgedGates(
	{ rows, dates }: MonthProfile,
	previous: MonthProfile | null,
	{ judgedRowsMin }: GateLimits,
): ReadonlySet<GateName> {
	const before = previous?.rows ?? 0;
	const isEitherSmall = Math.min(rows, before) < judgedRowsMin;
	const isUnjudged: Readonly<Record<GateName, boolean>> = {
		rejects: false,
		states: before < Math.min(VANISHED_ROWS_MIN, judgedRowsMin),
		total: before < judgedRowsMin,
		nulls: isEitherSmall,
		vocabulary: isEitherSmall,
		matches: isEitherSmall,
		duplicates: rows < judgedRowsMin,
		dates: dates.every((column) => column.rows < judgedRowsMin),
		churn: isEitherSmall,
		changes: isEitherSmall,
		groups: isEitherSmall,
		month: false,
	};
	return new Set(GATES.filter((gate) => isUnjudged[gate]));
}

function compareMonths(month: MonthProfile, previous: MonthProfile, limits: GateLimits): GateFailure[] {
	return [
		...failure("states", judgeStates(month, previous, limits)),
		...failure("total", judgeTotal(month, previous, limits)),
		...failure("nulls", judgeNulls(month, previous, limits)),
		...failure("vocabulary", [
			...judgeVocabulary("license_status", month, previous, limits),
			...judgeVocabulary("member_type", month, previous, limits),
		]),
		...failure("matches", judgeMatches(month, previous, limits)),
	].map(({ gate, finding }) => ({ gate, finding: `against ${previous.month}: ${finding}` }));
}

function failure(gate: GateName, findings: readonly string[]): GateFailure[] {
	return findings.length === 0 ? [] : [{ gate, finding: findingsText(findings) }];
}

function percent(share: number): string {
	return `${(100 * share).toFixed(1)} %`;
}

function signedPercent(share: number): string {
	return `${share < 0 ? "" : "+"}${percent(share)}`;
}

/** Relative change from `before` > 0. */
function change(now: number, before: number): number {
	return (now - before) / before;
}

function byState(month: MonthProfile): Map<string, StateProfile> {
	return new Map(month.states.map((state) => [state.state, state]));
}

/** Worst first: missing states, then by the size of the change. */
function judgeStates(month: MonthProfile, previous: MonthProfile, limits: GateLimits): string[] {
	const now = byState(month);
	const moved = previous.states
		.map(({ state, rows }) => ({ state, before: rows, rows: now.get(state)?.rows ?? 0 }))
		.filter(({ before, rows }) => {
			if (rows === 0) return before >= VANISHED_ROWS_MIN;
			return before >= limits.judgedRowsMin && 100 * Math.abs(rows - before) > before * limits.stateChangeMax;
		});
	moved.sort((a, b) => Number(a.rows > 0) - Number(b.rows > 0) || moveOf(b) - moveOf(a));
	return moved.map(({ state, before, rows }) =>
		rows === 0
			? `${state} vanished (${before} rows)`
			: `${state} moved ${signedPercent(change(rows, before))} (${before} to ${rows} rows, at most ${limits.stateChangeMax} %)`,
	);
}

function moveOf({ before, rows }: { before: number; rows: number }): number {
	return rows === 0 ? before : Math.abs(change(rows, before));
}

function judgeTotal(month: MonthProfile, previous: MonthProfile, limits: GateLimits): string[] {
	const { rows } = month;
	const before = previous.rows;
	if (before < limits.judgedRowsMin || 100 * Math.abs(rows - before) <= before * limits.totalChangeMax)
		return [];
	return [
		`total moved ${signedPercent(change(rows, before))} (${before} to ${rows} rows, at most ${limits.totalChangeMax} %)`,
	];
}

interface NullRise {
	readonly column: string;
	/** Of a state alone; null: of all rows. */
	readonly state: string | null;
	readonly now: number;
	readonly before: number;
}

/** All rows together, then each state, for columns that did not rise in all rows. */
function judgeNulls(month: MonthProfile, previous: MonthProfile, limits: GateLimits): string[] {
	const rises = [...allNullRises(month, previous, limits), ...stateNullRises(month, previous, limits)];
	const found = rises
		.filter(({ now, before }) => exceeds(100 * (now - before), limits.nullRiseMax))
		// Matched contacts are judged by the gate `matches`.
		.filter(({ column }) => !column.startsWith("matched_"));
	const whole = new Set(found.filter(({ state }) => state === null).map(({ column }) => column));
	return found
		.filter(({ column, state }) => state === null || !whole.has(column))
		.sort((a, b) => Number(b.state === null) - Number(a.state === null) || riseOf(b) - riseOf(a))
		.map(({ column, state, now, before }) => {
			const of = state === null ? "" : ` of ${state}`;
			return `nulls of ${column}${of} rose from ${percent(before)} to ${percent(now)} (at most ${limits.nullRiseMax} points)`;
		});
}

function allNullRises(month: MonthProfile, previous: MonthProfile, limits: GateLimits): NullRise[] {
	if (Math.min(month.rows, previous.rows) < limits.judgedRowsMin) return [];
	const before = new Map(previous.nulls.map(({ column, rows }) => [column, rows / previous.rows]));
	return month.nulls.map(({ column, rows }) => {
		return { column, state: null, now: rows / month.rows, before: before.get(column) ?? 0 };
	});
}

function riseOf({ now, before }: NullRise): number {
	return now - before;
}

function stateNullRises(month: MonthProfile, previous: MonthProfile, limits: GateLimits): NullRise[] {
	const last = byState(previous);
	return month.states.flatMap(({ state, rows }) => {
		const rowsBefore = last.get(state)?.rows ?? 0;
		if (Math.min(rows, rowsBefore) < limits.judgedRowsMin) return [];
		const before = previous.nulls_by_state.get(state);
		return [...(month.nulls_by_state.get(state) ?? [])].map(([column, empty]) => {
			return { column, state, now: empty / rows, before: (before?.get(column) ?? 0) / rowsBefore };
		});
	});
}

/** The vocabularies of a month's profile. */
type VocabularyName = "license_status" | "member_type";

function judgeVocabulary(
	name: VocabularyName,
	month: MonthProfile,
	previous: MonthProfile,
	limits: GateLimits,
): string[] {
	const what = name === "member_type" ? "type" : "status";
	return rewordings(name, month, previous, limits)
		.sort((a, b) => b.share - a.share)
		.map(({ state, value, how, share }) => {
			return `${what} "${value}" of ${state} is ${how} (${percent(share)} of its rows, at most ${limits.vocabularyChangeMax} %)`;
		});
}

interface Rewording {
	readonly state: string;
	readonly value: string;
	readonly how: "new" | "gone";
	/** Of the state's rows. */
	readonly share: number;
}

/** New and removed wordings of a state that has enough rows, beyond the limit. */
function rewordings(
	name: VocabularyName,
	month: MonthProfile,
	previous: MonthProfile,
	limits: GateLimits,
): Rewording[] {
	const [now, before] = [month[name], previous[name]];
	const states = byState(month);
	const found: Rewording[] = [];
	const judge = (how: "new" | "gone", from: Vocabulary, against: Vocabulary, state: string, rows: number) => {
		for (const [value, count] of from.get(state) ?? []) {
			if (against.get(state)?.has(value) || 100 * count <= rows * limits.vocabularyChangeMax) continue;
			found.push({ state, value, how, share: count / rows });
		}
	};
	for (const { state, rows: rowsBefore } of previous.states) {
		const rows = states.get(state)?.rows ?? 0;
		if (Math.min(rows, rowsBefore) < limits.judgedRowsMin) continue;
		judge("new", now, before, state, rows);
		judge("gone", before, now, state, rowsBefore);
	}
	return found;
}

/**
 * For the columns of statuses and of types: the states with new or removed wordings beyond the limit, whatever their
 * rows. That their licenses changed in the column is no sign of another fault.
 */
export function rewordedStates(
	month: MonthProfile,
	previous: MonthProfile,
	limits: GateLimits,
): ReadonlyMap<string, ReadonlySet<string>> {
	const ofAnyRows = { ...limits, judgedRowsMin: 0 };
	return new Map(
		GROUP_COLUMNS.map(({ column, source }) => {
			const name = column === "member_type_group" ? "member_type" : "license_status";
			const found = rewordings(name, month, previous, ofAnyRows);
			return [source, new Set(found.map(({ state }) => state))];
		}),
	);
}

/** All US rows together, then each state. */
function judgeMatches(month: MonthProfile, previous: MonthProfile, limits: GateLimits): string[] {
	const before = byState(previous);
	const findings = matchFall("US", usTotal(month), usTotal(previous), limits);
	for (const state of month.states.filter(({ country }) => country === "US")) {
		const last = before.get(state.state);
		if (last !== undefined) findings.push(...matchFall(state.state, state, last, limits));
	}
	return findings;
}

type Matched = Pick<StateProfile, "rows" | "matched_email">;

function usTotal(month: MonthProfile): Matched {
	const states = month.states.filter(({ country }) => country === "US");
	return {
		rows: states.reduce((sum, { rows }) => sum + rows, 0),
		matched_email: states.reduce((sum, { matched_email }) => sum + matched_email, 0),
	};
}

function matchFall(place: string, now: Matched, before: Matched, limits: GateLimits): string[] {
	if (Math.min(now.rows, before.rows) < limits.judgedRowsMin) return [];
	const share = now.matched_email / now.rows;
	const shareBefore = before.matched_email / before.rows;
	if (!exceeds(100 * (shareBefore - share), limits.matchFallMax)) return [];
	return [
		`matched e-mails of ${place} fell from ${percent(shareBefore)} to ${percent(share)} (at most ${limits.matchFallMax} points)`,
	];
}

function judgeDuplicates({ rows, duplicates }: MonthProfile, limits: GateLimits): string[] {
	if (rows < limits.judgedRowsMin || 100 * duplicates <= rows * limits.duplicatesMax) return [];
	return [
		`${duplicates} of ${rows} rows repeat the state and license number of another (${percent(duplicates / rows)}, at most ${limits.duplicatesMax} %)`,
	];
}

function judgeDates({ dates }: MonthProfile, limits: GateLimits): string[] {
	return dates
		.filter(({ rows, judged }) => rows >= limits.judgedRowsMin && 100 * judged > rows * limits.oddDatesMax)
		.map(
			({ column, rows, judged, odd_samples }) =>
				`${judged} of ${rows} dates of ${column} are out of range, as ${odd_samples.join(" and ")} ` +
				`(${percent(judged / rows)}, at most ${limits.oddDatesMax} %; "nulls" in a --map file names texts that stand for no date)`,
		);
}
