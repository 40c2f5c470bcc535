/**
 * Hints where rows match a city, a last name or an office: rows that have another spelling of it, which the filter leaves out,
 * or, of one that leaves cities out, keeps (docs/API.md §7.8.6).
 *
 * Invariant: as in hints.ts, a hint depends only on rows of the key's geography and on columns that the request names.
 */

import type { Filters, Snapshot } from "../../../engine/index.js";
import { type ColumnName, fold, groupDigits, quoted } from "../../../formats/index.js";
import { cachedHints } from "./hint-cache.js";
import { type Hint, type HintSource, listOf, placeOf, rowsOf, rowsText } from "./hints.js";
import { NEAREST_MAX, otherFirstWord } from "./near-values.js";

/** Maximum hints of one filter, of which the last tells of all further values. */
export const HINTED_MAX = 5;

/** Values of one filter that are looked at, the first. */
export const LOOKED_AT_MAX = 20;

/** Maximum spellings that a hint on several values names: those of all that are looked at, of two or three each. */
const SPELLINGS_MAX = 40;

/** A filter on names that finds one spelling. */
interface Named {
	readonly param: "city" | "last_name" | "office_name" | "office_name_is";
	readonly column: ColumnName;
	/** Whether the filter finds a name, by one of the folds of its values. */
	readonly finds: (name: string, asked: string) => boolean;
	readonly remedy: string;
}

const NAMED: readonly Named[] = [
	{
		param: "city",
		column: "member_city",
		finds: () => false,
		remedy: "matching is exact, so give these too",
	},
	{ param: "last_name", column: "member_last_name", finds: startsWith, remedy: "give these too" },
	{ param: "office_name", column: "office_name", finds: startsWith, remedy: "give these too" },
	{
		param: "office_name_is",
		column: "office_name",
		finds: (name, asked) => name === asked,
		remedy: "office_name takes several, each a prefix",
	},
];

function startsWith(name: string, asked: string): boolean {
	return name.startsWith(asked);
}

/** Rows by the other spellings of a value that have rows. */
type Spellings = ReadonlyMap<string, number>;

/** A value that has other spellings. */
interface Spelled {
	readonly value: string;
	readonly others: Spellings;
}

/**
 * Where rows match a name: other spellings of it whose rows are left out, of the first {@link LOOKED_AT_MAX} values of each
 * filter. Cost: of each value as of `Snapshot.otherSpellings`, and a count for each spelling.
 */
export function spellingHints(filters: Filters, source: HintSource): Hint[] {
	const hints: Hint[] = [];
	for (const named of NAMED) {
		const given = filters[named.param];
		if (given === undefined) continue;
		const values = [...new Set(listOf(given))];
		if (!values.some((value) => maySpellOtherwise(named.column, value, source.snapshot))) continue;
		hints.push(
			...cachedHints(source, named.param, values, filters, () => hintsOf(named, values, filters, source)),
		);
	}
	return hints;
}

function hintsOf(named: Named, values: readonly string[], filters: Filters, source: HintSource): Hint[] {
	const { param, column, finds, remedy } = named;
	const where = rowsOf(placeOf(filters), source.geography);
	const folds = values.map(fold);
	const isFound = (name: string) => {
		const folded = fold(name);
		return folds.some((asked) => finds(folded, asked));
	};
	const spelled = findSpelled(column, values, isFound, placeOf(filters), source);
	const told = spelled.length > HINTED_MAX ? HINTED_MAX - 1 : HINTED_MAX;
	const hints = spelled.slice(0, told).map(({ value, others }): Hint => {
		const { message, nearest } = rowsOfSpellings(column, others, where, NEAREST_MAX);
		return { param, value, message: `${message}, which ${param} leaves out: ${remedy}`, nearest };
	});
	const rest = spelled.slice(told);
	if (rest.length > 0) {
		const others = united(rest);
		const message =
			`${groupDigits(rest.length)} more of the values of ${param} have other spellings, ${rowsText(sumOf(others))} ` +
			`in ${where} together: ${namesOf(rest)}`;
		hints.push({ param, value: "", message, nearest: [...others.keys()].slice(0, SPELLINGS_MAX) });
	}
	return withUnlooked(hints, param, values.length - LOOKED_AT_MAX, "other spellings");
}

/** How many rows have some spellings, the first of which are named. */
function rowsOfSpellings(
	column: ColumnName,
	others: Spellings,
	where: string,
	namedMax: number,
): { readonly message: string; readonly nearest: readonly string[] } {
	const rows = sumOf(others);
	const nearest = [...others.keys()].slice(0, namedMax);
	const more = others.size - nearest.length;
	const unnamed = more === 0 ? "" : ` and ${groupDigits(more)} more ${more === 1 ? "spelling" : "spellings"}`;
	const names = `${nearest.map(quoted).join(", ")}${unnamed}`;
	return {
		message: `${rowsText(rows)} in ${where} ${rows === 1 ? "has" : "have"} ${column} ${names}`,
		nearest,
	};
}

/**
 * Where rows have a city that is to be left out: how many have other spellings of it, which stay. Cost as of
 * {@link spellingHints}.
 */
export function keptSpellingHints(filters: Filters, source: HintSource): readonly Hint[] {
	if (filters.city_not === undefined) return [];
	const values = [...new Set(listOf(filters.city_not))];
	return cachedHints(source, "city_not", values, filters, () => keptHintsOf(values, filters, source));
}

function keptHintsOf(cities: readonly string[], filters: Filters, source: HintSource): Hint[] {
	const place = placeOf(filters);
	const spelled = findSpelled("member_city", cities, () => false, place, source);
	const hints: Hint[] = [];
	if (spelled.length > 0) {
		const where = rowsOf(place, source.geography);
		const { message, nearest } = rowsOfSpellings("member_city", united(spelled), where, SPELLINGS_MAX);
		const value = spelled.map((each) => each.value).join(", ");
		const rule = "it leaves out the exact names alone, so give each of these too";
		hints.push({ param: "city_not", value, message: `${message}, which city_not keeps: ${rule}`, nearest });
	}
	return withUnlooked(hints, "city_not", cities.length - LOOKED_AT_MAX, "other spellings");
}

/**
 * Rows by the other spellings of values that are listed, which are not listed themselves. Cost of each of the first
 * {@link LOOKED_AT_MAX} as of `Snapshot.otherSpellings`, and a count for each spelling.
 */
export function unlistedSpellings(
	column: ColumnName,
	listed: readonly string[],
	place: Filters,
	source: Pick<HintSource, "snapshot" | "geography">,
): Spellings {
	return united(findSpelled(column, listed, () => false, place, source));
}

/** Those of the first values which have rows, as have other spellings of them that are neither values nor found. */
function findSpelled(
	column: ColumnName,
	values: readonly string[],
	isFound: (name: string) => boolean,
	place: Filters,
	{ snapshot, geography }: Pick<HintSource, "snapshot" | "geography">,
): Spelled[] {
	const asked = new Set(values);
	const found: Spelled[] = [];
	let counted: ReturnType<typeof snapshot.valueRows> | null = null;
	for (const value of values.slice(0, LOOKED_AT_MAX)) {
		const spellings = spellingsOf(column, value, snapshot).filter(
			(each) => !asked.has(each) && !isFound(each),
		);
		if (spellings.length === 0) continue;
		counted ??= snapshot.valueRows(column, place, geography);
		// A city that no row has is told with what is near it.
		if (column === "member_city" && counted.ofValue(value) === 0) continue;
		const others = new Map<string, number>();
		for (const spelling of spellings) {
			const rows = counted.ofValue(spelling);
			if (rows > 0) others.set(spelling, rows);
		}
		if (others.size > 0) found.push({ value, others });
	}
	return found;
}

/** Whether {@link spellingsOf} may find some: of most names it does not, which are not to fill the cache of hints. */
function maySpellOtherwise(column: ColumnName, value: string, snapshot: Snapshot): boolean {
	return column === "member_city" || snapshot.isSpelledOtherwise(column, value);
}

/** Other spellings of a value, of a city also those with its first word short in place of long. */
function spellingsOf(column: ColumnName, value: string, snapshot: Snapshot): readonly string[] {
	const others = snapshot.otherSpellings(column, value);
	const other = column === "member_city" ? otherFirstWord(value) : null;
	return other === null ? others : [...new Set([...others, ...snapshot.otherSpellings(column, other)])];
}

function united(spelled: readonly Spelled[]): Spellings {
	return new Map(spelled.flatMap(({ others }) => [...others]));
}

function sumOf(others: Spellings): number {
	let rows = 0;
	for (const each of others.values()) rows += each;
	return rows;
}

export function namesOf(values: readonly { readonly value: string }[]): string {
	return values.map(({ value }) => quoted(value)).join(", ");
}

/** `hints`, the last of which says that `unlooked` values were not looked at, where there are such. */
export function withUnlooked(hints: Hint[], param: string, unlooked: number, sought: string): Hint[] {
	if (unlooked <= 0) return hints;
	const values = `${groupDigits(unlooked)} more ${unlooked === 1 ? "value" : "values"}`;
	const note = `${values} of ${param} ${unlooked === 1 ? "was" : "were"} not looked at for ${sought}`;
	const last = hints.pop();
	if (last === undefined) return [{ param, value: "", message: note, nearest: [] }];
	return [...hints, { ...last, message: `${last.message}; ${note}` }];
}
