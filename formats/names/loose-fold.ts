/**
 * The loose fold: the rule by which names compare where people spell them differently. Compatibility
 * decomposition (NFKD), marks dropped, lower case; apostrophes, dots and hyphens dropped. So Núñez, NUNEZ
 * and Nunez fold alike, and O’Brien and obrien.
 *
 * Final sigma folds as sigma, since a dropped mark or a cut prefix must not change it. Like the fold, it
 * goes by the pinned tables of Unicode.
 */

import { lowerCased } from "../unicode/lower-case.js";
import { compatibilityDecomposed } from "../unicode/normalize.js";
import { unicodeTables } from "../unicode/tables.js";

/** Apostrophes and what is typed for them, dots, and characters that are not seen. */
const DROPPED = /['`´’‘‛ʹʻʼʽ′＇.․．\u00ad\u200b-\u200d\u2060\ufeff]/g;
const HYPHENS = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g;

/** What is left of ASCII once apostrophes, dots and hyphens are dropped. */
const SEPARATORS =
	/[^a-z0-9\u{c0}-\u{10ffff}]|[×÷\u{2000}-\u{206f}\u{20a0}-\u{20cf}\u{2190}-\u{2bff}\u{3000}-\u{303f}\u{d800}-\u{dfff}\u{fffd}]/gu;

/** `text` loosely folded but for its hyphens, each written "-". Cost O(length). */
export function looseFoldWithHyphens(text: string): string {
	const plain = text.replace(DROPPED, "");
	if (isAsciiText(plain)) return plain.toLowerCase();
	const { marks } = unicodeTables;
	const withoutMarks = (points: readonly number[]) => points.filter((point) => !marks.has(point));
	const letters = withoutMarks(compatibilityDecomposed(plain.replace(HYPHENS, "-")));
	// The lower case of some letters has marks of its own: i with dot above.
	const lower = withoutMarks(compatibilityDecomposed(lowerCased(letters).replaceAll("ς", "σ")));
	return String.fromCodePoint(...lower).replace(DROPPED, "");
}

/** The words of `text` under the loose fold: what letters and digits are left between anything else. Cost O(length). */
export function looseWords(text: string): string[] {
	return wordsBetween(looseFoldWithHyphens(text).replaceAll("-", ""));
}

/** What of a folded text lies between separators. */
export function wordsBetween(folded: string): string[] {
	return folded
		.replace(SEPARATORS, " ")
		.split(" ")
		.filter((word) => word !== "");
}

/** One key for texts that differ in case, marks, punctuation or spaces: all words of `text` written as one. */
export function looseKey(text: string): string {
	return looseWords(text).join("");
}

function isAsciiText(text: string): boolean {
	for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0x80) return false;
	return true;
}
