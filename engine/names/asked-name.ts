/**
 * A name that is asked for, as plain data: its compounds, and of each word what counts as a match.
 *
 * A row matches where every compound does: by the compound written as one word, or by each of its parts. A
 * word matches a word of the row's name that is the same, that starts with it where it is the last word or
 * a single letter, that is another form of the same first name, or that is within its edit distance.
 */

import { askedNameFault, nameCompounds } from "../../formats/index.js";
import { EngineError } from "../errors.js";
import { editDistance } from "./edit-distance.js";
import { nicknamesOf } from "./nicknames.js";

/** How a word matched, the closest first. */
export const NAME_MATCHES = ["exact", "prefix", "nickname", "initial", "edit"] as const;
export type NameMatch = (typeof NAME_MATCHES)[number];

/**
 * What each way of matching costs in the ranking. Two close matches rank before one that is exact and one
 * that is far. Chosen by hand on generated misspellings; changing them changes the order of answers only.
 */
export const MATCH_COST = { exact: 0, prefix: 2, nickname: 3, initial: 3, edit: [0, 4, 7] } as const;

export interface AskedWord {
	/** Loosely folded. */
	readonly text: string;
	readonly points: readonly number[];
	/** Whether words that start with it match: it is the last word. */
	readonly isPrefix: boolean;
	/** Edits that a match may be away. */
	readonly edits: 0 | 1 | 2;
	readonly nicknames: ReadonlySet<string>;
}

export interface AskedCompound {
	readonly parts: readonly AskedWord[];
	/** The parts as one word; null where there is one part. */
	readonly whole: AskedWord | null;
}

export interface AskedName {
	readonly compounds: readonly AskedCompound[];
	/** Parts of all compounds. */
	readonly words: number;
}

/** What `text` asks for. Throws {@link EngineError} `bad_name` where it has no words, or too many or too long ones. */
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
	return { compounds: asked, words: compounds.flat().length };
}

function askedWord(text: string, isPrefix: boolean): AskedWord {
	const points = Array.from(text, (character) => character.codePointAt(0) as number);
	const edits = points.length < 4 ? 0 : points.length < 8 ? 1 : 2;
	return { text, points, isPrefix, edits, nicknames: nicknamesOf(text) };
}

/** How a word that is asked for matches a word of a name, and at what cost; null where it does not. Cost O(letters). */
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
