/** What a build finds on its way, and the documents made of it: the report and the month's manifest. */

import type { Catalog, GroupTable, Manifest } from "../../formats/index.js";
import { operatorName } from "../../formats/operator-name.js";
import type { Carried } from "../carry/carry-states.js";
import type { ParsedMonth } from "../csv/parsed-month.js";
import type { Enrichment } from "../enrich/enrich-month.js";
import { BuildError } from "../errors.js";
import type { GateFailure, GateLimits, GateName } from "../gates/gate.js";
import { unjudgedGates } from "../gates/judge-month.js";
import { remediedRejects, worstReject } from "../gates/reject-remedies.js";
import type { Churn } from "../profile/churn.js";
import type { MonthProfile } from "../profile/month-profile.js";
import type { OddValues } from "../profile/odd-rows.js";
import { unmappedWordings } from "../profile/unmapped.js";
import {
	type BuildReport,
	compareProfiles,
	gateOutcomes,
	WORDINGS_LISTED_MAX,
} from "../report/build-report.js";
import { oddityRemedies } from "../report/oddity-remedies.js";
import type { ReportFiles } from "../report/report-files.js";
import { FLAG_NAMES, type SettingNames } from "../setting-names.js";

/** The results of a build so far. */
export interface Findings {
	parsed: ParsedMonth;
	enrichment: Enrichment | null;
	readonly failures: GateFailure[];
	catalog: Catalog | null;
	profile: MonthProfile | null;
	oddValues: readonly OddValues[];
	previous: MonthProfile | null;
	churn: Churn | null;
	readonly carried: Carried | null;
}

/** What becomes of a month: published, held for its release, or neither. */
export type BuildOutcome = "published" | "held" | "none";

/** What a report has beside the findings. */
export interface ReportContext {
	/** `YYYY-MM`. */
	readonly month: string;
	readonly outcome: BuildOutcome;
	readonly accept: ReadonlySet<GateName>;
	readonly groups: GroupTable;
	readonly limits: GateLimits;
	/** Path of the reject file. */
	readonly rejectFile: string;
	/** Seconds by stage. */
	readonly seconds: BuildReport["seconds"];
}

/** The report of a build. */
export function reportOf(findings: Findings, context: ReportContext): BuildReport {
	const { parsed, catalog, profile, previous, churn, failures } = findings;
	const { month, outcome, accept, groups, limits, rejectFile, seconds } = context;
	const unmapped = profile === null ? [] : unmappedWordings(profile, groups);
	const listed = unmapped.slice(0, WORDINGS_LISTED_MAX);
	return {
		month,
		rows: parsed.rows,
		published: outcome === "published",
		held: outcome === "held",
		sources: parsed.sources,
		rejects: remediedRejects(parsed.rejects),
		rejectFile,
		oddities: parsed.oddities,
		enrichment: findings.enrichment,
		gates: gateOutcomes(failures, accept, {
			compiled: profile !== null,
			compared: previous !== null,
			unjudged: profile === null ? new Set() : unjudgedGates(profile, previous, limits),
		}),
		accepted: failures.filter(({ gate }) => accept.has(gate)),
		comparison: profile === null ? null : compareProfiles(profile, previous),
		states: profile?.states.map(({ state, country, rows }) => ({ state, country, rows })) ?? [],
		churn,
		oddValues: findings.oddValues,
		oddityRemedies: oddityRemedies([...parsed.oddities, ...findings.oddValues].map(({ kind }) => kind)),
		unmapped: listed,
		unlistedUnmapped: unmapped.length - listed.length,
		bytes: catalog?.files.reduce((sum, file) => sum + file.bytes, 0) ?? 0,
		seconds,
	};
}

/** The manifest of a month built at `builtAt`. */
export function manifestOf(
	{ parsed, enrichment, failures }: Findings,
	month: string,
	builtAt: Date,
): Manifest {
	const sources = [...parsed.sources, ...(enrichment?.sources ?? [])];
	return {
		month,
		rows: parsed.rows,
		built_at: builtAt.toISOString(),
		built_by: operatorName(),
		sources: sources.map(({ file, bytes, rows, rejects }) => ({ file, bytes, rows, rejects })),
		rejects: parsed.rejects.rows,
		accepted: failures.map((failure) => ({ ...failure })),
	};
}

/** The error of a month that `failures` refuse. */
export function refusal(
	failures: readonly GateFailure[],
	report: BuildReport & ReportFiles,
	{ accept, carry }: SettingNames = FLAG_NAMES,
): BuildError {
	const what = failures.map((failure) => `gate ${failure.gate}: ${failure.finding}`).join("; ");
	const accepted = accept(failures.map((failure) => failure.gate));
	const hasVanished = report.comparison?.states.some(({ rows }) => rows === 0) === true;
	const isMissing = hasVanished && failures.some(({ gate }) => gate === "states");
	const carried = isMissing ? `, ${carry} takes the rows of states that sent none from an earlier month` : "";
	return new BuildError(
		"gate_failed",
		`nothing published: ${what}; ${accepted} publishes anyway${carried}; the report is ${report.reportPage}`,
		{},
		{ report },
	);
}

/** The error of `files` without a valid row. */
export function noRows(files: readonly string[], report: BuildReport & ReportFiles): BuildError {
	const why = whyEmpty(report);
	const text = `no rows to publish${why}; the report is ${report.reportPage}`;
	return new BuildError("empty_file", text, { file: files.join(", ") }, { report });
}

function whyEmpty({ rejects, oddities }: BuildReport): string {
	if (rejects.rows > 0) return `: all ${rejects.rows} were rejected, most for ${worstReject(rejects)}`;
	const skipped = oddities.reduce((sum, { kind, count }) => sum + (kind === "skipped_line" ? count : 0), 0);
	return skipped === 0 ? "" : `: all ${skipped} lines match "skipMatching" of the map`;
}
