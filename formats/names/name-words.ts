/**
 * The words of a person's name, of names that are stored and of names that are asked for.
 *
 * A name is read as compounds: words that people also write as one. A compound is a hyphenated word
 * (Smith-Jones), or particles with the word after them (De La Cruz, Van der Berg, Mc Donald), or, mostly, a
 * single word. A stored name has as its words the parts of its compounds and each compound as one word. A
 * comma ends a compound, as in `LAST, FIRST`.
 */

import { looseFoldWithHyphens, wordsBetween } from "./loose-fold.js";

/** Words that belong to the word after them. */
const PARTICLES: ReadonlySet<string> = new Set(
	(
		"af al am av bin da dal das de del dela della den der des di do dos du el ibn la las le les lo los " +
		"mac mc o san santa st ste ten ter van ver von zu zum zur"
	).split(" "),
);

/** Words that may also be written as one; at least one, none empty. */
export type Compound = readonly string[];

/** The compounds of a name, in order. Cost O(length). */
export function nameCompounds(text: string): Compound[] {
	const folded = looseFoldWithHyphens(text);
	return folded.split(",").flatMap(compoundsOf);
}

function compoundsOf(phrase: string): Compound[] {
	const compounds: string[][] = [];
	let open: string[] | null = null;
	for (const hyphenated of phrase.split(/\s+/)) {
		const parts = hyphenated.split("-").flatMap(wordsBetween);
		if (parts.length === 0) continue;
		if (open === null) {
			open = [];
			compounds.push(open);
		}
		open.push(...parts);
		if (!PARTICLES.has(parts[parts.length - 1])) open = null;
	}
	return compounds;
}

/** Words after a name that are no part of it: they do not count among its words. */
const SUFFIXES: ReadonlySet<string> = new Set(["jr", "sr", "ii", "iii", "iv"]);

/** The words that are read otherwise than others; all are ASCII letters. */
export const SPECIAL_NAME_WORDS: readonly string[] = [...PARTICLES, ...SUFFIXES];

/** The number of words of a name, suffixes left out. */
export function countNameWords(compounds: readonly Compound[]): number {
	let count = 0;
	for (const compound of compounds) for (const part of compound) if (!SUFFIXES.has(part)) count++;
	return count;
}

/** Most words of a name that is asked for, and most letters (code points) of one. */
const ASKED_WORDS_MAX = 12;
const ASKED_LETTERS_MAX = 64;

/** What is wrong with a name that is asked for, to follow the parameter's name; null where nothing is. */
export function askedNameFault(compounds: readonly Compound[]): string | null {
	const words = compounds.flat();
	if (words.length === 0) return "must have a letter or a digit";
	if (words.length > ASKED_WORDS_MAX)
		return `must have at most ${ASKED_WORDS_MAX} words; got ${words.length}`;
	const letters = Math.max(...compounds.map((parts) => Array.from(parts.join("")).length));
	if (letters > ASKED_LETTERS_MAX)
		return `must have words of at most ${ASKED_LETTERS_MAX} letters; got ${letters}`;
	return null;
}

/** The distinct words that a stored name has: parts of its compounds, and compounds as one word. */
export function nameWords(compounds: readonly Compound[]): Set<string> {
	const words = new Set<string>();
	for (const compound of compounds) {
		for (const part of compound) words.add(part);
		if (compound.length > 1) words.add(compound.join(""));
	}
	return words;
}
