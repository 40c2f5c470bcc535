/**
 * People's names similar to one that no row has: those that match some of its words. Names are asked for as people
 * write them, with titles, trades, nicknames in parentheses and offices: `Bob (Robert) Smith Jr. - Acme Realty`.
 */

import { DEFAULT_QUERY } from "../../../engine/index.js";
import { askedNameFault, nameCompounds } from "../../../formats/index.js";
import { NAME_DESIGNATIONS, NAME_SUFFIXES } from "../../../formats/names/name-suffixes.js";
import { NAME_PARTICLES } from "../../../formats/names/name-words.js";
import { NEAREST_MAX } from "./hint.js";
import type { BoundedSource } from "./hint-work.js";

export interface NearNames {
	readonly nearest: readonly string[];
	/** The words of the name that no name has. */
	readonly unknown: readonly string[];
	/** The people named, each of whom rows have, where the name is of several. */
	readonly people: readonly string[];
}

/** Words that are written with a person's name and that rosters seldom have in it: titles, suffixes and trades. */
const AFFIXES: ReadonlySet<string> = new Set([
	..."mr mrs ms miss dr prof agent broker realtor salesperson".split(" "),
	...NAME_SUFFIXES,
]);

/** Words of trades and signs that are names, too, or only go with others: left out where two words remain. */
const TRADES: ReadonlySet<string> = new Set(
	(
		"the team group and of real estate realty associate associates managing manager principal designated sales " +
		"representative rep consultant advisor specialist owner record home inspector appraiser licensed license " +
		"licence lic number dre nmls trec courtier courtière immobilier immobilière agréé agréée résidentiel"
	).split(" "),
);

const AFTER_COMMA: ReadonlySet<string> = new Set(NAME_DESIGNATIONS);

/** Other names of a person beside the one that is asked for: `Robert (Bob) Smith`, `Robert "Bob" Smith`. */
const ASIDE = /\([^()]*\)|"[^"]*"|“[^”]*”|«[^»]*»/g;
/** What a person's name ends at on a card: the trade or the office follows. */
const NAME_END = /[,;|(@]|\s[-–—•·/&]\s|\s(?:in|at|of|with|from|chez|and|et)\s/i;
/** Digits of a license's number or a phone's. */
const NUMBER = /\d{3}/;

/**
 * Names that match all words but affixes, else those of the part of the words that fewest rows match, else of the first of
 * {@link beginningsAndPairs} that any row does, best match first; of none once the work is spent.
 */
export function nearNames(value: string, { snapshot, place, geography, work }: BoundedSource): NearNames {
	const words = wordsOf(value);
	if (words.length < 2) return { nearest: [], unknown: [], people: [] };
	const isUnknown = (word: string) =>
		!work.isSpent && isName(word) && !snapshot.hasName(word, place, geography);
	const unknown = words.filter(isUnknown);
	const matches = (name: string): string[] => {
		const query = { ...DEFAULT_QUERY, filters: { name, ...place }, sort: [], limit: NEAREST_MAX, geography };
		const rows = Array.from(snapshot.query(query).rows);
		return [...new Set(rows.map((row) => String(snapshot.value(row, "member_full_name"))))];
	};
	const own = ownWords(value);
	const plain = own.join(" ");
	const found = plain !== words.join(" ") && isName(plain) ? matches(plain) : [];
	if (found.length > 0) return { nearest: found, unknown, people: [] };
	const rowsWith = (name: string) => (work.isSpent ? 0 : snapshot.count({ name, ...place }, geography));
	const people = peopleIn(value).filter((name) => isName(name) && rowsWith(name) > 0);
	if (people.length > 1) {
		const each = Math.ceil(NEAREST_MAX / people.length);
		const names = new Set(people.flatMap((name) => matches(name).slice(0, each)));
		return { nearest: [...names].slice(0, NEAREST_MAX), unknown: [], people };
	}
	const asked = own.length > 1 ? own : words;
	const known = asked.filter((word) => !unknown.includes(word));
	const parts = new Set(
		[...withoutOne(asked), known, ownWords(value.split(NAME_END, 1)[0])].map((part) => part.join(" ")),
	);
	parts.delete(asked.join(" "));
	const rest = rarest(parts, rowsWith) ?? firstKnown(beginningsAndPairs(asked), rowsWith);
	return { nearest: rest === null ? [] : matches(rest), unknown, people: [] };
}

/** Between the people of a list. */
const BETWEEN_PEOPLE = /\s*[,;|/]\s*(?:(?:and|or)\s)?|\s+(?:and|or|&|et|ou|y|o)\s+/i;

/** The first {@link NEAREST_MAX} people of a list of names, those of `Bob and Mary Smith` with one last name; empty: it is no list. */
function peopleIn(value: string): string[] {
	const given = value.split(BETWEEN_PEOPLE, NEAREST_MAX);
	// An office or a trade after a person's name is nobody else.
	if (given.some((part) => wordsOf(part).some((word) => TRADES.has(lettersOf(word))))) return [];
	const parts = given.map(ownWords).filter((words) => words.length > 0);
	const last = parts.at(-1) ?? [];
	if (parts.length < 2 || last.length < 2) return [];
	return parts.map((words) => [...words, ...(words.length === 1 ? last.slice(-1) : [])].join(" "));
}

/**
 * What may be a name among more words, such as a city's without a comma: the first four, three and two of them, then each
 * two neighbours. Most have the name in front.
 */
function beginningsAndPairs(words: readonly string[]): string[] {
	const beginnings = [4, 3, 2]
		.filter((length) => length < words.length)
		.map((length) => words.slice(0, length));
	// The first two are a beginning.
	const pairs = words.slice(2).map((word, i) => [words[i + 1], word]);
	return words.length < 3 ? [] : [...beginnings, ...pairs].map((part) => part.join(" "));
}

/** The first name that a row matches; null: none is. */
function firstKnown(names: readonly string[], rowsWith: (name: string) => number): string | null {
	return names.find((name) => isName(name) && rowsWith(name) > 0) ?? null;
}

function wordsOf(text: string): string[] {
	return text.split(/[\s,]+/).filter((word) => word !== "");
}

/** The words of a name without asides, affixes and initials, and without trades and numbers where two words remain. */
export function ownWords(value: string): string[] {
	const text = value.replaceAll(ASIDE, " ");
	const [before, ...after] = text.split(",");
	const named = [
		...wordsOf(before),
		...wordsOf(after.join(",")).filter((word) => !AFTER_COMMA.has(lettersOf(word))),
	].filter((word) => !isAffix(word));
	const people = named.filter((word) => !TRADES.has(lettersOf(word)) && !NUMBER.test(word));
	return people.length > 1 ? people : named;
}

/** Whether a word of a name is an affix or an initial. */
function isAffix(word: string): boolean {
	const known = lettersOf(word);
	return AFFIXES.has(known) || known.replaceAll(/\P{L}/gu, "").length <= 1;
}

function lettersOf(word: string): string {
	return word.replaceAll(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}

/** The name that the fewest rows match, since rare words tell a person better; null: no row matches any. */
function rarest(names: Iterable<string>, rowsWith: (name: string) => number): string | null {
	let best: string | null = null;
	let fewest = Number.POSITIVE_INFINITY;
	for (const name of names) {
		const rows = isName(name) ? rowsWith(name) : 0;
		if (rows === 0 || rows >= fewest) continue;
		fewest = rows;
		best = name;
	}
	return best;
}

/** Maximum words of a name whose halves are left out, too: each is a query. */
const HALVED_WORDS_MAX = 4;

/** The words without each, and without each half of a hyphenated one. */
function withoutOne(words: readonly string[]): string[][] {
	const parts = withParticles(words);
	return parts.flatMap((part, at) => {
		const halves = parts.length > HALVED_WORDS_MAX ? [] : part.split("-").filter((half) => half !== part);
		return ["", ...halves].map((half) => parts.with(at, half).filter((each) => each !== ""));
	});
}

/** Words with the particles before them, as `De la Cruz`: a particle alone matches names that begin with it. */
function withParticles(words: readonly string[]): string[] {
	const parts: string[] = [];
	let isOpen = false;
	for (const word of words) {
		if (isOpen) parts[parts.length - 1] += ` ${word}`;
		else parts.push(word);
		isOpen = NAME_PARTICLES.has(word.toLowerCase());
	}
	return parts;
}

function isName(text: string): boolean {
	return askedNameFault(nameCompounds(text)) === null;
}
