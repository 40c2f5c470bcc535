/**
 * The engine: opens published snapshots and answers queries from them. No HTTP in it.
 *
 * ```ts
 * import { ByteSink, DEFAULT_QUERY, openLibrary } from "rollcall/engine";
 * const snapshot = openLibrary({ dataFolder: "./data" }).latest;
 * if (snapshot === null) throw new Error("no month is published in ./data");
 * const page = snapshot.query({ ...DEFAULT_QUERY, filters: { state: ["CA"], last_name: "smi" } });
 * const sink = new ByteSink();
 * snapshot.renderList(page, { columns: ["id", "member_full_name"], masked: false }, sink);
 * ```
 */

export type { Aggregate, AggregateGroup, AggregateRequest } from "./aggregate/aggregate.js";
export {
	type ComparedGroup,
	type ComparedGroups,
	type ComparedRequest,
	GROUP_SORTS,
	type GroupSort,
} from "./aggregate/compared-groups.js";
export { DIMENSION_NAMES, type DimensionName, dimensionColumn } from "./aggregate/dimensions.js";
export { OFFICE_VALUES_MAX, type Office } from "./aggregate/office-reader.js";
export {
	OFFICE_SORTS,
	type OfficeSort,
	type OfficesPage,
	type OfficesRequest,
} from "./aggregate/offices.js";
export type { Stats, VocabularyEntry } from "./aggregate/stats.js";
export type { CountedGroup } from "./aggregate/top-groups.js";
export * from "./changes/change-set.js";
export {
	COMPARED_ROWS_MAX,
	isMissingChanges,
} from "./changes/change-sets.js";
export { compareMonths } from "./changes/compare-months.js";
export { rowsOf } from "./changes/compose-months.js";
export * from "./changes/explain-changes.js";
export { ChangesWriter } from "./changes/render-changes.js";
export type { Run } from "./columns/runs.js";
export * from "./errors.js";
export * from "./library.js";
export {
	type AskedLicense,
	type LicenseGrant,
	type LicenseVerification,
	VERIFY_OUTCOMES,
	type VerifyOutcome,
} from "./license-check/verify-license.js";
export { NAME_MATCHES, type NameMatch } from "./names/asked-name.js";
export type { AskedWordMatches, MatchSummary, WordMatch } from "./names/match-summary.js";
export * from "./plan/explain.js";
export type * from "./plan/plan.js";
export type { Preparation } from "./prepared-months.js";
export * from "./query.js";
export { type EscapeJson, escapeInLoop, escapeJson } from "./render/escape-json.js";
export { GZIP_BODY_BYTES_MAX } from "./render/gzip/row-gzip.js";
export { maskEmail, maskPhone } from "./render/mask.js";
export { ByteSink } from "./render/sink.js";
export { StoredRowEncoder } from "./render/stored-row-encoder.js";
export { ResultCache } from "./result-cache.js";
export { finishWork, PendingWork, type SlicedWork } from "./sliced-work.js";
export { Snapshot } from "./snapshot.js";
export type { Suggestion, SuggestRequest } from "./suggestions.js";
export type { AccessPath, PathEstimates, TraceStep } from "./trace.js";
