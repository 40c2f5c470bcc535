/** Existing values similar to one that no row has, by the kind of its filter. */

import type { DimensionName } from "../../../engine/index.js";
import { DEFAULT_QUERY, DIMENSION_NAMES, dimensionColumn } from "../../../engine/index.js";
import {
	BUILT_IN_GROUPS,
	type ColumnName,
	FILTERS,
	type FilterKind,
	GROUP_COLUMNS,
	groupDigits,
	NUMBER_COLUMN,
	nearest,
	quoted,
	STATUS_GROUPS,
	TYPE_GROUPS,
	WORD_COLUMNS,
} from "../../../formats/index.js";
import { cityForms, citySpellings } from "./city-forms.js";
import { isInPlace, mayMention, NEAREST_MAX } from "./hint.js";
import type { BoundedSource } from "./hint-work.js";
import { nearNames, ownWords } from "./near-names.js";
import { ARTICLE, officeForms, otherOfficeWords } from "./office-forms.js";
import { mostRowsFirst } from "./rows-by-value.js";
import { noneHas, noteOfNone, noteOfWords, otherDateNote, publishedColumn } from "./value-notes.js";
import { firstOf, groupsInstead } from "./wording.js";

/** The rows of some states and a country. */
type PlacedSource = Pick<BoundedSource, "snapshot" | "place" | "geography">;

export interface NearValues {
	readonly nearest: readonly string[];
	/** Continues the hint's message; may be "". */
	readonly note: string;
}

/**
 * Wordings of a column that a value is compared with, those with most rows: some microseconds each. All rosters together
 * have some hundred; a month whose column is mapped wrongly may have one a row.
 */
export const WORDINGS_MAX = 2_048;
/** Minimum of common leading characters of similar postal codes. */
const POSTAL_PREFIX_MIN = 2;

const NONE: NearValues = { nearest: [], note: "" };

/** Values similar to `value`, which no row of `source` has in `column` by a filter of `kind`. */
export function findNear(
	kind: FilterKind,
	column: ColumnName | null,
	value: string,
	source: BoundedSource,
): NearValues {
	const { snapshot, place, geography } = source;
	if (column === null) return NONE;
	const compared = kind === "not" ? "exact" : kind;
	if (kind === "name") return nearPeople(value, source);
	if (kind === "from" || kind === "to") return nearDates(kind, column, source);
	if (WORD_COLUMNS.includes(column)) {
		const found = nearWords(column, value, source);
		if (kind === "prefix" && column === "office_name") {
			const begun = nearOffices(value, found, source);
			if (begun !== null) return begun;
		}
		const isEmpty = found.length === 0 && snapshot.count({ present: [column], ...place }, geography) === 0;
		return {
			nearest: found,
			note: isEmpty ? noteOfNone(column, source) : noteOfWords(compared, column, value, found, source),
		};
	}
	if (column === "member_postal_code") return nearPostalCodes(value, source);
	if (column === NUMBER_COLUMN) {
		const found = snapshot.similarNumbers(value, place, geography).slice(0, NEAREST_MAX);
		return {
			nearest: found,
			note: found.length === 0 ? "matching is exact" : "it exists in another spelling",
		};
	}
	return nearVocabulary(kind, column, value, source);
}

function nearPeople(value: string, source: BoundedSource): NearValues {
	const { nearest, unknown, people } = nearNames(value, source);
	const each = people.map(quoted).join(", ");
	if (people.length > 1) return { nearest, note: `name takes one person, and rows have each of ${each}` };
	const other = otherFilterNote(value, source);
	if (other !== "" || unknown.length === 0) return { nearest, note: other };
	return { nearest, note: `no name there has a word like ${unknown.join(", ")}` };
}

/** Minimum characters of a text that may be an office's name: shorter ones begin the names of many. */
const OFFICE_TEXT_MIN = 3;
/** A license's number, with at most a few letters and signs around its digits. */
const NUMBER_TEXT = /^[^\d]{0,5}(?:\d[\s.-]?){3,}[^\d]{0,3}$/;

/** Where a text that no person has for a name begins offices' names, or is a license's number: which filter finds these; else "". */
export function otherFilterNote(value: string, source: BoundedSource): string {
	const { snapshot, place, geography, work } = source;
	if (work.isSpent) return "";
	if (NUMBER_TEXT.test(value.trim())) {
		if (!mayMention(source, "member_state_license_number")) return "";
		const isExact = snapshot.count({ license_number: [value], ...place }, geography) > 0;
		const found = isExact ? [value] : snapshot.similarNumbers(value, place, geography);
		return found.length === 0 ? "" : `license_number has ${firstOf(found.map(quoted), NEAREST_MAX)}`;
	}
	if (value.trim().length < OFFICE_TEXT_MIN || !mayMention(source, "office_name")) return "";
	const beginnings = nearPrefixes(value, source).map(quoted);
	return beginnings.length === 0
		? ""
		: `office_name has offices that begin with ${firstOf(beginnings, NEAREST_MAX)}`;
}

/** Between an office's own name and the one it trades under: `Acme Holdings LLC dba Acme Homes`. */
const TRADING_AS = /[\s,(]+(?:d[./]?b[./]?a\.?|[to]\/a|doing business as|trading as|operating as)[\s:]+/i;
/** Maximum values like each of the two names of an office. */
const NEAR_EACH_NAME_MAX = 3;

/**
 * Values of a column of words that match `value` as names do; of a city or an office, or another form of its name; of an
 * office with a trade name, or that name, then its own.
 */
export function nearWords(column: ColumnName, value: string, source: PlacedSource): readonly string[] {
	const { snapshot, place, geography } = source;
	const spelled = column === "member_city" ? nearCities(value, source) : [];
	for (const form of formsOf(column, value)) {
		const found = snapshot.looseValues(column, form, place, geography, NEAREST_MAX);
		if (found.length > 0) return [...new Set([...spelled, ...found])].slice(0, NEAREST_MAX);
	}
	const names = column === "office_name" ? value.split(TRADING_AS) : [];
	if (names.length < 2) return [];
	const near = names
		.toReversed()
		.flatMap((name) => nearWords(column, name, source).slice(0, NEAR_EACH_NAME_MAX));
	return [...new Set(near)].slice(0, NEAREST_MAX);
}

/** The cities of the rows that are `value` written otherwise, most rows first. */
function nearCities(value: string, { snapshot, place, geography }: PlacedSource): readonly string[] {
	const counted = snapshot.valueRows("member_city", place, geography);
	const cities = citySpellings(snapshot, value).map((city) => [city, counted.ofValue(city)] as const);
	return mostRowsFirst(new Map(cities.filter(([, rows]) => rows > 0)));
}

/** The spellings of a prefix with which names of offices begin, then those of `found`, which are like it; null: none begins so. */
export function nearOffices(
	value: string,
	found: readonly string[],
	source: PlacedSource,
): NearValues | null {
	const beginnings = nearPrefixes(value, source);
	if (beginnings.length === 0) return null;
	const nearest = [...new Set([...beginnings, ...found])].slice(0, NEAREST_MAX);
	return { nearest, note: `names begin with ${firstOf(beginnings.map(quoted), NEAREST_MAX)}` };
}

/** Other spellings of a prefix of offices' names with which some begin, also without its article or with its words short or long, most rows first. */
function nearPrefixes(value: string, { snapshot, place, geography }: PlacedSource): string[] {
	const rows = new Map<string, number>();
	const spellings = snapshot.spellings.prefixes("office_name", value, geography);
	const forms = [...spellings, value.replace(ARTICLE, ""), otherOfficeWords(value) ?? value];
	for (const spelling of new Set(forms)) {
		const count = snapshot.count({ ...place, office_name: [spelling] }, geography);
		if (count > 0) rows.set(spelling, count);
	}
	return mostRowsFirst(rows);
}

function formsOf(column: ColumnName, value: string): readonly string[] {
	if (column === "member_city") return cityForms(value);
	if (column === "office_name") return officeForms(value);
	// A first or a last name, without a title, a suffix or an initial.
	return [...new Set([value, ownWords(value).join(" ")])].filter((form) => form !== "");
}

/** Values of a column with few of them: by meaning, by edit distance, else the most frequent. */
function nearVocabulary(
	kind: FilterKind,
	column: ColumnName,
	value: string,
	source: BoundedSource,
): NearValues {
	const isWording = column === "member_license_status" || column === "member_type";
	if (isWording && (kind === "exact" || kind === "not"))
		return nearWordings(column, value, kind === "not", source);
	const { snapshot, place, geography } = source;
	const by = DIMENSION_NAMES.find((name): name is DimensionName => dimensionColumn(name) === column);
	if (by === undefined) return NONE;
	const { groups } = snapshot.groups.aggregate({ by: [by], top: NEAREST_MAX, minCount: 1 }, place, geography);
	const found = groups.flatMap((group) => group.by[by] ?? []);
	return { nearest: found, note: found.length > 0 ? "" : noneHas(publishedColumn(column)) };
}

/** The first `max` of `items` that `matches`. */
function firstMatching<T>(items: readonly T[], matches: (item: T) => boolean, max: number): T[] {
	const found: T[] = [];
	for (const item of items) {
		if (found.length === max) break;
		if (matches(item)) found.push(item);
	}
	return found;
}

/**
 * A state's own words for a status or a type: those that mean what the given one does, the nearest first, else those that
 * are written alike. `isExcluded`: rows with the value are to be left out.
 */
function nearWordings(
	column: "member_license_status" | "member_type",
	value: string,
	isExcluded: boolean,
	source: BoundedSource,
): NearValues {
	const { snapshot, place, geography, stats } = source;
	const name = column === "member_type" ? "member_type" : "license_status";
	const isThere = ({ states }: { readonly states: object }) =>
		Object.keys(states).some((state) => isInPlace(state, place));
	const entries = firstMatching(stats.of(snapshot, geography)[name], isThere, WORDINGS_MAX);
	if (entries.length === 0) return { nearest: [], note: noneHas(column) };
	const group = groupOf(column, value, place.state ?? []);
	const alike = entries.filter(
		(entry) => group === null || groupOf(column, entry.value, Object.keys(entry.states)) === group,
	);
	const near = nearest(
		value,
		alike.map((entry) => entry.value),
		NEAREST_MAX,
	);
	// Where nothing is similar, the most frequent values show what the vocabulary looks like.
	const others = group === null ? near : alike.map((entry) => entry.value);
	const found = new Set([...near, ...others]);
	const shown = found.size > 0 ? [...found] : entries.map((entry) => entry.value);
	const note = "matching is exact, and each state has its own words";
	const [param, groupColumn] =
		column === "member_type"
			? (["type_group", "member_type_group"] as const)
			: (["status_group", "license_status_group"] as const);
	if (group === null || !mayMention(source, groupColumn))
		return { nearest: shown.slice(0, NEAREST_MAX), note };
	// The table by which a month is built may know more words than this one.
	const hasRows = snapshot.count({ [param]: [group], ...place }, geography) > 0;
	const all = isExcluded ? withoutGroup(param, group, source) : `${param} ${group} has all that mean it`;
	const ofGroup = hasRows ? all : `no row there has ${param} ${group}`;
	return { nearest: shown.slice(0, NEAREST_MAX), note: `${note}; ${ofGroup}` };
}

/** What leaves out all words of a group: those listed, or the other groups that rows have. */
function withoutGroup(
	by: "status_group" | "type_group",
	group: string,
	{ snapshot, place, geography }: PlacedSource,
): string {
	const top = STATUS_GROUPS.length + TYPE_GROUPS.length;
	const { groups } = snapshot.groups.aggregate({ by: [by], top, minCount: 1 }, place, geography);
	const rest = groups.flatMap((each) => each.by[by] ?? []).filter((each) => each !== group);
	if (rest.length === 0) return "give these";
	const ungrouped = groups.find((each) => each.by[by] === null)?.rows ?? 0;
	return `give these, or ${groupsInstead(by, rest, ungrouped)}`;
}

/** The group of a wording by the built-in table, in the first of the states that has one; null: none. */
export function groupOf(column: ColumnName, text: string, states: readonly string[]): string | null {
	const grouped = GROUP_COLUMNS.find(({ source }) => source === column);
	if (grouped === undefined) return null;
	for (const state of states) {
		const group = BUILT_IN_GROUPS.find(grouped.column, state, text);
		if (group !== null) return group;
	}
	return states.length === 0 ? BUILT_IN_GROUPS.find(grouped.column, "*", text) : null;
}

/** A ZIP code whose zero in front was dropped where codes are kept as numbers. */
const SHORT_ZIP = /^\d{4}$/;

/** Postal codes that begin with the value and a zero that it lost, else those with the most common leading characters, by descending rows; none where no row has a code, of which the note says so. */
function nearPostalCodes(value: string, source: BoundedSource): NearValues {
	const text = value.trim();
	const padded = SHORT_ZIP.test(text) ? postalCodesFrom(`0${text}`, source) : null;
	if (padded !== null) return { nearest: padded.codes, note: `some begin with 0${text}` };
	const characters = [...text];
	for (let length = characters.length; length >= POSTAL_PREFIX_MIN; length--) {
		const prefix = characters.slice(0, length).join("");
		const found = postalCodesFrom(prefix, source);
		if (found === null) continue;
		const all = `: postal_prefix ${prefix} has all ${groupDigits(found.rows)}`;
		return {
			nearest: found.codes,
			note: `some begin with ${prefix}${length === characters.length ? all : ""}`,
		};
	}
	const { snapshot, place, geography } = source;
	const hasCodes = snapshot.count({ present: ["member_postal_code"], ...place }, geography) > 0;
	return { nearest: [], note: hasCodes ? "" : noneHas("member_postal_code") };
}

/** How many rows have a code that begins with `prefix`, and the most frequent of these codes; null: none. */
function postalCodesFrom(
	prefix: string,
	{ snapshot, place, geography }: BoundedSource,
): { rows: number; codes: string[] } | null {
	const filters = { postal_prefix: prefix, ...place };
	const rows = snapshot.count(filters, geography);
	if (rows === 0) return null;
	const by = ["member_postal_code"] as const;
	const { groups } = snapshot.groups.aggregate({ by, top: NEAREST_MAX, minCount: 1 }, filters, geography);
	return { rows, codes: groups.flatMap((group) => group.by.member_postal_code ?? []) };
}

/** The earliest and the latest date: no row is beyond the requested one. */
function nearDates(kind: "from" | "to", column: ColumnName, source: BoundedSource): NearValues {
	const { snapshot, place, geography } = source;
	const query = {
		...DEFAULT_QUERY,
		filters: { present: [column], ...place },
		sort: [column],
		order: kind === "from" ? ("desc" as const) : ("asc" as const),
		limit: 1,
		geography,
	};
	const [row] = snapshot.query(query).rows;
	if (row === undefined) {
		const isNarrowed = place.state !== undefined || place.country !== undefined || geography !== null;
		const none = isNarrowed ? noneHas(column) : `no row has a ${column}`;
		const param = FILTERS.find((filter) => filter.kind === kind && filter.column === column)?.param ?? "";
		return { nearest: [], note: `${none}${otherDateNote(column, param, place, source)}` };
	}
	const date = String(snapshot.value(row, column));
	return { nearest: [date], note: `the ${kind === "from" ? "latest" : "earliest"} is ${date}` };
}
