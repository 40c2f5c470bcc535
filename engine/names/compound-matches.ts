/**
 * The compounds of a name in a query with the words of a snapshot's names that match each of their parts. Equal compounds, and
 * equal parts of one, are looked for once, and the matches of the words used last are cached: the hints of a name that no row
 * has ask for all of its words but one, for each of them.
 */

import { ASKED_WORDS_MAX, type NameIndex } from "../../formats/index.js";
import type { GrantedWords } from "../columns/grant-index.js";
import type { AskedCompound, AskedName, AskedWord } from "./asked-name.js";
import { WordMatches } from "./word-matches.js";

/** An asked word with the words that match it. */
export interface PartMatches {
	readonly matches: WordMatches;
	/** How often its compound has it. */
	readonly times: number;
	/** Number of its text among those of the query: a word that is given twice needs no second word of a name. */
	readonly text: number;
	/** Of the name at hand: bit i, whether its word i matches. */
	matched: number;
}

/** A necessary condition of a compound: the row has a word that matches one of its parts, or its whole. */
export interface Condition {
	readonly sources: readonly WordMatches[];
	/** Upper bound of the rows that meet it: a row is counted once for each word. */
	readonly rows: number;
}

/** Order of conditions, that with the fewest rows first. */
export function byRows(a: Condition, b: Condition): number {
	return a.rows - b.rows;
}

/** A compound with the words that match it. */
export interface CompoundMatches {
	readonly parts: readonly PartMatches[];
	readonly whole: PartMatches | null;
	/** How often the name has it: equal compounds are looked for once. */
	readonly times: number;
	/** A row matches if it meets all of these; the one with the fewest rows first. */
	readonly conditions: readonly Condition[];
	/** Of the name at hand: whether its parts match it at no higher cost than the whole. */
	isByParts: boolean;
}

/** Capacity of the cache in words, a byte each for each word of the index: more than one name has, each compound's whole among them. */
const CACHED_MAX = 2 * ASKED_WORDS_MAX;

/** The matches of a word. */
interface CachedMatches {
	readonly matches: WordMatches;
	/** By {@link textOfWord}. */
	word: string;
	granted: GrantedWords | null;
	/** Number of the name that used it last. */
	usedBy: number;
}

/** Matches compounds; reuses its memory from name to name. */
export class CompoundMatcher {
	private readonly cache: CachedMatches[] = [];
	/** Names so far. */
	private names = 0;

	constructor(private readonly index: NameIndex) {}

	/** The compounds of a name with their matches, which the next call replaces. `granted`: words that may be found; null: all. */
	match({ compounds }: AskedName, granted: GrantedWords | null): CompoundMatches[] {
		this.names++;
		const texts = new Map<string, number>();
		const matchesOf = (word: AskedWord, times: number): PartMatches => {
			const matches = this.matchesOfWord(word, granted);
			const text = texts.get(word.text) ?? texts.size;
			texts.set(word.text, text);
			return { matches, times, text, matched: 0 };
		};
		return counted(compounds, textOfCompound).map(([{ parts, whole }, times]) => {
			const partMatches = counted(parts, textOfWord).map(([part, partTimes]) => matchesOf(part, partTimes));
			const wholeMatches = whole === null ? null : matchesOf(whole, 1);
			const conditions = partMatches.map(({ matches }): Condition => {
				if (wholeMatches === null) return { sources: [matches], rows: matches.rows };
				return { sources: [wholeMatches.matches, matches], rows: wholeMatches.matches.rows + matches.rows };
			});
			return {
				parts: partMatches,
				whole: wholeMatches,
				times,
				conditions: conditions.sort(byRows),
				isByParts: true,
			};
		});
	}

	/** The matches of a word: cached, else in place of the least recently used. */
	private matchesOfWord(asked: AskedWord, granted: GrantedWords | null): WordMatches {
		const { cache, names } = this;
		const word = textOfWord(asked);
		const known = cache.find((each) => each.word === word && each.granted === granted);
		if (known !== undefined) {
			known.usedBy = names;
			return known.matches;
		}
		if (cache.length < CACHED_MAX) {
			const matches = new WordMatches(this.index);
			matches.find(asked, granted);
			cache.push({ matches, word, granted, usedBy: names });
			return matches;
		}
		const evicted = cache.reduce((a, b) => (b.usedBy < a.usedBy ? b : a));
		evicted.word = word;
		evicted.granted = granted;
		evicted.usedBy = names;
		evicted.matches.find(asked, granted);
		return evicted.matches;
	}
}

/** The items that differ by `textOf`, in the order of their first, each with how often it is given. */
function counted<T>(items: readonly T[], textOf: (item: T) => string): readonly (readonly [T, number])[] {
	const found = new Map<string, [T, number]>();
	for (const item of items) {
		const known = found.get(textOf(item));
		if (known === undefined) found.set(textOf(item), [item, 1]);
		else known[1]++;
	}
	return [...found.values()];
}

function textOfWord({ text, isPrefix }: AskedWord): string {
	return isPrefix ? `${text}*` : text;
}

function textOfCompound({ parts }: AskedCompound): string {
	return parts.map(textOfWord).join("-");
}
