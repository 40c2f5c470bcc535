/**
 * Hints for groups by a name or a postal code: that other spellings of it, or codes that begin with it, which are groups of
 * their own, have rows as well, so that neither its rows nor its rank is that of the name or the ZIP code (docs/API.md §11.3).
 */

import {
	type AggregateGroup,
	type DimensionName,
	dimensionColumn,
	type Filters,
} from "../../../engine/index.js";
import { groupDigits, quoted } from "../../../formats/index.js";
import { citySpellings } from "./city-forms.js";
import type { Hint, HintSource } from "./hint.js";
import { type BoundedSource, boundedSource } from "./hint-work.js";
import { ofBothMonths, unpublishedHints } from "./unpublished-hints.js";
import { otherDateNote } from "./value-notes.js";
import { counted, rowsText } from "./wording.js";

/**
 * For each dimension: the states whose rows are in the group without a value; with `older`, where the groups are of two months,
 * as {@link ofBothMonths}. Cost of each as of {@link unpublishedHints}.
 */
export function nullGroupHints(
	by: readonly DimensionName[],
	filters: Filters,
	source: HintSource,
	older?: HintSource,
): Hint[] {
	return by.flatMap((name) => {
		const column = dimensionColumn(name);
		const effect = (rows: string) => `${name} is null in ${rows}`;
		return ofBothMonths(column, filters, source, older, (each) => {
			const remedy = (without: Filters) => otherDateNote(column, name, without, each);
			return unpublishedHints(column, filters, each, { param: "by", value: name, effect, remedy });
		});
	});
}

/** Groups whose spellings are looked for, the largest first. */
const GROUPS_MAX = 20;
/** Spellings that a hint names. */
const NAMED_MAX = 3;
/** Spellings that are counted, of those that rows have which the key reads: most may have no row that the filters leave. */
const COUNTED_MAX = 20;

/** A dimension whose groups are names. */
type NameDimension = "office_name" | "member_city";

/** A spelling that has rows beside those of a group. */
interface Spelling {
	readonly group: string;
	/** The group's state, where groups are by state as well. */
	readonly state: string | null;
	readonly other: string;
	readonly rows: number;
}

/**
 * For groups by an office's or a city's name, or by postal code, alone or with the state, of which `where` says more after
 * each spelling. None where a filter says which spelling is meant. Cost: looking up {@link GROUPS_MAX} names and their
 * spellings, and at most {@link COUNTED_MAX} counts as far as {@link BoundedSource.work} reaches, until {@link NAMED_MAX} have rows.
 */
export function groupSpellingHints(
	by: readonly DimensionName[],
	groups: readonly AggregateGroup[],
	filters: Filters,
	source: HintSource,
	where = "",
): Hint[] {
	const name = by.find((each) => each !== "state");
	if (name === undefined || by.some((each) => each !== name && each !== "state")) return [];
	if (name === "member_postal_code")
		return longCodeHints(groups, filters, boundedSource(filters, source), where);
	if (name !== "office_name" && name !== "member_city") return [];
	if (name === "office_name" ? filters.office_name_is !== undefined : filters.city !== undefined) return [];
	const spellings = findSpellings(name, groups.slice(0, GROUPS_MAX), filters, boundedSource(filters, source));
	if (spellings.length === 0) return [];
	const found = spellings.map(({ group, state, other, rows }) => {
		const count = `${counted(rows, "more row")} ${rows === 1 ? "is" : "are"} of ${quoted(other)}${where}`;
		return `beside ${quoted(group)}${state === null ? "" : ` of ${state}`} ${count}`;
	});
	const together = togetherText(name, spellings);
	const message = `each spelling is a group of its own: ${found.join(", ")}; ${together}`;
	const nearest = [...new Set(spellings.map(({ other }) => other))];
	return [{ param: "by", value: name, message, nearest }];
}

/** The filters that leave the rows of a group's state, where groups are by state as well. */
function filtersOf({ by }: AggregateGroup, filters: Filters): Filters {
	const { state } = by;
	return state === undefined || state === null ? filters : { ...filters, state: [state] };
}

/** Which filter counts the rows of a name and of its other spellings. */
function togetherText(name: NameDimension, spellings: readonly Spelling[]): string {
	if (name === "member_city") return "city takes several spellings, whose rows it counts together";
	return spellings.every(({ group, other }) => isSameFold(group, other))
		? "office_name_is counts a name in all letter cases"
		: "office_name takes several spellings, whose rows it counts together with those of names that begin with one";
}

/** Whether two names differ in letter case alone. */
function isSameFold(a: string, b: string): boolean {
	return a.toLowerCase() === b.toLowerCase();
}

function findSpellings(
	name: NameDimension,
	groups: readonly AggregateGroup[],
	filters: Filters,
	source: BoundedSource,
): Spelling[] {
	const found: Spelling[] = [];
	const known = new Set<string>();
	// Spellings of rows that the key does not read must not use up the counts: its hints would depend on them.
	const granted = source.snapshot.valueRows(name, source.place, source.geography);
	let queries = 0;
	for (const each of groups) {
		const group = each.by[name] ?? null;
		const state = each.by.state ?? null;
		if (group === null || known.has(`${state} ${group}`)) continue;
		const own = filtersOf(each, filters);
		const { snapshot } = source;
		const others =
			name === "member_city" ? citySpellings(snapshot, group) : snapshot.spellings.others(name, group);
		for (const other of others.filter((each) => each !== group && granted.ofValue(each) > 0)) {
			known.add(`${state} ${other}`);
			if (source.work.isSpent || ++queries > COUNTED_MAX) return found;
			const rows = rowsOfSpelling(name, other, own, source);
			if (rows > 0) found.push({ group, state, other, rows });
			if (found.length === NAMED_MAX) return found;
		}
	}
	return found;
}

/** The rows that match `filters` and have exactly this name. */
function rowsOfSpelling(
	name: NameDimension,
	value: string,
	filters: Filters,
	{ snapshot, geography }: HintSource,
): number {
	if (name === "member_city") return snapshot.count({ ...filters, city: value }, geography);
	const { groups } = snapshot.groups.aggregate(
		{ by: ["office_name"], top: 1000, minCount: 1 },
		{ ...filters, office_name_is: value },
		geography,
	);
	return groups.find(({ by }) => by.office_name === value)?.rows ?? 0;
}

/** A ZIP code, with or without the four digits after it. */
const ZIP = /^(\d{5})(?:-?\d{4})?$/;

/**
 * For groups by postal code: how many rows have codes that begin with the five digits of one, which are groups of their own.
 * Cost as of {@link groupSpellingHints}.
 */
function longCodeHints(
	groups: readonly AggregateGroup[],
	filters: Filters,
	{ snapshot, place, geography, work }: BoundedSource,
	where: string,
): Hint[] {
	if (filters.postal_code !== undefined) return [];
	const codes = snapshot.valueRows("member_postal_code", place, geography);
	const found: string[] = [];
	const nearest = new Set<string>();
	const known = new Set<string>();
	for (const each of groups.slice(0, GROUPS_MAX)) {
		const code = each.by.member_postal_code ?? "";
		const zip = ZIP.exec(code)?.[1];
		const state = each.by.state ?? null;
		// A longer prefix says which codes are meant.
		if (zip?.startsWith(filters.postal_prefix ?? "") !== true) continue;
		if (known.has(`${state} ${zip}`) || codes.valuesWithPrefix(zip) < 2) continue;
		known.add(`${state} ${zip}`);
		if (work.isSpent || found.length === NAMED_MAX) break;
		const own = filtersOf(each, filters);
		const rows = snapshot.count({ ...own, postal_prefix: zip }, geography);
		const more = rows - snapshot.count({ ...own, postal_code: [code] }, geography);
		if (more === 0) continue;
		nearest.add(zip);
		const what = `postal_prefix ${zip}${state === null ? "" : ` of ${state}`} has ${rowsText(rows)}${where}`;
		found.push(`${what}, ${groupDigits(more)} more than the group ${quoted(code)}`);
	}
	if (found.length === 0) return [];
	const message = `ZIP+4 codes are groups of their own: ${found.join("; ")}`;
	return [{ param: "by", value: "member_postal_code", message, nearest: [...nearest] }];
}
