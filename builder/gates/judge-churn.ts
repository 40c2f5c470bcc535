/**
 * The gates on changes since the previous month: new and gone licenses, and wordings without a known group. States
 * with few rows are not judged by shares.
 */

import { GROUP_COLUMNS, type GroupTable } from "../../formats/index.js";
import type { Churn } from "../profile/churn.js";
import type { MonthProfile } from "../profile/month-profile.js";
import { otherRows } from "../profile/unmapped.js";
import type { GateFailure, GateLimits } from "./gate.js";

/** Maximum number of findings listed; the rest is counted. */
const FINDINGS_NAMED_MAX = 5;

/** Judges new and gone licenses, and a month identical to the previous one. */
export function judgeChurn({ previous, totals, states }: Churn, limits: GateLimits): GateFailure[] {
	const rows = states.reduce((sum, state) => sum + state.rows, 0);
	const isSame = totals.new + totals.gone + totals.changed === 0;
	if (isSame && rows >= limits.judgedRowsMin) {
		const finding = `no license is new, gone or changed against ${previous}: is it the same drop again?`;
		return [{ gate: "churn", finding }];
	}
	const findings = states.flatMap(({ state, before, rows: now, new: added, gone }) => {
		if (Math.min(before, now) < limits.judgedRowsMin) return [];
		const share = Math.max(gone / before, added / now);
		if (100 * share <= limits.churnMax) return [];
		const text =
			`${added} licenses of ${state} are new and ${gone} gone, of ${before} before ` +
			`(${(100 * share).toFixed(1)} %, at most ${limits.churnMax} %): were their numbers written otherwise?`;
		return [{ share, text }];
	});
	return failure("churn", previous, findings);
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
			if (100 * rise <= limits.otherRiseMax + 1e-9) return [];
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
	gate: "churn" | "groups",
	previous: string,
	findings: readonly { readonly share: number; readonly text: string }[],
): GateFailure[] {
	if (findings.length === 0) return [];
	const sorted = findings.toSorted((a, b) => b.share - a.share);
	const named = sorted.slice(0, FINDINGS_NAMED_MAX).map(({ text }) => text);
	const more = sorted.length - named.length;
	const rest = more > 0 ? `, and ${more} more` : "";
	return [{ gate, finding: `against ${previous}: ${named.join(", ")}${rest}` }];
}
