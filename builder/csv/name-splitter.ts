/**
 * Splits a cell by a pattern (input/split-pattern.ts) into ranges of its bytes. In names, particles (`de la Cruz`,
 * `Van der Berg`) belong to the last name that follows them, and suffixes (`Jr.`, `III`) form the part SUFFIX,
 * whether or not the pattern has it. Cost O(bytes of the cell).
 */

import type { Range } from "../../formats/range.js";
import type { PatternSegment } from "../input/split-pattern.js";

const SPACE = 0x20;
const TAB = 0x09;

const PARTICLES = new Set(
	(
		"de del della delle di da dal dos das du d la le las los van von vom vander der den ten ter te " +
		"zu zur af av al el bin ibn abu st ste saint san santa"
	).split(" "),
);
const SUFFIXES = new Set("jr sr ii iii iv 2nd 3rd 4th esq esquire phd md cpa dds".split(" "));
/** Words that mark the name of a company, which name patterns do not split. */
const COMPANY_WORDS = new Set("llc inc incorporated corp corporation ltd llp lp pllc plc ltee".split(" "));

const LONGEST_KNOWN_WORD = 12;

export class NameSplitter {
	private readonly separators: readonly Uint8Array[];
	private readonly isName: boolean;

	constructor(private readonly segments: readonly PatternSegment[]) {
		this.isName = segments.every((segment) => segment.isName);
		this.separators = segments.slice(1).map(({ separator }) => new TextEncoder().encode(separator));
	}

	/** The parts of bytes[start, end), non-empty trimmed UTF-8; null if it does not match the pattern. */
	split(bytes: Uint8Array, start: number, end: number): Map<string, Range> | null {
		const parts = new Map<string, Range>();
		const { isName } = this;
		const ranges = this.segmentRanges(bytes, start, end, parts);
		if (ranges === null) return null;
		let words = ranges.map((range) => wordsOf(bytes, range));
		if (isName) {
			if (words.flat().some((word) => COMPANY_WORDS.has(lettersOf(bytes, word)))) return null;
			const taken = this.takeSuffix(bytes, words);
			words = taken.words;
			if (taken.suffix !== null) parts.set("SUFFIX", taken.suffix);
		}
		for (let i = 0; i < this.segments.length; i++) {
			const segment = this.segments[i];
			const left = isName ? segment.parts.filter((part) => part !== "SUFFIX") : segment.parts;
			if (left.length > 0 && !assign(bytes, words[i], left, isName, parts)) return null;
		}
		return parts;
	}

	/** The segments' ranges; null if a separator is missing. The last segment extends to the end. */
	private segmentRanges(
		bytes: Uint8Array,
		start: number,
		end: number,
		parts: Map<string, Range>,
	): Range[] | null {
		const ranges: Range[] = [];
		let from = start;
		for (const separator of this.separators) {
			const at = indexOf(bytes, separator, from, end);
			if (at < 0) return null;
			ranges.push({ from, to: at });
			from = at + separator.length;
			// A suffix between two separators, as in `KING, JR, MARTIN`.
			const next = this.isName ? indexOf(bytes, separator, from, end) : -1;
			const between = next < 0 ? [] : wordsOf(bytes, { from, to: next });
			if (between.length === 0 || !between.every((word) => SUFFIXES.has(lettersOf(bytes, word)))) continue;
			parts.set("SUFFIX", span(between, 0, between.length));
			from = next + separator.length;
		}
		ranges.push({ from, to: end });
		return ranges;
	}

	/** Removes the suffix from the last segment that ends with one. A segment that is only a suffix keeps it. */
	private takeSuffix(
		bytes: Uint8Array,
		words: readonly Range[][],
	): { readonly words: Range[][]; readonly suffix: Range | null } {
		const left = words.map((segment) => [...segment]);
		for (let i = left.length - 1; i >= 0; i--) {
			const segment = left[i];
			let first = segment.length;
			while (first > 1 && SUFFIXES.has(lettersOf(bytes, segment[first - 1]))) first--;
			if (first === segment.length) continue;
			const suffix = { from: segment[first].from, to: segment[segment.length - 1].to };
			left[i] = segment.slice(0, first);
			return { words: left, suffix };
		}
		return { words: left, suffix: null };
	}
}

/** Assigns words to each of `names`; false if there are too few. */
function assign(
	bytes: Uint8Array,
	words: readonly Range[],
	names: readonly string[],
	isName: boolean,
	parts: Map<string, Range>,
): boolean {
	if (words.length === 0) return false;
	if (names.length === 1) {
		parts.set(names[0], span(words, 0, words.length));
		return true;
	}
	const needed = isName ? names.filter((name) => name !== "MIDDLE").length : names.length;
	if (words.length < needed) return false;
	return isName ? assignName(bytes, words, names, parts) : assignWords(words, names, parts);
}

/** Each part takes one word from the right, the first all remaining words. */
function assignWords(words: readonly Range[], names: readonly string[], parts: Map<string, Range>): boolean {
	const rest = words.length - names.length + 1;
	parts.set(names[0], span(words, 0, rest));
	names.slice(1).forEach((name, i) => {
		parts.set(name, words[rest + i]);
	});
	return true;
}

/** LAST includes its particles. With MIDDLE, FIRST takes one word and MIDDLE the rest. */
function assignName(
	bytes: Uint8Array,
	words: readonly Range[],
	names: readonly string[],
	parts: Map<string, Range>,
): boolean {
	let from = 0;
	let to = words.length;
	const others = names.filter((name) => name !== "LAST" && name !== "MIDDLE").length;
	if (names.at(-1) === "LAST") {
		let first = to - 1;
		while (first > others && PARTICLES.has(lettersOf(bytes, words[first - 1]))) first--;
		parts.set("LAST", span(words, first, to));
		to = first;
	} else if (names[0] === "LAST") {
		let last = 0;
		while (last < to - others - 1 && PARTICLES.has(lettersOf(bytes, words[last]))) last++;
		parts.set("LAST", span(words, 0, last + 1));
		from = last + 1;
	}
	const rest = names.filter((name) => name !== "LAST");
	if (rest.length === 0) return from === to || names.length === 1;
	if (to - from < 1) return false;
	if (rest.includes("MIDDLE") && rest.length > 1) {
		parts.set("FIRST", words[from]);
		if (to - from > 1) parts.set("MIDDLE", span(words, from + 1, to));
	} else parts.set(rest[0], span(words, from, to));
	return true;
}

function span(words: readonly Range[], from: number, to: number): Range {
	return { from: words[from].from, to: words[to - 1].to };
}

function wordsOf(bytes: Uint8Array, { from: start, to: end }: Range): Range[] {
	const words: Range[] = [];
	for (let at = start; at < end; ) {
		while (at < end && isBlank(bytes[at])) at++;
		const from = at;
		while (at < end && !isBlank(bytes[at])) at++;
		// A comma alone or at the end of a word is no separator within a segment.
		let to = at;
		while (to > from && bytes[to - 1] === 0x2c) to--;
		if (to > from) words.push({ from, to });
	}
	return words;
}

function isBlank(byte: number): boolean {
	return byte === SPACE || byte === TAB;
}

/** The word's ASCII letters and digits in lower case; empty for words longer than any known one. */
function lettersOf(bytes: Uint8Array, { from: start, to: end }: Range): string {
	if (end - start > LONGEST_KNOWN_WORD) return "";
	let letters = "";
	for (let i = start; i < end; i++) {
		const lower = bytes[i] | 0x20;
		if (lower >= 0x61 && lower <= 0x7a) letters += String.fromCharCode(lower);
		else if (bytes[i] >= 0x30 && bytes[i] <= 0x39) letters += String.fromCharCode(bytes[i]);
		else if (bytes[i] >= 0x80) return "";
	}
	return letters;
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array, from: number, end: number): number {
	for (let at = from; at + wanted.length <= end; at++) {
		let i = 0;
		while (i < wanted.length && bytes[at + i] === wanted[i]) i++;
		if (i === wanted.length) return at;
	}
	return -1;
}
