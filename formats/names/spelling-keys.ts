/**
 * What spellings of one name have in common: two texts are spellings of one name where they share a key. They have the
 * same words in the same order under the loose fold, as `Montréal` and `Montreal` have and `St. Louis` and `ST LOUIS`,
 * or one is a word that the other writes as a compound, as `LaGrange` and `La Grange` are and `Remax` and `RE/MAX`.
 */

import { nameCompounds } from "./name-words.js";

/**
 * The keys of a text: its words, and of one compound also these as one word. None of a text without words, or in which a
 * compound repeats a word: it has no spellings but in letter case. Cost O(length).
 */
export function spellingKeys(text: string): string[] {
	const compounds = nameCompounds(text);
	if (compounds.length === 0 || compounds.some((parts) => new Set(parts).size < parts.length)) return [];
	const words = compounds.flat().join(" ");
	const [first] = compounds;
	return compounds.length === 1 && first.length > 1 ? [words, first.join("")] : [words];
}
