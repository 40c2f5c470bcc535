/**
 * Hints where rows match a city or a ZIP code: rows that have another spelling of the city, or a longer code, which an exact
 * filter leaves out and one that leaves cities out keeps (docs/API.md §7.8.6).
 *
 * Invariant: as in hints.ts, a hint depends only on rows of the key's geography and on columns that the request names.
 */

import type { Filters } from "../../../engine/index.js";
import { groupDigits, quoted } from "../../../formats/index.js";
import { cachedHints } from "./hint-cache.js";
import { type Hint, type HintSource, listOf, placeOf, rowsOf, rowsText } from "./hints.js";
import { NEAREST_MAX, otherFirstWord } from "./near-values.js";

/** Maximum hints of one filter, of which the last tells of all further values. */
const HINTED_MAX = 5;

/** Values of one filter that are looked at, the first. */
export const LOOKED_AT_MAX = 20;

/** Maximum spellings that a hint on several values names: those of all that are looked at, of two or three each. */
const SPELLINGS_MAX = 40;

/** Longer codes that are counted for one filter: some ten nanoseconds each. Further ZIP codes are not looked at. */
const LONGER_CODES_MAX = 4096;

/** Rows by the other spellings of a value that have rows. */
type Spellings = ReadonlyMap<string, number>;

/** A value that has other spellings. */
interface Spelled {
	readonly value: string;
	readonly others: Spellings;
}

/**
 * Where rows match a city: other spellings of its name, whose rows are left out: in another letter case, with accents or
 * without, with `St.` or the like written otherwise. Cost: of each of the first {@link LOOKED_AT_MAX} cities as of
 * `Snapshot.otherSpellings`, and a count for each spelling.
 */
export function spellingHints(filters: Filters, source: HintSource): readonly Hint[] {
	if (filters.city === undefined) return [];
	const asked = listOf(filters.city);
	return cachedHints(source, "city", asked, filters, () => cityHints(asked, filters, source));
}

function cityHints(asked: readonly string[], filters: Filters, source: HintSource): Hint[] {
	const where = rowsOf(placeOf(filters), source.geography);
	const cities = [...new Set(asked)];
	const spelled = spelledCities(cities, filters, source);
	const told = spelled.length > HINTED_MAX ? HINTED_MAX - 1 : HINTED_MAX;
	const hints = spelled.slice(0, told).map(({ value, others }): Hint => {
		const rows = sumOf(others);
		const nearest = [...others.keys()].slice(0, NEAREST_MAX);
		const more = others.size - nearest.length;
		const unnamed =
			more === 0 ? "" : ` and ${groupDigits(more)} more ${more === 1 ? "spelling" : "spellings"}`;
		const names = `${nearest.map(quoted).join(", ")}${unnamed}`;
		const message =
			`${rowsText(rows)} in ${where} ${rows === 1 ? "has" : "have"} city ${names}: ` +
			"matching is exact, so give each of these names too";
		return { param: "city", value, message, nearest };
	});
	const rest = spelled.slice(told);
	if (rest.length > 0) {
		const others = united(rest);
		const message =
			`${groupDigits(rest.length)} more of the values of city have other spellings, ${rowsText(sumOf(others))} ` +
			`in ${where} together: ${namesOf(rest)}`;
		hints.push({ param: "city", value: "", message, nearest: [...others.keys()].slice(0, SPELLINGS_MAX) });
	}
	return withUnlooked(hints, "city", cities.length - LOOKED_AT_MAX, "other spellings");
}

/**
 * Where rows have a city that is to be left out: how many have other spellings of it, which stay. Cost as of
 * {@link spellingHints}.
 */
export function keptSpellingHints(filters: Filters, source: HintSource): readonly Hint[] {
	if (filters.city_not === undefined) return [];
	const asked = listOf(filters.city_not);
	return cachedHints(source, "city_not", asked, filters, () => keptCityHints(asked, filters, source));
}

function keptCityHints(asked: readonly string[], filters: Filters, source: HintSource): Hint[] {
	const cities = [...new Set(asked)];
	const spelled = spelledCities(cities, filters, source);
	const hints: Hint[] = [];
	if (spelled.length > 0) {
		const others = united(spelled);
		const rows = sumOf(others);
		const nearest = [...others.keys()].slice(0, SPELLINGS_MAX);
		const more = others.size > nearest.length ? ` and ${groupDigits(others.size - nearest.length)} more` : "";
		const message =
			`${rowsText(rows)} in ${rowsOf(placeOf(filters), source.geography)} ${rows === 1 ? "has" : "have"} ` +
			`city ${nearest.map(quoted).join(", ")}${more}, which city_not keeps: it leaves out the exact names ` +
			"alone, so give each of these too";
		const value = spelled.map((each) => each.value).join(", ");
		hints.push({ param: "city_not", value, message, nearest });
	}
	return withUnlooked(hints, "city_not", cities.length - LOOKED_AT_MAX, "other spellings");
}

/**
 * Rows by the other spellings of cities that are listed, which are not listed themselves. Cost of each of the first
 * {@link LOOKED_AT_MAX} as of `Snapshot.otherSpellings`, and a count for each spelling.
 */
export function unlistedSpellings(
	listed: readonly string[],
	place: Filters,
	source: Pick<HintSource, "snapshot" | "geography">,
): Spellings {
	return united(spelledCities(listed, place, source));
}

/** Those of the cities that are looked at which have rows, as have other spellings of them that were not asked for. */
function spelledCities(
	cities: readonly string[],
	filters: Filters,
	{ snapshot, geography }: Pick<HintSource, "snapshot" | "geography">,
): Spelled[] {
	const asked = new Set(cities);
	const found: Spelled[] = [];
	let counted: ReturnType<typeof snapshot.valueRows> | null = null;
	for (const value of cities.slice(0, LOOKED_AT_MAX)) {
		const other = otherFirstWord(value);
		const spellings = new Set([
			...snapshot.otherSpellings("member_city", value),
			...(other === null ? [] : snapshot.otherSpellings("member_city", other)),
		]);
		for (const each of asked) spellings.delete(each);
		if (spellings.size === 0) continue;
		counted ??= snapshot.valueRows("member_city", placeOf(filters), geography);
		// A city that no row has is told with what is near it.
		if (counted.ofValue(value) === 0) continue;
		const others = new Map<string, number>();
		for (const spelling of spellings) {
			const rows = counted.ofValue(spelling);
			if (rows > 0) others.set(spelling, rows);
		}
		if (others.size > 0) found.push({ value, others });
	}
	return found;
}

function united(spelled: readonly Spelled[]): Spellings {
	return new Map(spelled.flatMap(({ others }) => [...others]));
}

function sumOf(others: Spellings): number {
	let rows = 0;
	for (const each of others.values()) rows += each;
	return rows;
}

function namesOf(values: readonly { readonly value: string }[]): string {
	return values.map(({ value }) => quoted(value)).join(", ");
}

/** `hints`, the last of which says that `unlooked` values were not looked at, where there are such. */
function withUnlooked(hints: Hint[], param: string, unlooked: number, sought: string): Hint[] {
	if (unlooked <= 0) return hints;
	const values = `${groupDigits(unlooked)} more ${unlooked === 1 ? "value" : "values"}`;
	const note = `${values} of ${param} ${unlooked === 1 ? "was" : "were"} not looked at for ${sought}`;
	const last = hints.pop();
	if (last === undefined) return [{ param, value: "", message: note, nearest: [] }];
	return [...hints, { ...last, message: `${last.message}; ${note}` }];
}

/** A ZIP code of five digits; those that it begins are of four digits more. */
const SHORT_ZIP = /^\d{5}$/;

/**
 * Where rows match a ZIP code: those of its ZIP+4 codes, which are left out. Cost: a count for each of these, of the first
 * {@link LOOKED_AT_MAX} codes and up to {@link LONGER_CODES_MAX} of these.
 */
export function longPostalCodeHints(filters: Filters, { snapshot, geography, aliases }: HintSource): Hint[] {
	if (filters.postal_code === undefined || filters.postal_prefix !== undefined) return [];
	const codes = [...new Set(listOf(filters.postal_code))].filter((code) => SHORT_ZIP.test(code));
	if (codes.length === 0) return [];
	const param = aliases?.postal_code ?? "postal_code";
	const place = placeOf(filters);
	const where = rowsOf(place, geography);
	const counted = snapshot.valueRows("member_postal_code", place, geography);
	const found: { value: string; rows: number }[] = [];
	let looked = 0;
	let longer = 0;
	for (const value of codes.slice(0, LOOKED_AT_MAX)) {
		if (longer > LONGER_CODES_MAX) break;
		looked++;
		const short = counted.ofValue(value);
		if (short === 0) continue;
		longer += counted.valuesWithPrefix(value);
		const rows = counted.withPrefix(value) - short;
		if (rows > 0) found.push({ value, rows });
	}
	const told = found.length > HINTED_MAX ? HINTED_MAX - 1 : HINTED_MAX;
	const hints = found.slice(0, told).map(({ value, rows }): Hint => {
		const message = `${rowsText(rows)} more in ${where} ${rows === 1 ? "has a code" : "have codes"} that begin${rows === 1 ? "s" : ""} with ${value}: postal_prefix ${value} has them all`;
		return { param, value, message, nearest: [] };
	});
	const rest = found.slice(told);
	if (rest.length > 0) {
		const rows = rest.reduce((sum, each) => sum + each.rows, 0);
		const message =
			`${groupDigits(rest.length)} more of the values of ${param} begin codes of ${rowsText(rows)} more in ${where} ` +
			`together: ${namesOf(rest)}; postal_prefix takes them one by one`;
		hints.push({ param, value: "", message, nearest: [] });
	}
	return withUnlooked(hints, param, codes.length - looked, "longer codes");
}
