/** Notes that continue the message of a hint on a value that no row has, beside similar values or in place of them. */

import type { Filters } from "../../../engine/index.js";
import { type ColumnName, type FilterKind, findGroupColumn } from "../../../formats/index.js";
import { type HintSource, mayMention } from "./hint.js";

/** Kinds of filters that no row without a value matches. */
export const NEEDS_VALUE: readonly FilterKind[] = ["exact", "group", "prefix", "fold", "from", "to"];

/** The column of rosters that a column is made from: the source of a group, else itself. */
export function publishedColumn(column: ColumnName): ColumnName {
	return findGroupColumn(column)?.source ?? column;
}

/** Of `rows` that match without a filter on `column`, where none has a value in it: continues `2 rows match`. */
export function noneOfRowsHas(column: ColumnName, rows: number): string {
	return rows === 1 ? `, which has no ${column}` : `, none of which has ${aColumn(column)}`;
}

/** Where no row of the query's states has a value, so that no other value would find any. */
export function noneHas(column: ColumnName): string {
	return `no row there has ${aColumn(column)}`;
}

/** A column's name with its article: `a member_city`, `an office_name`. */
function aColumn(column: ColumnName): string {
	return `${/^[aeio]/.test(column) ? "an" : "a"} ${column}`;
}

/** As in states that publish full names only. */
export function noteOfNone(column: ColumnName, source: Pick<HintSource, "unread">): string {
	const isNamed = isPartOfName(column) && mayMention(source, "member_full_name");
	return isNamed ? `${noneHas(column)}; name takes whole names` : noneHas(column);
}

/** The dates of a license's issue, of which many rosters publish one alone: each with the other. */
const ISSUE_DATES = new Map([
	["member_license_issued", "member_license_first_issued"],
	["member_license_first_issued", "member_license_issued"],
] as const);

/**
 * Where rows that match `filters` have no `column`, a date of issue, but the other date: what reads that in place of `name`, a
 * filter or a dimension, such as `first_issued_after` in place of `issued_after`. Else "".
 */
export function otherDateNote(
	column: ColumnName,
	name: string,
	filters: Filters,
	source: Pick<HintSource, "snapshot" | "geography" | "unread">,
): string {
	const other = ISSUE_DATES.get(column as "member_license_issued");
	if (other === undefined || !mayMention(source, other)) return "";
	const present = [...(filters.present ?? []), other];
	if (source.snapshot.count({ ...filters, present }, source.geography) === 0) return "";
	const otherName = name.startsWith("first_") ? name.slice("first_".length) : `first_${name}`;
	return `; ${otherName} reads ${other}, which rows have`;
}

export function isPartOfName(column: ColumnName): boolean {
	return column === "member_last_name" || column === "member_first_name";
}

/** A county's name, given for a city's. */
const COUNTY = /\s(?:county|parish|borough)\s*$/i;

/** Of a value of names, of which `found` are similar. */
export function noteOfWords(
	kind: FilterKind,
	column: ColumnName,
	value: string,
	found: readonly string[],
	source: Pick<HintSource, "unread">,
): string {
	if (kind === "exact")
		return COUNTY.test(value) ? "rows have no county, and matching is exact" : "matching is exact";
	if (!isPartOfName(column) || !mayMention(source, "member_full_name")) return "";
	return found.length === 0 && /\S\s+\S/.test(value) ? "name takes whole names" : "";
}
