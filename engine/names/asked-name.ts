/**
 * A name in a query, as plain data: its compounds, and what matches each of their words.
 *
 * A row matches if every compound does: either the compound written as one word, or each of its parts. A word
 * matches a word of the row's name that is equal to it, that starts with it if it is the last word or a single
 * letter, that is another form of the same first name, or that is within its edit distance.
 */

import { askedNameFault, countNameWords, editDistance, nameCompounds } from "../../formats/index.js";
import { EngineError } from "../errors.js";
import { nicknamesOf } from "./nicknames.js";

/** How a word matched, closest first. */
export const NAME_MATCHES = ["exact", "prefix", "nickname", "initial", "edit"] as const;
export type NameMatch = (typeof NAME_MATCHES)[number];

/**
 * Cost of each kind of match in the ranking. Two close matches rank before an exact one and a distant one.
 * Chosen by hand on generated misspellings; changing them changes only the order of answers.
 */
export const MATCH_COST = { exact: 0, prefix: 2, nickname: 3, initial: 3, edit: [0, 4, 7] } as const;

/**
 * Added to the cost of a name in which different words of the query have to share a word: more than all of the at most 12
 * words of any other name cost, so that those names come last.
 */
export const SHARED_WORD_COST = 100;

export interface AskedWord {
	/** Under the loose fold. */
	readonly text: string;
	readonly points: readonly number[];
	/** Whether words that start with it match: true for the last word. */
	readonly isPrefix: boolean;
	/** Maximum edit distance of a match. */
	readonly edits: 0 | 1 | 2;
	readonly nicknames: ReadonlySet<string>;
}

export interface AskedCompound {
	readonly parts: readonly AskedWord[];
	/** The joined parts; null if there is one part. */
	readonly whole: AskedWord | null;
}

export interface AskedName {
	readonly compounds: readonly AskedCompound[];
	/** Number of words as those of stored names are counted: without suffixes such as Jr. */
	readonly words: number;
}

/** Parses `text`. Throws {@link EngineError} `bad_name` if it has no words, too many, or too long ones. */
export function askedName(text: string): AskedName {
	const compounds = nameCompounds(text);
	const fault = askedNameFault(compounds);
	if (fault !== null) throw new EngineError("bad_name", `name ${fault}`);
	const asked = compounds.map((parts, i) => {
		const isLast = i === compounds.length - 1;
		return {
			parts: parts.map((part, j) => askedWord(part, isLast && j === parts.length - 1)),
			whole: parts.length === 1 ? null : askedWord(parts.join(""), isLast),
		};
	});
	return { compounds: asked, words: countNameWords(compounds) };
}

function askedWord(text: string, isPrefix: boolean): AskedWord {
	const points = Array.from(text, (character) => character.codePointAt(0) as number);
	const edits = points.length < 4 ? 0 : points.length < 8 ? 1 : 2;
	return { text, points, isPrefix, edits, nicknames: nicknamesOf(text) };
}

/** How a word of the query matches a word of a name, and the cost; null if it does not match. Cost O(letters). */
export function matchWord(
	asked: AskedWord,
	word: string,
): { readonly by: NameMatch; readonly cost: number } | null {
	if (word === asked.text) return { by: "exact", cost: MATCH_COST.exact };
	if (asked.isPrefix && word.startsWith(asked.text)) return { by: "prefix", cost: MATCH_COST.prefix };
	if (asked.nicknames.has(word)) return { by: "nickname", cost: MATCH_COST.nickname };
	if (asked.points.length === 1 && word.startsWith(asked.text))
		return { by: "initial", cost: MATCH_COST.initial };
	if (asked.edits === 0) return null;
	const points = Array.from(word, (character) => character.codePointAt(0) as number);
	const distance = editDistance(asked.points, points, 0, points.length, asked.edits);
	return distance > asked.edits ? null : { by: "edit", cost: MATCH_COST.edit[distance] };
}
