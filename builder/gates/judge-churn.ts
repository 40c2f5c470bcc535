/**
 * The gates on changes since the previous month: new and gone licenses, columns that changed in most licenses, and
 * wordings without a known group. States with few rows are not judged by shares.
 */

import { GROUP_COLUMNS, type GroupTable, TRACKED_COLUMNS } from "../../formats/index.js";
import type { Churn, StateChurn } from "../profile/churn.js";
import type { MonthProfile } from "../profile/month-profile.js";
import { otherRows } from "../profile/unmapped.js";
import { exceeds, findingsText } from "./findings.js";
import type { GateFailure, GateLimits } from "./gate.js";

/** Judges new and gone licenses, and a month identical to the previous one. */
export function judgeChurn({ previous, totals, states }: Churn, limits: GateLimits): GateFailure[] {
	const rows = states.reduce((sum, state) => sum + state.rows, 0);
	const isSame = totals.new + totals.gone + totals.changed === 0;
	if (isSame && rows >= limits.judgedRowsMin) {
		const finding = `no license is new, gone or changed against ${previous}: is it the same drop again?`;
		return [{ gate: "churn", finding }];
	}
	const judge = (place: string, before: number, now: number, added: number, gone: number) => {
		if (Math.min(before, now) < limits.judgedRowsMin) return [];
		const share = Math.max(gone / before, added / now);
		if (100 * share <= limits.churnMax) return [];
		const text =
			`${added} licenses of ${place} are new and ${gone} gone, of ${before} before ` +
			`(${(100 * share).toFixed(1)} %, at most ${limits.churnMax} %): were their numbers written otherwise?`;
		return [{ share, text }];
	};
	const ofStates = states.flatMap((each) => judge(each.state, each.before, each.rows, each.new, each.gone));
	// States that are judged by themselves tell more; one that came or went is judged by the gate `states`.
	const both = states.filter(({ before, rows: now }) => before > 0 && now > 0);
	const sum = (count: (state: StateChurn) => number) => both.reduce((total, each) => total + count(each), 0);
	const ofAll = judge(
		"all states",
		sum(({ before }) => before),
		sum(({ rows: now }) => now),
		sum((state) => state.new),
		sum(({ gone }) => gone),
	);
	const findings = ofStates.length > 0 ? ofStates : ofAll;
	return failure("churn", previous, findings);
}

/** Dates: a licensing body may well renew most of its licenses in one month. */
const DATES: ReadonlySet<string> = new Set(
	TRACKED_COLUMNS.filter(({ kind }) => kind === "date").map(({ name }) => name),
);

/**
 * Judges the licenses of both months of which a column changed: of all, and but for dates of each state. `reworded`: by
 * column, states whose wordings changed, which the gate `vocabulary` judges.
 */
export function judgeChanges(
	{ previous, fields, states }: Churn,
	limits: GateLimits,
	reworded: ReadonlyMap<string, ReadonlySet<string>>,
): GateFailure[] {
	const shareOf = (place: string, field: string, changed: number, both: number) => {
		const share = changed / both;
		if (both < limits.judgedRowsMin || 100 * share <= limits.changedMax) return [];
		const text =
			`${field} changed in ${changed} of ${both} licenses of ${place} ` +
			`(${(100 * share).toFixed(1)} %, at most ${limits.changedMax} %)`;
		return [{ share, field, text }];
	};
	const isReworded = (field: string, state: string) => reworded.get(field)?.has(state) === true;
	const ofAll = fields.flatMap(({ field }) => {
		const judged = states.filter(({ state }) => !isReworded(field, state));
		const changed = judged.reduce((sum, { fields: changes }) => sum + (changes[field] ?? 0), 0);
		const both = judged.reduce((sum, state) => sum + state.rows - state.new, 0);
		return shareOf(judged.length < states.length ? "the other states" : "all states", field, changed, both);
	});
	const found = new Set(ofAll.map(({ field }) => field));
	const ofStates = states.flatMap(({ state, rows, new: added, fields: changes }) =>
		Object.entries(changes)
			.filter(([field]) => !found.has(field) && !isReworded(field, state) && !DATES.has(field))
			.flatMap(([field, changed]) => shareOf(state, field, changed, rows - added)),
	);
	return failure("changes", previous, [...ofAll, ...ofStates], ": are its values in their columns and rows?");
}

/** Judges the rise of the share of rows with group `other`, by state. */
export function judgeGroups(
	month: MonthProfile,
	previous: MonthProfile,
	table: GroupTable,
	limits: GateLimits,
): GateFailure[] {
	const findings = GROUP_COLUMNS.flatMap(({ column, source }) => {
		const before = otherRows(previous, column, table);
		return [...otherRows(month, column, table)].flatMap(([state, { rows, other }]) => {
			const last = before.get(state);
			if (last === undefined || Math.min(rows, last.rows) < limits.judgedRowsMin) return [];
			const rise = other / rows - last.other / last.rows;
			if (!exceeds(100 * rise, limits.otherRiseMax)) return [];
			const text =
				`rows of ${state} whose ${column} is other rose from ${(100 * (last.other / last.rows)).toFixed(1)} % ` +
				`to ${(100 * (other / rows)).toFixed(1)} % (at most ${limits.otherRiseMax} points): ` +
				`give their ${source} a group with --groups`;
			return [{ share: rise, text }];
		});
	});
	return failure("groups", previous.month, findings);
}

function failure(
	gate: "churn" | "changes" | "groups",
	previous: string,
	findings: readonly { readonly share: number; readonly text: string }[],
	question = "",
): GateFailure[] {
	if (findings.length === 0) return [];
	const sorted = findings.toSorted((a, b) => b.share - a.share).map(({ text }) => text);
	return [{ gate, finding: `against ${previous}: ${findingsText(sorted)}${question}` }];
}
