/**
 * Guesses for messages: which name another is probably a misspelling of, and which delimiter a header line
 * probably has. Guesses never affect how a file is read.
 */

import { textDistance } from "../../formats/edit-distance.js";
import { OWN_WORDS } from "../../formats/parameters/nearest.js";

/** Maximum length of names compared. */
const NAME_MAX = 64;
/** Minimum share of words that two similar names have in common. */
const COMMON_SHARE = 0.6;

/** Words by their usual abbreviations; empty: an insignificant word. */
const WORDS: ReadonlyMap<string, string> = new Map(
	Object.entries({
		lic: "license",
		licence: "license",
		licensee: "license",
		no: "number",
		num: "number",
		nbr: "number",
		nr: "number",
		exp: "expires",
		expiry: "expires",
		expire: "expires",
		expiration: "expires",
		expired: "expires",
		issue: "issued",
		orig: "first",
		original: "first",
		zip: "postal",
		zipcode: "postal",
		postcode: "postal",
		addr: "address",
		street: "address",
		fname: "first name",
		lname: "last name",
		surname: "last name",
		sts: "status",
		stat: "status",
		tel: "phone",
		telephone: "phone",
		mail: "email",
		company: "office",
		firm: "office",
		brokerage: "office",
		st: "state",
		prov: "province",
		member: "",
		code: "",
		date: "",
		dt: "",
		the: "",
		of: "",
	}),
);

/** The words of a name, with abbreviations expanded. */
function wordsOf(name: string): ReadonlySet<string> {
	const words = name
		.slice(0, NAME_MAX)
		.replaceAll(/([a-z])([A-Z])/g, "$1 $2")
		.toLowerCase()
		.replaceAll("#", " number ")
		.replaceAll("e-mail", "email")
		.split(/[^\p{L}\p{N}]+/u)
		.flatMap((word) => (WORDS.get(word) ?? word).split(" "));
	return new Set(words.filter((word) => word !== ""));
}

/** The candidate that `name` is probably a misspelling of; null if none is near, or several equally. */
export function likelyName(name: string, candidates: readonly string[]): string | null {
	const words = wordsOf(name);
	const scored = candidates
		.map((candidate) => ({ candidate, share: likeness(words, wordsOf(candidate), name, candidate) }))
		.filter(({ share }) => share >= COMMON_SHARE)
		.sort((a, b) => b.share - a.share);
	if (scored.length === 0 || scored[1]?.share === scored[0].share) return null;
	return scored[0].candidate;
}

/** Share of common words; 0.95 for names that differ by a letter or two, 1 for those that differ by case alone. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>, nameA: string, nameB: string): number {
	for (const word of OWN_WORDS) if (a.has(word) !== b.has(word)) return 0;
	const [textA, textB] = [nameA, nameB].map((name) => name.slice(0, NAME_MAX).toLowerCase());
	if (textA === textB) return 1;
	const edits = textDistance(textA, textB);
	if (edits <= 2 && 4 * edits <= Math.min(textA.length, textB.length)) return 0.95;
	const common = [...a].filter((word) => b.has(word)).length;
	return common === 0 ? 0 : common / (a.size + b.size - common);
}

/** Spaces other than the usual one, accents apart from their letters, and characters without a width. */
const LOOKALIKES = /(?! )[\p{Zs}\p{Cf}\p{Mn}]/gu;

/**
 * `name` with escapes for what looks like a blank, like nothing, or like one letter with the one before it, as a map
 * file may have it: `License\\u00a0Number`.
 */
export function visibleName(name: string): string {
	return name.replaceAll(LOOKALIKES, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The delimiters that files have. */
export const DELIMITERS = [",", ";", "\t", "|"] as const;

/** Less common ones: punctuation that is not in names, and control characters, of which one is enough. */
const RARE_DELIMITERS: readonly string[] = "~^!@$%*+=:\\?<>{}[]`".split("");
const CONTROLS: readonly string[] = Array.from({ length: 0x1f }, (_, i) => String.fromCharCode(i + 1)).filter(
	(character) => !"\t\n\r".includes(character),
);

/** Whether a header line without a delimiter has words with several blanks between them. */
export function isFixedWidth(names: readonly string[]): boolean {
	return names.length === 1 && names[0].trim().split(/\s{2,}/).length > 2;
}

/**
 * The probable delimiter of a header line, if it is not the one by which `names` were split; null if the names
 * look right. `knows`: whether a name is known.
 */
export function likelyDelimiter(
	names: readonly string[],
	delimiter: string,
	knows: (name: string) => boolean,
): string | null {
	const line = names.join(delimiter);
	const candidates = [...DELIMITERS, ...RARE_DELIMITERS, ...CONTROLS];
	const counted = candidates
		.filter((each) => each !== delimiter)
		.map((each) => {
			const parts = line.split(each).map((part) => part.trim().replaceAll('"', ""));
			return { each, parts: parts.length, known: parts.filter(knows).length };
		});
	const [best] = counted.sort((a, b) => b.known - a.known || b.parts - a.parts);
	const known = names.filter((name) => knows(name.trim())).length;
	const partsMin = CONTROLS.includes(best.each) ? 2 : 3;
	const isBetter = best.known > known || (known === 0 && names.length === 1 && best.parts >= partsMin);
	return isBetter ? best.each : null;
}
