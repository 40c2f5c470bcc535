/**
 * The lookups that a free text stands for, in the order in which `search` tries them until one has rows: those of a list that
 * is asked for; by number, by a person's name, by an office's; then by these without a state's name at their end, within the
 * state; then by a name before a comma or the like; then by a name without titles, trades and words that only ask.
 *
 * Invariant: a lookup has no filter that would be refused, such as one on a column outside the grant.
 */

import {
	askedNameFault,
	FILTER_VALUES_MAX,
	findJurisdiction,
	nameCompounds,
	type StatusGroup,
} from "../../../formats/index.js";
import { ApiError, invalidParameter } from "../../api/errors.js";
import { ownWords } from "../../api/hints/near-names.js";
import type { Grant } from "../../api/scope/grant.js";
import { ASKING_WORDS, type FreeText, stateAtEnd, stateNamed } from "./free-text.js";
import type { ListText } from "./list-text.js";

/** The spellings of a city's name that rows may have. */
export type CitiesOf = (city: string) => readonly string[];

export type LookupFilters = Readonly<Record<string, string | readonly string[]>>;

/** A word of an office's name that no person is called by: of a person's name, offices that have a word of it are not meant. */
export const OFFICE_WORD =
	/&|\b(?:realty|realtors|estate|properties|homes|group|brokerage|agency|investments|company|inc|llc|ltd|llp|pllc|corp)\b/i;
/** Digits as of a year, a house or a ZIP code. */
const COMMON_NUMBER = /^(?:\d{3,5}|\d{5}-\d{4})$/;

/** Why `name` cannot be looked for, continuing `name`; null: it can. */
export function nameFault(name: string): string | null {
	return askedNameFault(nameCompounds(name));
}

/**
 * Filters of the lookups to try, each once; none where the text is a name of too many words alone, and the key does not read offices.
 * Throws ApiError where the text has nothing to look for.
 */
export function lookupsOf(
	text: FreeText,
	list: ListText | null,
	grant: Grant,
	citiesOf: CitiesOf,
): LookupFilters[] {
	// Washington may be a last name: a guess does not ask for a state, so it cannot be outside the grant.
	const guess = stateAtEnd(text);
	const within = guess !== null && mayRead(guess.state, grant) ? guess : null;
	const lookups = list === null ? [] : lookupsOfList(list, text, grant, citiesOf);
	lookups.push(...lookupsAsRead(text, grant));
	if (within !== null)
		lookups.push(...lookupsAsRead(within, grant), ...lookupsOfParts(within, grant, citiesOf));
	lookups.push(...lookupsOfParts(text, grant, citiesOf), ...lookupsOfOwnWords(within ?? text, grant));
	if (isBesideName(text, grant)) lookups.push(lookupOfNumber(text));
	if (lookups.length > 0 || (grant.reads("member_full_name") && text.words !== "")) return distinct(lookups);
	if (text.words !== "") throw new ApiError("scope_denied", "names are outside this key's columns", "query");
	throw invalidParameter("query", "query must name a person, an office or a license number");
}

/** A text may stand for the same lookup in several ways, as `Jane Smith; Texas` does, and each lookup is a request. */
function distinct(lookups: readonly LookupFilters[]): LookupFilters[] {
	return [...new Map(lookups.map((each) => [JSON.stringify(each), each])).values()];
}

function mayRead(state: string | null, grant: Grant): boolean {
	const country = findJurisdiction(state ?? "")?.country ?? "";
	return grant.reads("state") && grant.includesState(state ?? "", country);
}

/** The first of the words that is a state's name; its code in small letters may be any word. */
function stateAmong(words: readonly string[]): string | null {
	const states = words.map((each) => (each.length > 2 ? stateNamed(each) : null));
	return states.find((state) => state !== null) ?? null;
}

/** Those of a trade by name, with the trade and without it, or by city and state; none in a state that the key does not read. */
function lookupsOfList(
	list: ListText,
	{ typed }: FreeText,
	grant: Grant,
	citiesOf: CitiesOf,
): LookupFilters[] {
	const { groups, state, city, zip, name, statuses, mayBeOffice } = list;
	if (OFFICE_WORD.test(`${city} ${name}`) || (state !== null && !mayRead(state, grant))) return [];
	const place: LookupFilters = state === null ? {} : { state: [state] };
	const within: LookupFilters = {
		...place,
		...(city === "" ? {} : { city: citiesOf(city) }),
		...(zip === "" ? {} : { postal_prefix: zip }),
	};
	const reads =
		grant.reads("member_type_group") &&
		(city === "" || grant.reads("member_city")) &&
		(zip === "" || grant.reads("member_postal_code"));
	if (!reads || (name !== "" && !isName(name, grant))) return [];
	if (name !== "") {
		const named = [
			{ name, ...within, type_group: groups },
			{ name, ...within },
		];
		return named.flatMap((lookup) => ofStatuses(lookup, statuses, grant));
	}
	const office = mayBeOffice && grant.reads("office_name") ? [{ office_name: [typed], ...place }] : [];
	return [...office, ...ofStatuses({ ...within, type_group: groups }, statuses, grant)];
}

/**
 * A lookup within the statuses asked for. States that publish none have active licenses all the same, so that then rows without a
 * status are looked for; of no other status may a row be taken to be.
 */
function ofStatuses(lookup: LookupFilters, statuses: readonly StatusGroup[], grant: Grant): LookupFilters[] {
	if (statuses.length === 0) return [lookup];
	const mayBeAny = statuses.includes("active");
	if (!grant.reads("license_status_group")) return mayBeAny ? [lookup] : [];
	const of = { ...lookup, status_group: statuses };
	return mayBeAny ? [of, { ...lookup, missing: "license_status_group" }] : [of];
}

function lookupsAsRead(text: FreeText, grant: Grant): LookupFilters[] {
	const { state, number, words, typed } = text;
	const place: LookupFilters = state === null ? {} : { state: [state] };
	const lookups: LookupFilters[] = [];
	if (number !== null)
		lookups.push({ ...lookupOfNumber(text), ...(isBesideName(text, grant) ? { name: words } : {}) });
	if (words !== "" && isName(words, grant)) lookups.push({ name: words, ...place });
	if (words !== "" && grant.reads("office_name"))
		lookups.push({ office_name: [...new Set([typed, words])], ...place });
	return lookups;
}

function lookupOfNumber({ state, number }: FreeText): LookupFilters {
	return { license_number: number ?? "", ...(state === null ? {} : { state: [state] }) };
}

/**
 * Whether the number may be a year, of an address, or a ZIP code, since a person is named beside it: then it is looked for with
 * the name, and alone at last, or a stranger whose license has this number is found.
 */
function isBesideName({ number, words, typed }: FreeText, grant: Grant): boolean {
	if (number === null || !COMMON_NUMBER.test(number) || OFFICE_WORD.test(typed)) return false;
	return ownWords(words).length > 1 && isName(words, grant);
}

/** Whether the key may look for `name`. */
function isName(name: string, grant: Grant): boolean {
	return grant.reads("member_full_name") && nameFault(name) === null;
}

/** Cities among the words after a name that are looked for. */
const CITIES_MAX = 10;

/**
 * Lookups by the name alone where other words are parted from it: with a city among these, then within a state among these, then
 * without.
 */
function lookupsOfParts(
	{ state, parted, typed }: FreeText,
	grant: Grant,
	citiesOf: CitiesOf,
): LookupFilters[] {
	if (parted === null) return [];
	const { name, others } = parted;
	const place: LookupFilters = state === null ? {} : { state: [state] };
	const lookups: LookupFilters[] = [];
	if (isName(name, grant)) {
		const city = [...new Set(others.slice(0, CITIES_MAX).flatMap(citiesOf))].slice(0, FILTER_VALUES_MAX);
		if (city.length > 0 && grant.reads("member_city")) lookups.push({ name, city, ...place });
		const among = state === null ? stateAmong(others) : null;
		if (among !== null && mayRead(among, grant)) lookups.push({ name, state: [among] });
		lookups.push({ name, ...place });
	}
	// An office's name may have a comma itself.
	const office = [...new Set([name, typed.replace(/\s*,[^,]*$/, "")])];
	if (grant.reads("office_name")) lookups.push({ office_name: office, ...place });
	return lookups;
}

/** The lookup of a person without titles, suffixes, trades, initials and words that only ask, where the name has such. */
function lookupsOfOwnWords({ state, parted, words }: FreeText, grant: Grant): LookupFilters[] {
	const name = parted?.name ?? words;
	const own = ownWords(name)
		.filter((word) => !ASKING_WORDS.has(word.toLowerCase()))
		.join(" ");
	if (!own.includes(" ") || own === name || !isName(own, grant)) return [];
	return [{ name: own, ...(state === null ? {} : { state: [state] }) }];
}

/** A city's name as it is given, in capitals, and with a capital in front of each word. */
export function capitalizations(city: string): string[] {
	const lower = city.toLowerCase();
	return [city, city.toUpperCase(), lower.replaceAll(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase())];
}
