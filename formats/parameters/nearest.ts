/** "Did you mean" suggestions by edit distance, in which a swap of adjacent letters is one edit. */

import { textDistance } from "../edit-distance.js";

/** Longest text compared: the cost is quadratic in the length. */
const COMPARED_LENGTH_MAX = 64;
const SHOWN_LENGTH_MAX = 60;

/** `value` quoted for a message, truncated if long. */
export function quoted(value: string): string {
	const characters = [...value];
	const shown =
		characters.length > SHOWN_LENGTH_MAX ? `${characters.slice(0, SHOWN_LENGTH_MAX).join("")}…` : value;
	return JSON.stringify(shown);
}

/**
 * Up to `count` of `candidates` by edit distance to `given`, nearest first, case-insensitive;
 * ties keep the order of the candidates. Excludes a candidate at a distance over half its length,
 * unless one is a prefix of the other.
 */
export function nearest(given: string, candidates: readonly string[], count: number): string[] {
	const wanted = given.slice(0, COMPARED_LENGTH_MAX).toLowerCase();
	return candidates
		.map((candidate) => {
			const text = candidate.slice(0, COMPARED_LENGTH_MAX).toLowerCase();
			const prefixes = wanted !== "" && (text.startsWith(wanted) || wanted.startsWith(text));
			const edits = textDistance(wanted, text);
			return { candidate, edits, near: prefixes || edits <= Math.max(text.length, wanted.length) / 2 };
		})
		.filter((c) => c.near)
		.sort((a, b) => a.edits - b.edits)
		.slice(0, count)
		.map((c) => c.candidate);
}

/** `; did you mean "x" or "y"?`, or "" for no name. */
export function suggested(names: readonly string[]): string {
	return names.length === 0 ? "" : `; did you mean ${names.map((name) => quoted(name)).join(" or ")}?`;
}

/** `; did you mean "x"?`, or "" if no candidate is near. */
export function didYouMean(given: string, allowed: readonly string[]): string {
	return suggested(nearest(given, allowed, 1));
}

/** Words an edit or two from a name that are no slip of it: a county is no country, and percent is not present. */
export const OWN_WORDS: ReadonlySet<string> = new Set(["county", "percent"]);

/** Words of parameters' names, beside those of the names allowed, that are no slip of another. */
const OTHER_WORDS: ReadonlySet<string> = new Set([...OWN_WORDS, "date", "form", "states"]);

/** Names that hold the words of one given, at most this many, are suggested. */
const SUGGESTED_NAMES_MAX = 3;

/**
 * As {@link didYouMean} for names of words joined by underscores, which mean something else once a word is
 * another: only a slip of the pen (an edit or two in a name at least three times as long, none of which turns one
 * word into another) is repaired, or names that hold every word given.
 */
export function didYouMeanName(given: string, allowed: readonly string[]): string {
	const wanted = given.slice(0, COMPARED_LENGTH_MAX).toLowerCase();
	if (OWN_WORDS.has(wanted)) return "";
	const words = wanted.split(/[_\s-]+/);
	const known = new Set(allowed.flatMap((name) => name.split("_")));
	const slips = allowed
		.map((name) => ({ name, edits: textDistance(wanted, name) }))
		.filter(({ name, edits }) => edits <= 2 && edits * 3 <= Math.min(name.length, wanted.length))
		.filter(({ name }) => !hasOtherWord(words, name.split("_"), known))
		.sort((a, b) => a.edits - b.edits);
	if (slips.length > 0) return suggested([slips[0].name]);
	const holders = allowed.filter((name) => words.every((word) => name.split("_").includes(word)));
	return suggested(holders.slice(0, SUGGESTED_NAMES_MAX));
}

/** Whether a word given stands for itself where `words` has another: `license_state` is no slip of `license_status`. */
function hasOtherWord(
	given: readonly string[],
	words: readonly string[],
	known: ReadonlySet<string>,
): boolean {
	if (given.length !== words.length) return false;
	return given.some((word, i) => word !== words[i] && (known.has(word) || OTHER_WORDS.has(word)));
}
