/**
 * The parameters of a list query other than its filters: rules, defaults and limits, for the API and for the
 * builder's commands that accept a query.
 */

import { COLUMNS, type ColumnName, SORTABLE_COLUMNS } from "../domain/columns.js";
import { groupDigits } from "../group-digits.js";
import {
	columnListRule,
	distinctColumnListRule,
	integerRule,
	monthRule,
	oneOfRule,
	trueOrFalseRule,
} from "./value-rules.js";

export const PAGE_LIMIT_DEFAULT = 100;
export const PAGE_LIMIT_MAX = 1_000;
/** `page` × `limit` may not exceed this. */
export const DEPTH_MAX = 50_000;
export const FORMATS = ["json", "csv", "ndjson"] as const;

export const COLUMN_NAMES: readonly ColumnName[] = COLUMNS.map((c) => c.name);
export const SORT_COLUMNS: readonly ColumnName[] = SORTABLE_COLUMNS.map((c) => c.name);

/** Rules by parameter name. */
export const QUERY_RULES = {
	snapshot: monthRule,
	sort: columnListRule("sort column", SORT_COLUMNS, "sequence"),
	order: oneOfRule("asc", "desc"),
	page: integerRule(1, DEPTH_MAX),
	limit: integerRule(1, PAGE_LIMIT_MAX),
	fields: distinctColumnListRule("column", COLUMN_NAMES),
	count: trueOrFalseRule,
	format: oneOfRule(...FORMATS),
} as const;

/** How many rows the pages of `limit` rows that the depth cap allows have together. */
export function pagedRowsMax(limit: number): number {
	return DEPTH_MAX - (DEPTH_MAX % limit);
}

/** The message for a page beyond the depth cap, or null. `hasCursors`: whoever asks may go on by cursor. */
export function depthFault(page: number, limit: number, hasCursors = false): string | null {
	if (page * limit <= DEPTH_MAX) return null;
	const remedy = hasCursors ? "go on by cursor, pagination.next_cursor of a page," : "add filters";
	return (
		`page × limit may not exceed ${groupDigits(DEPTH_MAX)} rows ` +
		`(page ${page} × limit ${limit}); ${remedy} to reach deeper rows`
	);
}
