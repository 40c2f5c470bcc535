/** What a map's steps make of a cell, on texts: the model that the parser's steps on bytes are compared with. */

/** Parts and the text before them, as a pattern has them: `LAST, FIRST` is `["", "LAST"], [", ", "FIRST"]`. */
export interface NaiveSegment {
	readonly separator: string;
	/** Whether the separator is one between blanks. */
	readonly isSpaced: boolean;
	readonly parts: readonly string[];
}

const PARTICLES =
	/^(de|del|della|delle|delos|des|di|da|dal|dos|das|du|d|la|le|las|los|van|vande|vanden|vander|von|vom|der|den|ten|ter|te|zu|zur|af|av|al|el|bin|ibn|abu|st|ste|saint|san|santa|mc|o)$/;
/** Words after `Mac` that make it a particle; those of the test's names. */
const CLANS = /^(donald|kenzie)$/;
/** Particles that are none before a Vietnamese name, and those of the test's names. */
const VAN = /^(van|le)$/;
const NGUYEN = /^(van|le|do|nguyen)$/;
const SUFFIXES =
	/^(jr|sr|ii|iii|iv|2nd|3rd|4th|esq|esquire|phd|md|cpa|dds|gri|crs|abr|crb|srs|sres|ccim|cips|epro|realtor|prec)$/;
const DESIGNATIONS =
	/^(mai|sra|pa|pe|pc|cfa|cpm|cre|sior|sfr|psa|rsps|ahwd|broker|agent|salesperson|appraiser|auctioneer)$/;
/** Designations that are first names too. */
const GIVEN = /^(mai|pa|pe)$/;
const GENERATIONS = /^(jr|sr|ii|iii|iv|2nd|3rd|4th)$/;
const COMPANIES =
	/^(and|llc|inc|incorporated|corp|corporation|ltd|limited|llp|lp|pllc|plc|ltee|company|group|realty|rlty|realtors|estate|estates|properties|property|brokerage|brokers|management|services|investments|associates|assocs|assoc|assn|enterprises|partners|partnership|holdings|consultants|advisors|development|solutions|network|appraisals|appraisal|agency|team|rltrs|construction|consulting|immobilier|immeubles)$/;
const NAME_PARTS = ["LAST", "FIRST", "MIDDLE", "SUFFIX", "PREFIX"];
const PREFIX = /^(dr|mr|mrs|ms|miss|prof|rev|mme|mlle)\.?$/i;

/** A word's letters and digits, of words of at most twelve ASCII characters. */
function known(given: string): string {
	const word = given.replace(/^,/, "");
	// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
	if (word.length > 12 || !/^[\u0000-\u007f]*$/.test(word)) return "";
	return word.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** The words of a name; one that follows another and a comma begins with that comma. */
function nameWordsOf(text: string): string[] {
	const words = text.replaceAll(/,[\s,]*/g, " ,").split(/\s+/);
	return words.filter((word) => /[^,]/.test(word)).map((word, i) => (i === 0 ? word.replace(",", "") : word));
}

function wordsOf(text: string): string[] {
	return text
		.split(/\s+/)
		.map((word) => word.replace(/,+$/, ""))
		.filter((word) => word !== "");
}

/** Words of what is no name, in which a Canadian postal code is one word. */
function plainWordsOf(text: string): string[] {
	return wordsOf(text.replaceAll(/(?<!\S)([a-z]\d[a-z])\s+(\d[a-z]\d)(?=,*(\s|$))/gi, "$1_$2")).map((word) =>
		word.replace("_", " "),
	);
}

const isAfterComma = (word: string) => word.startsWith(",");
/** Whether a word is none of a person's name. */
function isOfCompany(word: string): boolean {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
	const isShort = /^,?[\u0000-\u007f]{1,12}$/.test(word);
	const hasMark =
		isShort && (word.includes("&") || (!SUFFIXES.test(known(word)) && /^,?(?=.{1,4}$).*\d/.test(word)));
	return hasMark || COMPANIES.test(known(word));
}

const isSuffix = (word: string) => SUFFIXES.test(known(word));

/** The parts of a trimmed text by name, as words joined by one space; null if it does not match. */
export function naiveSplit(text: string, segments: readonly NaiveSegment[]): Map<string, string> | null {
	const isName = segments.every(({ parts }) => parts.every((part) => NAME_PARTS.includes(part)));
	const found = new Map<string, string>();
	const pieces = piecesOf(text, segments, isName, found);
	if (pieces === null) return null;
	const hasComma = segments.some(({ separator }) => separator.includes(","));
	if (!isName) return plainSplit(pieces, segments);
	if (pieces.flat().some(isOfCompany)) return null;
	takeSuffix(pieces, segments, found, hasComma);
	for (const [i, { parts }] of segments.entries()) {
		const named = parts.filter((part) => part !== "SUFFIX" && part !== "PREFIX");
		if (named.length === 0) continue;
		takePrefix(pieces[i], parts, named, found);
		const taken = takeName(pieces[i], named, found);
		if (taken === null) return null;
		for (const [part, words] of taken) if (words.length > 0) found.set(part, words.join(" "));
		if (!hasComma && hasStrayComma(taken, named[0] === "LAST", found.get("PREFIX") ?? "")) return null;
	}
	if (["FIRST", "LAST"].some((part) => /^,?\(/.test(found.get(part) ?? ""))) return null;
	const isReversed = /LAST.*FIRST/.test(segments.flatMap(({ parts }) => parts).join());
	return isOnlySuffix(found.get("FIRST") ?? "A", isReversed) ? null : found;
}

/** The parts of what is no name; null if a segment has too few words. */
function plainSplit(
	pieces: readonly (readonly string[])[],
	segments: readonly NaiveSegment[],
): Map<string, string> | null {
	const taken = segments.map(({ parts }, i) => takeWords(pieces[i], parts));
	if (taken.some((each) => each === null)) return null;
	return new Map(taken.flatMap((each) => (each ?? []).map(([part, words]) => [part, words.join(" ")])));
}

/** Whether a word follows a comma, other than the first after a last name that comes first. */
function hasStrayComma(taken: Taken, isLastFirst: boolean, prefix: string): boolean {
	const stray = taken.flatMap(([, words], i) => (isLastFirst && i === 1 ? words.slice(1) : words));
	return prefix.includes(",") || stray.some(isAfterComma);
}

/** Whether a first name consists of suffixes alone. */
function isOnlySuffix(first: string, isReversed: boolean): boolean {
	return nameWordsOf(first).every((word) =>
		isReversed
			? (isSuffix(word) || DESIGNATIONS.test(known(word))) && !GIVEN.test(known(word))
			: GENERATIONS.test(known(word)),
	);
}

/** The words of each segment; null if a separator is missing. */
function piecesOf(
	text: string,
	segments: readonly NaiveSegment[],
	isName: boolean,
	found: Map<string, string>,
): string[][] | null {
	const pieces: string[][] = [];
	const split = isName ? nameWordsOf : plainWordsOf;
	let rest = text;
	for (const { separator, isSpaced, parts } of segments.slice(1)) {
		const indexIn = (text: string) => {
			if (!isSpaced) return text.indexOf(separator);
			return new RegExp(`(?<=\\s)${separator}(?=\\s)`).exec(text)?.index ?? -1;
		};
		const next = indexIn(rest);
		const isOptional = isName && parts.join() === "SUFFIX" && pieces.length === segments.length - 2;
		if (next < 0 && !isOptional) return null;
		const at = next < 0 ? rest.length : next;
		pieces.push(split(rest.slice(0, at)));
		rest = rest.slice(at + separator.length);
		// A suffix between two separators.
		const close = indexIn(rest);
		const between =
			isName && close >= 0 && parts.join() !== "SUFFIX" ? nameWordsOf(rest.slice(0, close)) : [];
		if (between.length === 0 || !between.every(isSuffix)) continue;
		found.set("SUFFIX", between.join(" "));
		rest = rest.slice(close + separator.length);
	}
	pieces.push(split(rest));
	return pieces;
}

/** Removes the suffix of the last segment that ends with one, or what segments that are SUFFIX alone have. */
function takeSuffix(
	pieces: readonly string[][],
	segments: readonly NaiveSegment[],
	found: Map<string, string>,
	hasComma: boolean,
): void {
	const taken: string[] = [];
	for (let i = pieces.length - 1; i >= 0; i--) {
		const named = segments[i].parts.filter((part) => part !== "SUFFIX").join();
		const words = pieces[i];
		const before = taken.length;
		if (named === "") taken.unshift(...words.splice(0));
		const isFifth = (word: string) => known(word) === "v";
		const isPlain = (word: string) => isSuffix(word) || (named === "LAST" && isFifth(word));
		const isListed = (word: string) =>
			isPlain(word) || DESIGNATIONS.test(known(word)) || (!hasComma && isFifth(word));
		let start = words.length;
		for (let at = words.length - 1; at > 0 && isListed(words[at]); at--)
			if (isAfterComma(words[at]) || (at === start - 1 && isPlain(words[at]))) start = at;
		if (named !== "") taken.unshift(...words.splice(start));
		if (taken.length > 0 && (named !== "" || taken.length === before)) break;
	}
	if (taken.length > 0) found.set("SUFFIX", taken.join(" "));
}

/** Removes the `Jr.` and numerals that `words` begin with, leaving `least` of them. */
function takeLeadingSuffix(words: string[], least: number, found: Map<string, string>): void {
	const suffix: string[] = [];
	while (words.length > least && GENERATIONS.test(known(words[0]))) suffix.push(...words.splice(0, 1));
	if (suffix.length > 0 && !found.has("SUFFIX")) found.set("SUFFIX", suffix.join(" "));
}

/** Removes the prefixes that `words` begin with, leaving a word for each part but MIDDLE. */
function takePrefix(
	words: string[],
	parts: readonly string[],
	others: readonly string[],
	found: Map<string, string>,
): void {
	if (parts[0] !== "PREFIX") return;
	const least = others.length === 1 ? 1 : others.filter((part) => part !== "MIDDLE").length;
	const prefix: string[] = [];
	while (words.length > least && PREFIX.test(words[0].replace(",", ""))) prefix.push(...words.splice(0, 1));
	if (prefix.length > 0) found.set("PREFIX", prefix.join(" "));
}

type Taken = readonly (readonly [part: string, words: readonly string[]])[];

/** The last parts take one word each, the first the others. */
function takeWords(words: readonly string[], parts: readonly string[]): Taken | null {
	const first = words.length - parts.length + 1;
	if (first < 1) return null;
	return parts.map((part, i) => [part, i === 0 ? words.slice(0, first) : [words[first + i - 1]]]);
}

function takeName(
	words: readonly string[],
	parts: readonly string[],
	found: Map<string, string>,
): Taken | null {
	const needed = parts.length === 1 ? 1 : parts.filter((part) => part !== "MIDDLE").length;
	if (words.length < needed || words.length === 0) return null;
	if (parts.length === 1) return [[parts[0], words]];
	const isParticle = (word: string, next: string) =>
		known(word) === "mac"
			? CLANS.test(known(next))
			: PARTICLES.test(known(word)) &&
				!/\../.test(word) &&
				!(VAN.test(known(word)) && NGUYEN.test(known(next)));
	const others = parts.filter((part) => part === "FIRST").length;
	const left = [...words];
	const last: string[] = [];
	if (parts.at(-1) === "LAST") {
		do last.unshift(...left.splice(-1));
		while (
			left.length > others &&
			isParticle(left[left.length - 1], last[0]) &&
			!/^,?[a-z]\.?$/i.test(left[left.length - 1])
		);
	} else if (parts[0] === "LAST") {
		do last.push(...left.splice(0, 1));
		while (left.length > others && isParticle(last[last.length - 1], left[0]));
		takeLeadingSuffix(left, Math.max(others, 1), found);
	}
	if (left.length === 0) return null;
	const given = parts.filter((part) => part !== "LAST");
	const taken: Taken =
		given.includes("MIDDLE") && given.length > 1
			? [
					["FIRST", left.slice(0, 1)],
					["MIDDLE", left.slice(1)],
				]
			: [[given[0], left]];
	return [["LAST", last], ...taken];
}

/** A trimmed text as `trimDecimal`, `pad` and `values` leave it. */
export function naiveChange(
	text: string,
	trimFormula: boolean,
	trimDecimal: boolean,
	pad: number,
	values: Readonly<Record<string, string>>,
): string {
	let changed = trimFormula ? text.replace(/^="([^"]*)"$/, (_, inner: string) => inner.trim()) : text;
	if (changed === "") return changed;
	if (trimDecimal) changed = changed.replace(/^(\d+)\.0+$/, "$1");
	if (/^\d+$/.test(changed)) changed = changed.padStart(pad, "0");
	return Object.hasOwn(values, changed) ? values[changed] : changed;
}
