/**
 * Hints where rows match a city, a last name or an office: rows that have another spelling of it, which the filter leaves out,
 * or, of one that excludes cities, keeps (docs/API.md §7.8.6).
 */

import type { Filters } from "../../../engine/index.js";
import { type ColumnName, fold, groupDigits, quoted } from "../../../formats/index.js";
import { citySpellings, hasCitySpellings } from "./city-forms.js";
import { type Hint, type HintSource, listOf, NEAREST_MAX, placeOf } from "./hint.js";
import { HintCache } from "./hint-cache.js";
import { hintsByValue, LOOKED_AT_MAX, valuesText, withUnlooked } from "./hints-by-value.js";
import { otherOfficeWords } from "./office-forms.js";
import { type RowsByValue, totalRows } from "./rows-by-value.js";
import { firstOf, rowsHave, rowsOf, rowsText } from "./wording.js";

/** Maximum spellings that a hint on several values names: those of all that are looked at, of two or three each. */
const SPELLINGS_MAX = 40;

/** Cities, last names and offices, each under the states that are asked for with it. */
const cache = new HintCache(2048);

/** A filter on names that finds one spelling. */
interface Named {
	readonly param: "city" | "last_name" | "office_name" | "office_name_is";
	/** Whether the filter finds a name, by one of the folds of its values. */
	readonly finds: (name: string, asked: string) => boolean;
	readonly remedy: string;
	/** What rows have, before the spellings in the message. */
	readonly having: string;
	spellings(values: readonly string[], filters: Filters, source: PlaceSource): Spellings;
}

const NAMED: readonly Named[] = [
	{
		param: "city",
		finds: () => false,
		remedy: "matching is exact, so give these too",
		having: "member_city",
		spellings: (_values, filters, source) => spellingsOf("member_city", filters, source),
	},
	{
		param: "last_name",
		finds: startsWith,
		remedy: "give these too",
		having: "member_last_name",
		spellings: (_values, filters, source) => spellingsOf("member_last_name", filters, source),
	},
	{
		param: "office_name",
		finds: startsWith,
		remedy: "give these too",
		having: "office_name beginning with",
		spellings: beginningsOf,
	},
	{
		param: "office_name_is",
		finds: (name, asked) => name === asked,
		remedy: "office_name takes several, each a prefix",
		having: "office_name",
		spellings: (_values, filters, source) => spellingsOf("office_name", filters, source),
	},
];

function startsWith(name: string, asked: string): boolean {
	return name.startsWith(asked);
}

/** A value that has other spellings, with the rows of these. */
interface Spelled {
	readonly value: string;
	readonly others: RowsByValue;
}

/** Where spellings of values come from, and how many rows of some states have them. */
interface Spellings {
	/** Whether {@link of} may find some: of most names it does not, which are not to fill the cache of hints. */
	mayBe(value: string): boolean;
	of(value: string): readonly string[];
	/** Whether a row has the value. One that no row has gets a hint with similar ones (unmatched-value-hints.ts). */
	hasRows(value: string): boolean;
	rows(spelling: string): number;
}

/**
 * Where rows match a name: other spellings of it whose rows are left out, of the first {@link LOOKED_AT_MAX} values of each
 * filter. Cost: of each value as of `Spellings.others` or `Spellings.prefixes`, and a count for each spelling.
 */
export function spellingHints(filters: Filters, source: HintSource): Hint[] {
	const hints: Hint[] = [];
	for (const named of NAMED) {
		const given = filters[named.param];
		if (given === undefined) continue;
		const values = [...new Set(listOf(given))];
		const spellings = named.spellings(values, filters, source);
		if (values.length <= LOOKED_AT_MAX && !values.some((value) => spellings.mayBe(value))) continue;
		const make = () => hintsOf(named, spellings, values, rowsOf(filters, source.geography));
		hints.push(...cache.get(source, named.param, values, filters, make));
	}
	return hints;
}

/** The hints of one filter; `where` names the rows that are looked at. */
function hintsOf(
	{ param, finds, remedy, having }: Named,
	spellings: Spellings,
	values: readonly string[],
	where: string,
): Hint[] {
	const folds = values.map(fold);
	const isFound = (name: string) => {
		const folded = fold(name);
		return folds.some((each) => finds(folded, each));
	};
	const hints = hintsByValue(
		findSpelled(values, isFound, spellings),
		({ value, others }): Hint => {
			const message = `${spellingsText(having, others, where, NEAREST_MAX)}, which ${param} leaves out: ${remedy}`;
			return { param, value, message, nearest: [...others.keys()].slice(0, NEAREST_MAX) };
		},
		(rest): Hint => {
			const others = united(rest);
			const message =
				`${groupDigits(rest.length)} more of the values of ${param} have other spellings, ` +
				`${rowsText(totalRows(others))} in ${where} together: ${valuesText(rest)}`;
			return { param, value: "", message, nearest: [...others.keys()].slice(0, SPELLINGS_MAX) };
		},
	);
	return withUnlooked(hints, param, values.length - LOOKED_AT_MAX, "other spellings");
}

/** How many rows have some spellings, the first of which are named. */
function spellingsText(having: string, others: RowsByValue, where: string, most: number): string {
	const names = [...others.keys()].map(quoted);
	return `${rowsHave(totalRows(others), `in ${where}`)} ${having} ${firstOf(names, most, "spelling")}`;
}

/** For a city that is excluded: how many rows have other spellings of it, which are not. Cost as of {@link spellingHints}. */
export function excludedCityHints(filters: Filters, source: HintSource): readonly Hint[] {
	if (filters.city_not === undefined) return [];
	const cities = [...new Set(listOf(filters.city_not))];
	return cache.get(source, "city_not", cities, filters, () => {
		const spelled = findSpelled(cities, () => false, spellingsOf("member_city", filters, source));
		const others = united(spelled);
		const message =
			`${spellingsText("member_city", others, rowsOf(filters, source.geography), SPELLINGS_MAX)}, which city_not keeps: ` +
			"it leaves out the exact names alone, so give each of these too";
		const value = spelled.map((each) => each.value).join(", ");
		const nearest = [...others.keys()].slice(0, SPELLINGS_MAX);
		const hints = spelled.length === 0 ? [] : [{ param: "city_not", value, message, nearest }];
		return withUnlooked(hints, "city_not", cities.length - LOOKED_AT_MAX, "other spellings");
	});
}

/**
 * Rows by the other spellings of values that are listed, which are not listed themselves. Cost of each of the first
 * {@link LOOKED_AT_MAX} as of `Spellings.others`, and a count for each spelling.
 */
export function unlistedSpellings(
	column: ColumnName,
	listed: readonly string[],
	place: Filters,
	source: PlaceSource,
): RowsByValue {
	return united(findSpelled(listed, () => false, spellingsOf(column, place, source)));
}

/** Those of the first values which have rows, as have other spellings of them that are neither values nor found. */
function findSpelled(
	values: readonly string[],
	isFound: (name: string) => boolean,
	spellings: Spellings,
): Spelled[] {
	const asked = new Set(values);
	const found: Spelled[] = [];
	for (const value of values.slice(0, LOOKED_AT_MAX)) {
		const unlisted = spellings.of(value).filter((each) => !asked.has(each) && !isFound(each));
		if (unlisted.length === 0 || !spellings.hasRows(value)) continue;
		const others = new Map<string, number>();
		for (const spelling of unlisted) {
			const rows = spellings.rows(spelling);
			if (rows > 0) others.set(spelling, rows);
		}
		if (others.size > 0) found.push({ value, others });
	}
	return found;
}

type PlaceSource = Pick<HintSource, "snapshot" | "geography">;

/** Other spellings of values in the rows of a place, of a city also those of {@link citySpellings}. */
function spellingsOf(column: ColumnName, place: Filters, { snapshot, geography }: PlaceSource): Spellings {
	const { spellings } = snapshot;
	let made: ReturnType<typeof snapshot.valueRows> | null = null;
	const counted = () => {
		made ??= snapshot.valueRows(column, place, geography);
		return made;
	};
	const isCity = column === "member_city";
	return {
		mayBe: (value) => (isCity ? hasCitySpellings(snapshot, value) : spellings.hasOthers(column, value)),
		of: (value) => (isCity ? citySpellings(snapshot, value) : spellings.others(column, value)),
		hasRows: (value) => (isCity ? counted().ofValue(value) > 0 : counted().hasFold(value)),
		rows: (spelling) => counted().ofValue(spelling),
	};
}

/**
 * Other spellings of prefixes with which names begin in the rows of a place. Rows are counted that none of `values` finds: one of
 * them may be longer than a spelling.
 */
function beginningsOf(
	values: readonly string[],
	filters: Filters,
	{ snapshot, geography }: PlaceSource,
): Spellings {
	const place = placeOf(filters);
	const rowsWith = (prefixes: readonly string[]) =>
		prefixes.length === 0 ? 0 : snapshot.count({ ...place, office_name: prefixes }, geography);
	const of = (prefix: string) => {
		const spellings = snapshot.spellings.prefixes("office_name", prefix, geography);
		const other = otherOfficeWords(prefix);
		return other === null ? spellings : [...spellings, other];
	};
	return {
		mayBe: (prefix) => of(prefix).length > 0,
		of,
		hasRows: (prefix) => rowsWith([prefix]) > 0,
		rows: (spelling) =>
			rowsWith([spelling]) - rowsWith(values.filter((value) => startsWith(fold(value), fold(spelling)))),
	};
}

function united(spelled: readonly Spelled[]): RowsByValue {
	return new Map(spelled.flatMap(({ others }) => [...others]));
}
