/**
 * The loose fold: how names are compared regardless of spelling variants. Compatibility decomposition (NFKD)
 * without marks, lower case, without apostrophes, dots and hyphens: Núñez, NUNEZ and Nunez have the same fold,
 * and so have O’Brien and obrien.
 *
 * Final sigma folds to sigma, since removing a mark or taking a prefix must not change the result. Like the fold,
 * it uses the pinned Unicode tables.
 */

import { lowerCased } from "../unicode/lower-case.js";
import { compatibilityDecomposed } from "../unicode/normalize.js";
import { unicodeTables } from "../unicode/tables.js";

/** Apostrophes and characters typed in their place, dots, and invisible characters. */
const DROPPED = /['`´’‘‛ʹʻʼʽ′＇.․．\u00ad\u200b-\u200d\u2060\ufeff]/g;
const HYPHENS = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g;

const NO_ASCII_WORD = /[^a-z0-9]+/g;

/** Separators in ASCII, after apostrophes, dots and hyphens are removed. */
const SEPARATORS =
	/[^a-z0-9\u{c0}-\u{10ffff}]|[×÷\u{2000}-\u{206f}\u{20a0}-\u{20cf}\u{2190}-\u{2bff}\u{3000}-\u{303f}\u{d800}-\u{dfff}\u{fffd}]/gu;

/** `text` under the loose fold, except that every hyphen is kept as "-". Cost O(length). */
export function looseFoldWithHyphens(text: string): string {
	const plain = text.replace(DROPPED, "");
	if (isAsciiText(plain)) return plain.toLowerCase();
	const { marks } = unicodeTables;
	const withoutMarks = (points: readonly number[]) => points.filter((point) => !marks.has(point));
	const letters = withoutMarks(compatibilityDecomposed(plain.replace(HYPHENS, "-")));
	// Lower-casing some letters adds marks, such as i with dot above.
	const lower = withoutMarks(compatibilityDecomposed(lowerCased(letters).replaceAll("ς", "σ")));
	return String.fromCodePoint(...lower).replace(DROPPED, "");
}

/** The words of `text` under the loose fold: maximal runs of letters and digits. Cost O(length). */
export function looseWords(text: string): string[] {
	return wordsBetween(looseFoldWithHyphens(text).replaceAll("-", ""));
}

/** The parts of a folded text between separators. */
export function wordsBetween(folded: string): string[] {
	return folded
		.replace(SEPARATORS, " ")
		.split(" ")
		.filter((word) => word !== "");
}

/** A key equal for texts that differ in case, marks, punctuation or spaces: the concatenated words of `text`. */
export function looseKey(text: string): string {
	// Of ASCII nothing is left but letters and digits, whichever words they are in.
	if (isAsciiText(text)) return text.toLowerCase().replace(NO_ASCII_WORD, "");
	return looseWords(text).join("");
}

function isAsciiText(text: string): boolean {
	for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0x80) return false;
	return true;
}
