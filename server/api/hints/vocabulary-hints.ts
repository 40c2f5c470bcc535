/**
 * Hints for a status or a type in the words of some licensing bodies: rows that have the same word in other letters or a longer
 * one that begins with it, and states that have other words of the same meaning alone. A filter on the given words leaves these rows out; one that leaves
 * the given words out keeps them.
 */

import type { Filters } from "../../../engine/index.js";
import { quoted, UNMAPPED_GROUP } from "../../../formats/index.js";
import {
	addHints,
	type Hint,
	type HintSource,
	isInPlace,
	listOf,
	mayMention,
	NEAREST_MAX,
	nameOf,
	placeOf,
} from "./hint.js";
import { HintCache } from "./hint-cache.js";
import { mostRowsFirst } from "./rows-by-value.js";
import { type Wording, type WordingState, type Wordings, wordingsOf } from "./vocabulary-words.js";
import { firstOf, groupsInstead, rowsHave, rowsOf, statesText } from "./wording.js";

/** The filters on words, with the filter on their groups. */
const WORDED = [
	{
		param: "license_status",
		not: "status_not",
		column: "member_license_status",
		grouped: "status_group",
		groupColumn: "license_status_group",
	},
	{
		param: "member_type",
		not: "type_not",
		column: "member_type",
		grouped: "type_group",
		groupColumn: "member_type_group",
	},
] as const;

type Worded = (typeof WORDED)[number];

const NONE: readonly never[] = [];

/** A few dozen words, each under the states that are asked for with it. */
const cache = new HintCache(512);

/** Maximum words in `nearest` of a hint on what remains. */
const WORDS_MAX = 20;

/**
 * Cost O(words of all states), some hundred; of one state O(values), unless it has a word in several spellings. O(1) for
 * cached hints, and once for a vocabulary some hundred times as much.
 */
export function wordingHints(filters: Filters, source: HintSource): Hint[] {
	if (filters.license_status === undefined && filters.member_type === undefined) return [];
	const hints: Hint[] = [];
	for (const worded of WORDED) {
		const given = filters[worded.param];
		if (given !== undefined) addHints(hints, hintsOnWords(worded, listOf(given), filters, source));
	}
	return hints;
}

function hintsOnWords(
	worded: Worded,
	values: readonly string[],
	filters: Filters,
	source: HintSource,
): readonly Hint[] {
	const { param, grouped } = worded;
	const hasGroups = filters[grouped] !== undefined;
	// Rows of the one state match, and those of other words are no words of other states; or states are not to be named.
	const hidesStates = !mayMention(source, "state");
	const isSpelledOnly = filters.state?.length === 1 || hasGroups || hidesStates;
	if (isSpelledOnly && !hasSimilar(values, wordingsFor(worded, source))) return NONE;
	const name = nameOf(param, source);
	return cache.get(source, hasGroups ? `${name} ${grouped}` : name, values, filters, () => {
		const wordings = wordingsFor(worded, source);
		const found = findWords(values, filters, wordings);
		return [
			...spellingHintsOf(name, found, filters, source),
			...(hasGroups ? [] : longerWordsHints(worded, name, found, wordings, filters, source)),
			...(isSpelledOnly ? [] : otherWordsHints(worded, name, found, filters, source)),
		];
	});
}

/**
 * For a status or a type that is excluded: how many rows have it in other letters, or other words of the same meaning, which
 * are not excluded. None with a filter on groups. Cost as of {@link wordingHints} of several states.
 */
export function excludedWordingHints(filters: Filters, source: HintSource): Hint[] {
	if (filters.status_not === undefined && filters.type_not === undefined) return [];
	return WORDED.flatMap((worded) => {
		const { not, grouped } = worded;
		const given = filters[not];
		if (given === undefined || filters[grouped] !== undefined) return [];
		const values = listOf(given);
		const name = nameOf(not, source);
		return cache.get(source, name, values, filters, () => {
			const wordings = wordingsFor(worded, source);
			return excludedHintsOf(worded, name, findWords(values, filters, wordings), filters, source);
		});
	});
}

/** Whether one of the values has other spellings, or longer words begin with it. */
function hasSimilar(values: readonly string[], { spellings, longer }: Wordings): boolean {
	return values.some((value) => spellings.has(value) || longer.has(value));
}

function wordingsFor({ column, param }: Worded, { snapshot, geography, stats }: HintSource): Wordings {
	return wordingsOf(column, stats.of(snapshot, geography)[param]);
}

/** Words of a vocabulary that rows of the states and country asked for have. */
interface FoundWords {
	/** Those of the given ones. */
	readonly own: readonly Wording[];
	/** What they mean; null among these: not known. */
	readonly groups: ReadonlySet<string | null>;
	/** Other spellings of {@link own} that were not given. */
	readonly spellings: ReadonlySet<Wording>;
	/** All that are neither. */
	readonly others: readonly Wording[];
}

function findWords(values: readonly string[], filters: Filters, { words, spellings }: Wordings): FoundWords {
	const asked = new Set(values);
	const inPlace = words.filter(({ states }) => states.some(({ state }) => isInPlace(state, filters)));
	const own = inPlace.filter(({ value }) => asked.has(value));
	const spelled = new Set(own.flatMap(({ value }) => spellings.get(value) ?? []));
	const isOther = ({ value }: Wording) => !asked.has(value);
	const groups = own.flatMap(({ states }) =>
		states.filter(({ state }) => isInPlace(state, filters)).map(({ group }) => group),
	);
	return {
		own,
		groups: new Set(groups),
		spellings: new Set([...spelled].filter(isOther)),
		others: inPlace.filter((word) => isOther(word) && !spelled.has(word)),
	};
}

/** Rows by word and by state. */
class CountedWords {
	readonly words = new Map<string, number>();
	readonly states = new Set<string>();
	/** What a word means in one of its states, by the word. */
	readonly groups = new Map<string, string | null>();
	rows = 0;

	add({ value }: Wording, { state, rows, group }: WordingState): void {
		this.groups.set(value, group);
		this.states.add(state);
		this.words.set(value, (this.words.get(value) ?? 0) + rows);
		this.rows += rows;
	}

	/** The words, most rows first. */
	byRows(): string[] {
		return mostRowsFirst(this.words);
	}
}

/** Counts rows of `words` in the states and country asked for, of those that `isCounted`. */
function count(
	words: Iterable<Wording>,
	filters: Filters,
	isCounted: (state: WordingState, word: Wording) => boolean = () => true,
): CountedWords {
	const counted = new CountedWords();
	for (const word of words)
		for (const state of word.states)
			if (isInPlace(state.state, filters) && isCounted(state, word)) counted.add(word, state);
	return counted;
}

/** Of rows that have the words in other letters. */
function spellingHintsOf(
	param: string,
	{ own, spellings }: FoundWords,
	filters: Filters,
	source: HintSource,
): Hint[] {
	const found = count(spellings, filters);
	if (found.rows === 0) return [];
	const where = mayMention(source, "state")
		? `of ${statesText([...found.states].sort())}`
		: `in ${rowsOf(filters, source.geography)}`;
	const nearest = found.byRows().slice(0, NEAREST_MAX);
	const message =
		`${rowsHave(found.rows, where)} ${param} ` +
		`${nearest.map(quoted).join(", ")}: matching is exact, so give each of these too`;
	return [{ param, value: valuesOf(own), message, nearest }];
}

/** Of longer words that begin with a given one, in states that have it: what the words mean is told where it is something else. */
function longerWordsHints(
	{ grouped, groupColumn }: Worded,
	param: string,
	{ own, groups, others }: FoundWords,
	{ longer }: Wordings,
	filters: Filters,
	source: HintSource,
): Hint[] {
	const meant = new Set(own.flatMap(({ value }) => longer.get(value) ?? []));
	const having = new Set(own.flatMap(({ states }) => states.map(({ state }) => state)));
	const hidesStates = !mayMention(source, "state");
	const found = count(
		others.filter((word) => meant.has(word)),
		filters,
		({ state }) => hidesStates || having.has(state),
	);
	if (found.rows === 0) return [];
	const values = found.byRows();
	const texts = values.map((value) => {
		const group = mayMention(source, groupColumn) ? (found.groups.get(value) ?? null) : null;
		return `${quoted(value)}${group === null || groups.has(group) ? "" : ` (${grouped} ${group})`}`;
	});
	const where = hidesStates
		? `in ${rowsOf(filters, source.geography)}`
		: `of ${statesText([...found.states].sort())}`;
	const message =
		`${rowsHave(found.rows, where)} a longer ${param}: ${firstOf(texts, NEAREST_MAX)}; ` +
		"matching is exact, so give these too where they are meant";
	return [{ param, value: valuesOf(own), message, nearest: values.slice(0, NEAREST_MAX) }];
}

/** Of states whose rows have other words of the same meaning alone. */
function otherWordsHints(
	{ grouped, groupColumn }: Worded,
	param: string,
	{ own, groups, others, spellings }: FoundWords,
	filters: Filters,
	source: HintSource,
): Hint[] {
	const having = new Set([...own, ...spellings].flatMap(({ states }) => states.map(({ state }) => state)));
	const left = count(
		others,
		filters,
		({ state, group }) => group !== null && groups.has(group) && !having.has(state),
	);
	if (left.rows === 0) return [];
	const [group] = groups.size === 1 && mayMention(source, groupColumn) ? groups : [null];
	const all = group === null ? "give these too" : `${grouped} ${group} has all that mean it`;
	const message =
		`no row of ${statesText([...left.states].sort())} has ${param} ${own.map(({ value }) => quoted(value)).join(" or ")}, ` +
		`and ${rowsHave(left.rows, "there")} other words of that meaning: each state has its own; ${all}`;
	return [{ param, value: valuesOf(own), message, nearest: left.byRows().slice(0, NEAREST_MAX) }];
}

/** For an exclusion: rows that it does not exclude, with the words in other letters or others that mean the same. */
function excludedHintsOf(
	worded: Worded,
	param: string,
	{ own, groups, spellings, others }: FoundWords,
	filters: Filters,
	source: HintSource,
): Hint[] {
	const kept = count(
		[...spellings, ...others],
		filters,
		({ group }, word) => spellings.has(word) || (group !== null && groups.has(group)),
	);
	if (kept.rows === 0) return [];
	const words = kept.byRows();
	const message =
		`${rowsHave(kept.rows, `in ${rowsOf(filters, source.geography)}`)} other words or letters of that meaning, which ${param} keeps: ` +
		`${firstOf(words.map(quoted), NEAREST_MAX)}; give these too` +
		insteadText(worded, otherGroups(others, groups, filters), filters, source);
	return [{ param, value: valuesOf(own), message, nearest: words.slice(0, WORDS_MAX) }];
}

/** The groups to filter by instead, and how many rows without a group these exclude, which the filter on words does not. */
function insteadText(
	{ not, grouped, groupColumn }: Worded,
	rest: readonly string[],
	filters: Filters,
	source: HintSource,
): string {
	if (rest.length === 0 || !mayMention(source, groupColumn)) return "";
	const { snapshot, geography } = source;
	const ungrouped = { ...placeOf(filters), [not]: filters[not], missing: [groupColumn] };
	const rows = snapshot.count(ungrouped, geography);
	return `, or ${groupsInstead(grouped, rest, rows)}`;
}

/** What `others` mean beside `groups`, most rows first; none where a word of no known meaning, as all of `other`, is among these. */
function otherGroups(
	others: readonly Wording[],
	groups: ReadonlySet<string | null>,
	filters: Filters,
): string[] {
	if (groups.has(null)) return [];
	const rowsOfGroup = new Map<string, number>();
	for (const { states } of others) {
		for (const each of states) {
			const group = each.group ?? UNMAPPED_GROUP;
			if (groups.has(group) || !isInPlace(each.state, filters)) continue;
			rowsOfGroup.set(group, (rowsOfGroup.get(group) ?? 0) + each.rows);
		}
	}
	return mostRowsFirst(rowsOfGroup);
}

function valuesOf(words: readonly Wording[]): string {
	return words.map(({ value }) => value).join(", ");
}
