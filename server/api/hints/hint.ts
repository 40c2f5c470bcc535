/**
 * Hints (`meta.hints`, docs/API.md §7.8.6): what they are, and what they are made from.
 *
 * Invariants of this folder: a hint depends only on rows of the key's geography and on columns that the request names, so
 * it reveals nothing that the key could not query; its wording suits both query strings and arguments of tools.
 */

import type { Filters, Geography, Snapshot } from "../../../engine/index.js";
import {
	type ColumnName,
	type FilterName,
	findJurisdiction,
	type GivenAliases,
} from "../../../formats/index.js";
import type { StatsCache } from "../caches/stats-cache.js";
import type { Grant } from "../scope/grant.js";

export interface Hint {
	readonly param: string;
	/** The given value; "" for several. */
	readonly value: string;
	readonly message: string;
	readonly nearest: readonly string[];
}

/** Maximum existing values that a hint on one value names. */
export const NEAREST_MAX = 5;

/** Where existing values are looked for. */
export interface HintSource {
	readonly snapshot: Snapshot;
	readonly geography: Geography | null;
	readonly stats: StatsCache;
	/** Names of filters that are given by another than their own. */
	readonly aliases?: GivenAliases;
	/** Of {@link MENTIONED}, the columns that the key does not read. Absent: it reads all. */
	readonly unread?: readonly ColumnName[];
}

/**
 * Columns that hints mention although no filter names them: they name states, and recommend the filter on a group, on
 * full names, on the other date of issue, or on the office or the number given for a name, which a key that does not read
 * the column is refused.
 */
const MENTIONED = [
	"state",
	"member_full_name",
	"member_license_issued",
	"member_license_first_issued",
	"office_name",
	"member_state_license_number",
	"license_status_group",
	"member_type_group",
] as const satisfies ColumnName[];

const NONE: readonly ColumnName[] = [];

/** {@link HintSource.unread} of a grant. */
export function unreadColumns(grant: Pick<Grant, "hasAllColumns" | "reads">): readonly ColumnName[] {
	return grant.hasAllColumns ? NONE : MENTIONED.filter((column) => !grant.reads(column));
}

/** Whether hints may mention a column of {@link MENTIONED}. */
export function mayMention(
	{ unread }: Pick<HintSource, "unread">,
	column: (typeof MENTIONED)[number],
): boolean {
	return unread === undefined || !unread.includes(column);
}

export type FilterValue = string | readonly string[];

export function listOf(value: FilterValue): readonly string[] {
	return typeof value === "string" ? [value] : value;
}

/** The name by which a filter was given. */
export function nameOf(param: FilterName, { aliases }: Pick<HintSource, "aliases">): string {
	return aliases?.[param] ?? param;
}

/** Only the filters on state and country. */
export function placeOf({ state, country }: Filters): Filters {
	return { ...(state === undefined ? {} : { state }), ...(country === undefined ? {} : { country }) };
}

/** Whether a state is one of those asked for, and of the country asked for. */
export function isInPlace(code: string, { state, country }: Filters): boolean {
	if (state !== undefined && !state.includes(code)) return false;
	return country === undefined || findJurisdiction(code)?.country === country;
}

/** Hints of an answer over two months, saying which of these they are about. */
export function ofMonth(hints: readonly Hint[], month: string): Hint[] {
	return hints.map((hint) => ({ ...hint, message: `in ${month}: ${hint.message}` }));
}

/** Hints as a member of `meta`, where there are some. */
export function hintsMember(hints: readonly Hint[]): { hints?: readonly Hint[] } {
	return hints.length === 0 ? {} : { hints };
}

/** Appends `more`. Spreading arrays, most of which are empty, took a microsecond of each page. */
export function addHints(hints: Hint[], more: readonly Hint[]): void {
	for (let i = 0; i < more.length; i++) hints.push(more[i]);
}
