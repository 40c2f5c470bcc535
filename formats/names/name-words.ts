/**
 * The words of a person's name, for stored names and for names in a query.
 *
 * A name is a sequence of compounds: words that are also written as one. A compound is a hyphenated word
 * (Smith-Jones), particles with the word after them (De La Cruz, Van der Berg, Mc Donald) or, most often, a
 * single word. The words of a stored name are the parts of its compounds and each compound joined. A comma ends
 * a compound, as in `LAST, FIRST`.
 */

import { looseFoldWithHyphens, wordsBetween } from "./loose-fold.js";

/** Words that form a compound with the word after them. */
export const NAME_PARTICLES: ReadonlySet<string> = new Set(
	(
		"af al am av bin da dal das de del dela della den der des di do dos du el ibn la las le les lo los " +
		"mac mc o san santa st ste ten ter van ver von zu zum zur"
	).split(" "),
);

/** Words that may also be written as one; never empty. */
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
		if (!NAME_PARTICLES.has(parts[parts.length - 1])) open = null;
	}
	return compounds;
}

/** Words after a name that are not counted as part of it. Like particles, they are ASCII letters. */
export const UNCOUNTED_SUFFIXES: ReadonlySet<string> = new Set(["jr", "sr", "ii", "iii", "iv"]);

/** The number of words of a name without suffixes. */
export function countNameWords(compounds: readonly Compound[]): number {
	let count = 0;
	for (const compound of compounds) for (const part of compound) if (!UNCOUNTED_SUFFIXES.has(part)) count++;
	return count;
}

/** Maximum number of words of a name in a query, and of letters (code points) in one word. */
export const ASKED_WORDS_MAX = 12;
const ASKED_LETTERS_MAX = 64;

/** Why a name is not valid in a query, continuing the parameter's name; null if it is valid. */
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

/** The distinct words of a stored name: the parts of its compounds and each compound joined. */
export function nameWords(compounds: readonly Compound[]): Set<string> {
	const words = new Set<string>();
	for (const compound of compounds) {
		for (const part of compound) words.add(part);
		if (compound.length > 1) words.add(compound.join(""));
	}
	return words;
}
