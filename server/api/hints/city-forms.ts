/**
 * Other ways in which rosters write a city: its words short or long (`N HAVEN`, `Mt. Prospect`, `Arlington Hts`), with
 * the state after it (`New Haven CT`, `Milford, CT 06460, USA`), or a short name that everybody knows (`NYC`).
 */

import type { Snapshot } from "../../../engine/index.js";
import { findJurisdiction, fold, JURISDICTIONS } from "../../../formats/index.js";

type Spellings = Snapshot["spellings"];
type Words = ReadonlyMap<string, readonly string[]>;

/** Each of some words with the others that are written for it. */
function interchangeable(groups: readonly string[]): Words {
	return new Map(
		groups.flatMap((group) => {
			const words = group.split(" ");
			return words.map((word) => [word, words.filter((other) => other !== word)] as const);
		}),
	);
}

/** Words that are written short and long, at the beginning of a name of two words or more. */
const FIRST_WORDS = interchangeable(["n no north", "s so south", "e east", "w west"]);
/** The same, anywhere but at the end. */
const WORDS = interchangeable(["st saint", "ste sainte", "ft fort", "mt mount"]);
/** The same, at the end of a name of two words or more. */
const LAST_WORDS = interchangeable(
	"hts heights,pk park,ctr center,jct junction,spgs springs,vlg village".split(","),
);

/** Short names of cities that have no letters or words in common with the name itself. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
	["nyc", "New York"],
	["la", "Los Angeles"],
	["sf", "San Francisco"],
	["philly", "Philadelphia"],
	["okc", "Oklahoma City"],
	["slc", "Salt Lake City"],
	["mtl", "Montréal"],
]);

/** Maximum ways in which one name is written; three of its words written short make eight. */
const WAYS_MAX = 12;
/** Maximum words of a name with other ways. */
const WORDS_MAX = 6;

/** A code of a state after a city's name, without a comma between them. */
const CITY_AND_CODE = /^(.*\S)\s+(\p{L}{2})$/u;
/** A ZIP code, or a country, at the end. */
const AFTER_STATE = /(?:[,\s]+(?:\d{5}(?:-?\d{4})?|usa?))+$/i;
/** What follows a city's name in its cell, of which the first group is the state. */
const REST = /^[,\s]*([^,\d]*?)[,.\s]*(?:\d{5}(?:-?\d{4})?)?[,\s]*(?:usa?)?\s*$/i;
/** Values that go on after a name and a space, of which each is read. */
const CONTINUED_MAX = 64;
/** Those after a name and a comma. */
const AFTER_COMMA_MAX = 1_000;

/** Forms of a city's name to look for: of a short name the whole one; without the state after it, as given, its words short or long, without "City". */
export function cityForms(value: string): string[] {
	const name = cityAlone(value);
	const whole = SHORT_NAMES.get(name.replaceAll(".", "").toLowerCase()) ?? name;
	const forms = [whole, name, value, ...otherWays(name), name.replace(/\s+city$/i, "")];
	return [...new Set(forms)].filter((form) => form !== "");
}

/** The codes of a month's cities that are other spellings of each, by code, as far as they were looked for. */
const listed = new WeakMap<Spellings, (readonly number[])[]>();

/** Cities that one step of {@link prepareCitySpellings} looks at: a tenth of a millisecond, ten times that on files not read before. */
const CITIES_A_STEP = 8;

/**
 * The cities of a snapshot that are `value` written otherwise, whoever has rows of them. Cost O(these) for a city that was looked
 * for before, else as of `Spellings.others` for each way.
 */
export function citySpellings({ spellings }: Pick<Snapshot, "spellings">, value: string): readonly string[] {
	const code = spellings.codeOf("member_city", value);
	if (code === -1) return findSpellings(spellings, value);
	return spellingsOf(spellings, value, code).map((each) => spellings.valueOf("member_city", each));
}

/** Whether {@link citySpellings} may find any. Cost likewise. */
export function hasCitySpellings({ spellings }: Pick<Snapshot, "spellings">, value: string): boolean {
	const code = spellings.codeOf("member_city", value);
	return code === -1 || spellingsOf(spellings, value, code).length > 0;
}

/** Looks for the spellings of every city of a month. Cost 15 us for each of them, and some ten bytes. */
export function* prepareCitySpellings({ spellings }: Pick<Snapshot, "spellings">): Generator<void, void> {
	for (let code = 0; code < spellings.distinct("member_city"); code++) {
		spellingsOf(spellings, spellings.valueOf("member_city", code), code);
		if (code % CITIES_A_STEP === 0) yield;
	}
}

function spellingsOf(spellings: Spellings, city: string, code: number): readonly number[] {
	let lists = listed.get(spellings);
	if (lists === undefined) {
		lists = new Array(spellings.distinct("member_city"));
		listed.set(spellings, lists);
	}
	lists[code] ??= findSpellings(spellings, city)
		.map((each) => spellings.codeOf("member_city", each))
		.filter((each) => each !== -1 && each !== code);
	return lists[code];
}

function findSpellings(spellings: Spellings, value: string): readonly string[] {
	const name = cityAlone(value);
	const ways = [...new Set([value, name, ...otherWays(name)])];
	const found = ways.flatMap((way) => spellings.others("member_city", way));
	return [...new Set([...found, name, ...withState(spellings, name)])];
}

/** A city's name with some of its words short in place of long, or long in place of short, in small letters. */
function otherWays(city: string): string[] {
	const words = city
		.toLowerCase()
		.split(/[\s.-]+/)
		.filter((word) => word !== "");
	if (words.length < 2 || words.length > WORDS_MAX) return [];
	let ways: readonly string[][] = [[]];
	words.forEach((word, i) => {
		const isLast = i === words.length - 1;
		const others = isLast
			? LAST_WORDS.get(word)
			: [...(WORDS.get(word) ?? []), ...((i === 0 && FIRST_WORDS.get(word)) || [])];
		ways = ways.flatMap((way) => [word, ...(others ?? [])].map((each) => [...way, each])).slice(0, WAYS_MAX);
	});
	return ways.slice(1).map((way) => way.join(" "));
}

/** The cities that are a name and what may follow it, such as the state and a ZIP code. */
function withState(spellings: Spellings, name: string): string[] {
	const folded = fold(name);
	const afterComma = spellings.startingWith("member_city", `${name},`, AFTER_COMMA_MAX) ?? [];
	const continued =
		spellings.startingWith("member_city", `${name} `, CONTINUED_MAX) ??
		JURISDICTIONS.flatMap(
			({ state }) => spellings.startingWith("member_city", `${name} ${state}`, CONTINUED_MAX) ?? [],
		);
	return [...afterComma, ...continued].filter((value) => {
		const rest = fold(value).slice(folded.length);
		const state = REST.exec(rest)?.[1].trim();
		// Without a comma, a state's name may be a part of the city's.
		return state !== undefined && (isCode(state) || (rest.startsWith(",") && isStateOrNone(state)));
	});
}

function isCode(text: string): boolean {
	return findJurisdiction(text.toUpperCase()) !== undefined;
}

function isStateOrNone(text: string): boolean {
	return text === "" || JURISDICTIONS.some(({ name }) => fold(name) === text);
}

/** A city's name without the state, ZIP code and country after it, whose words would match those of other cities. */
function cityAlone(value: string): string {
	const name = value.split(",", 1)[0].replace(AFTER_STATE, "").trim();
	const [, city, code] = CITY_AND_CODE.exec(name) ?? [];
	return city !== undefined && isCode(code) ? city : name;
}
