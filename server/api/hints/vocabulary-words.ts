/** The words that states have for statuses and types: what each means, and which differ in letter case or punctuation alone. */

import type { Stats } from "../../../engine/index.js";
import { groupOf, WORDINGS_MAX } from "./near-values.js";

/** Rows of a state that have a word. */
export interface WordingState {
	readonly state: string;
	readonly rows: number;
	/** What the word means there by the built-in table; null: that does not know. */
	readonly group: string | null;
}

/** A word of a vocabulary, with the states whose rows have it. */
export interface Wording {
	readonly value: string;
	readonly states: readonly WordingState[];
}

export interface Wordings {
	readonly words: readonly Wording[];
	/** By value, the words that differ from it in letter case or punctuation alone; none: there are no such. */
	readonly spellings: ReadonlyMap<string, readonly Wording[]>;
	/** By value, the words that begin with it in any letter case and go on after it; none: there are no such. */
	readonly longer: ReadonlyMap<string, readonly Wording[]>;
}

type Vocabulary = Stats["license_status"];

/** The words of vocabularies, which statistics keep as long as their snapshot. */
const prepared = new WeakMap<Vocabulary, Wordings>();

const NONE: Wordings = { words: [], spellings: new Map(), longer: new Map() };

/**
 * None of a vocabulary of more than {@link WORDINGS_MAX} words: that is another column mapped as this one, and some of its
 * words would tell too few rows. Cost O(words), once, then O(1).
 */
export function wordingsOf(
	column: "member_license_status" | "member_type",
	vocabulary: Vocabulary,
): Wordings {
	if (vocabulary.length > WORDINGS_MAX) return NONE;
	let wordings = prepared.get(vocabulary);
	if (wordings === undefined) {
		const words = vocabulary.map(({ value, states }) => ({
			value,
			states: Object.entries(states).map(([state, rows]) => ({
				state,
				rows,
				group: groupOf(column, value, [state]),
			})),
		}));
		wordings = { words, spellings: spellingsIn(words), longer: longerIn(words) };
		prepared.set(vocabulary, wordings);
	}
	return wordings;
}

function spellingsIn(words: readonly Wording[]): Map<string, readonly Wording[]> {
	const byLetters = new Map<string, Wording[]>();
	for (const word of words) {
		const letters = word.value.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
		const same = byLetters.get(letters);
		if (same === undefined) byLetters.set(letters, [word]);
		else if (letters !== "") same.push(word);
	}
	const spellings = new Map<string, readonly Wording[]>();
	for (const same of byLetters.values()) {
		if (same.length === 1) continue;
		for (const word of same)
			spellings.set(
				word.value,
				same.filter((other) => other !== word),
			);
	}
	return spellings;
}

/** Whether a text goes on with another word, as `Active (Probated)` does after `Active`, and `Actively` does not. */
const GOES_ON = /^[^\p{L}\p{N}]+[\p{L}\p{N}]/u;

/** Cost O(words × words that begin alike). */
function longerIn(words: readonly Wording[]): Map<string, readonly Wording[]> {
	const folded = words
		.map((word) => ({ word, text: word.value.toLowerCase() }))
		.sort((a, b) => (a.text < b.text ? -1 : 1));
	const longer = new Map<string, readonly Wording[]>();
	for (const [i, { word, text }] of folded.entries()) {
		const found: Wording[] = [];
		for (let j = i + 1; j < folded.length && folded[j].text.startsWith(text); j++)
			if (GOES_ON.test(folded[j].text.slice(text.length))) found.push(folded[j].word);
		if (found.length > 0) longer.set(word.value, found);
	}
	return longer;
}
