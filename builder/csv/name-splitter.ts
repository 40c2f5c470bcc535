/**
 * Splits a cell by a pattern (input/split-pattern.ts) into ranges of its bytes. In names, particles (`de la Cruz`,
 * `Van der Berg`) belong to the last name that follows them, and suffixes (`Jr.`, `III`) form the part SUFFIX,
 * whether or not the pattern has it; a pattern with PREFIX takes `Dr.` and the like off first names. Elsewhere the
 * halves of a Canadian postal code are one word. Cost O(bytes of the cell); nothing is allocated for a cell.
 */

import type { PatternSegment } from "../input/split-pattern.js";
import { NAME_WORD, nameWordKinds } from "./name-affixes.js";
import { spaceAt, trimmedEnd, trimmedStart } from "./trim.js";

const COMMA = 0x2c;

const SUFFIX = "SUFFIX";
const PREFIX = "PREFIX";
/** Initial capacity for words of a cell. */
const WORDS_MIN = 64;

/** How a segment's words are assigned to its parts; parts are numbers, -1 for one that the segment has not. */
interface SegmentRule {
	readonly separator: Uint8Array;
	/** Whether a separator between blanks is preferred. */
	readonly isSpaced: boolean;
	/** Parts that take words, without PREFIX and SUFFIX in names. */
	readonly parts: readonly number[];
	/** Fewest words for all of them. */
	readonly wordsMin: number;
	/** LAST if it is the first or the last part. */
	readonly leadingLast: number;
	readonly trailingLast: number;
	/** Parts besides LAST and MIDDLE. */
	readonly others: number;
	/** MIDDLE if it follows another part besides LAST. */
	readonly middle: number;
	/** The first part besides LAST. */
	readonly rest: number;
	/** PREFIX, if the segment is a name that begins with it. */
	readonly prefix: number;
	/** Whether the segment is SUFFIX alone, whose words are one whatever they are. */
	readonly isSuffix: boolean;
	/** Whether the segment is LAST alone, apart from SUFFIX. */
	readonly isLast: boolean;
}

export class NameSplitter {
	/** By part: its range in the cell that was split last; equal ends for one that the cell has not. */
	readonly from: Int32Array;
	readonly to: Int32Array;
	private readonly names: readonly string[];
	private readonly rules: readonly SegmentRule[];
	private readonly isName: boolean;
	private readonly suffix: number;
	/** The cell's words: their ranges, and in names their {@link NAME_WORD} bits. */
	private wordFrom = new Int32Array(WORDS_MIN);
	private wordTo = new Int32Array(WORDS_MIN);
	private wordKinds = new Uint8Array(WORDS_MIN);
	private words = 0;
	/** By segment: its first word, and the one after its last. */
	private readonly firstWord: Int32Array;
	private readonly lastWord: Int32Array;

	constructor(segments: readonly PatternSegment[]) {
		this.isName = segments.every((segment) => segment.isName);
		this.names = [...new Set([...segments.flatMap(({ parts }) => parts), SUFFIX])];
		this.suffix = this.names.indexOf(SUFFIX);
		this.rules = segments.map((segment) => this.ruleOf(segment));
		this.from = new Int32Array(this.names.length);
		this.to = new Int32Array(this.names.length);
		this.firstWord = new Int32Array(segments.length);
		this.lastWord = new Int32Array(segments.length);
	}

	/** The number of a part in {@link from} and {@link to}; -1 for one that no cell has. */
	partNumber(part: string): number {
		return this.names.indexOf(part);
	}

	/** Splits bytes[start, end), non-empty trimmed UTF-8, into parts; false if it does not match the pattern. */
	split(bytes: Uint8Array, start: number, end: number): boolean {
		this.from.fill(0);
		this.to.fill(0);
		this.words = 0;
		if (!this.splitSegments(bytes, start, end)) return false;
		if (this.isName) {
			for (let word = 0; word < this.words; word++)
				if ((this.wordKinds[word] & NAME_WORD.company) !== 0) return false;
			this.takeSuffix();
		}
		for (let segment = 0; segment < this.rules.length; segment++)
			if (!this.assign(this.rules[segment], this.firstWord[segment], this.lastWord[segment])) return false;
		return true;
	}

	private ruleOf({ parts: named, separator, isSpaced }: PatternSegment): SegmentRule {
		const { isName } = this;
		const parts = isName ? named.filter((part) => part !== SUFFIX && part !== PREFIX) : named;
		const isAssigned = isName && parts.length > 1;
		const rest = parts.filter((part) => part !== "LAST");
		const number = (part: string | undefined) => (part === undefined ? -1 : this.names.indexOf(part));
		return {
			separator: new TextEncoder().encode(separator),
			isSpaced,
			parts: parts.map(number),
			wordsMin: isAssigned ? parts.filter((part) => part !== "MIDDLE").length : parts.length,
			trailingLast: isAssigned && parts.at(-1) === "LAST" ? number("LAST") : -1,
			leadingLast: isAssigned && parts[0] === "LAST" ? number("LAST") : -1,
			others: parts.filter((part) => part !== "LAST" && part !== "MIDDLE").length,
			middle: rest.length > 1 && rest.includes("MIDDLE") ? number("MIDDLE") : -1,
			rest: rest.length > 1 && rest.includes("MIDDLE") ? number("FIRST") : number(rest[0]),
			prefix: isName && named.includes(PREFIX) ? number(PREFIX) : -1,
			isSuffix: isName && parts.length === 0,
			isLast: isName && parts.length === 1 && parts[0] === "LAST",
		};
	}

	/** Finds the segments and their words; false if a separator is missing. The last segment extends to the end. */
	private splitSegments(bytes: Uint8Array, start: number, end: number): boolean {
		let from = start;
		for (let segment = 1; segment < this.rules.length; segment++) {
			const rule = this.rules[segment];
			const { separator, isSuffix } = rule;
			const at = separatorAt(rule, bytes, from, end);
			// Without a suffix there may be no separator before it.
			if (at < 0 && !(isSuffix && segment === this.rules.length - 1)) return false;
			this.addSegment(segment - 1, bytes, from, at < 0 ? end : at);
			from = at < 0 ? end : at + separator.length;
			// A suffix between two separators, as in `KING, JR, MARTIN`, unless the pattern has one there.
			const next = this.isName && !isSuffix ? separatorAt(rule, bytes, from, end) : -1;
			if (next >= 0 && this.isSuffix(bytes, from, next)) from = next + separator.length;
		}
		this.addSegment(this.rules.length - 1, bytes, from, end);
		return true;
	}

	private addSegment(segment: number, bytes: Uint8Array, from: number, to: number): void {
		this.firstWord[segment] = this.words;
		this.addWords(bytes, from, to);
		this.lastWord[segment] = this.words;
	}

	/** Whether bytes[from, to) are suffixes and nothing else, which are then the part SUFFIX. */
	private isSuffix(bytes: Uint8Array, from: number, to: number): boolean {
		const first = this.words;
		this.addWords(bytes, from, to);
		const last = this.words;
		this.words = first;
		for (let word = first; word < last; word++)
			if ((this.wordKinds[word] & NAME_WORD.suffix) === 0) return false;
		if (last === first) return false;
		this.set(this.suffix, first, last);
		return true;
	}

	/**
	 * Removes the suffix from the last segment that ends with one; a name that is only a suffix keeps it. The words of
	 * a segment that is SUFFIX alone are one, together with a suffix directly before them: `SMITH, JOHN JR, MD`.
	 */
	private takeSuffix(): void {
		let end = -1;
		for (let segment = this.rules.length - 1; segment >= 0; segment--) {
			const { isSuffix } = this.rules[segment];
			const last = this.lastWord[segment];
			let first = last;
			const least = this.firstWord[segment] + (isSuffix ? 0 : 1);
			while (first > least && (isSuffix || this.endsName(first - 1, segment))) first--;
			if (first < last) {
				if (end < 0) end = last;
				this.set(this.suffix, first, end);
				this.lastWord[segment] = first;
			}
			if (end >= 0 && !(isSuffix && first < last)) return;
		}
	}

	/** Whether a word at the end of a segment is a suffix. `V`, often an initial, is one after a last name alone. */
	private endsName(word: number, segment: number): boolean {
		const { isLast } = this.rules[segment];
		return (this.wordKinds[word] & (isLast ? NAME_WORD.suffix | NAME_WORD.fifth : NAME_WORD.suffix)) !== 0;
	}

	/** Assigns words [begin, last) to the parts of a segment; false if there are too few. */
	private assign(rule: SegmentRule, begin: number, last: number): boolean {
		const { parts, wordsMin } = rule;
		if (parts.length === 0) return true;
		const first = rule.prefix < 0 ? begin : this.afterPrefix(rule, begin, last);
		if (last === first || last - first < wordsMin) return false;
		if (parts.length === 1) {
			this.set(parts[0], first, last);
			return true;
		}
		if (this.isName) return this.assignName(rule, first, last);
		// Each part takes one word from the right, the first all remaining words.
		const rest = last - parts.length + 1;
		this.set(parts[0], first, rest);
		for (let i = 1; i < parts.length; i++) this.set(parts[i], rest + i - 1, rest + i);
		return true;
	}

	/** The first word of [begin, last) that is no prefix, or that the other parts need. */
	private afterPrefix({ prefix, wordsMin }: SegmentRule, begin: number, last: number): number {
		let first = begin;
		while (last - first > wordsMin && (this.wordKinds[first] & NAME_WORD.prefix) !== 0) first++;
		if (first > begin) this.set(prefix, begin, first);
		return first;
	}

	/** LAST includes its particles. With MIDDLE, FIRST takes one word and MIDDLE the rest. */
	private assignName(rule: SegmentRule, first: number, last: number): boolean {
		const { leadingLast, trailingLast, others, middle, rest } = rule;
		let from = first;
		let to = last;
		if (trailingLast >= 0) {
			to--;
			while (to - first > others && this.isParticle(to - 1) && !this.isInitial(to - 1)) to--;
			this.set(trailingLast, to, last);
		} else if (leadingLast >= 0) {
			from++;
			while (from < last - others && this.isParticle(from - 1)) from++;
			this.set(leadingLast, first, from);
			from = this.afterSuffix(from, last - Math.max(others, 1));
		}
		if (to - from < 1) return false;
		this.set(rest, from, middle >= 0 ? from + 1 : to);
		if (middle >= 0 && to - from > 1) this.set(middle, from + 1, to);
		return true;
	}

	/** The first word at or after `first` that is no `Jr.` or numeral, at most `end`: `JOHN` in `SMITH JR JOHN`. */
	private afterSuffix(first: number, end: number): number {
		let from = first;
		while (from < end && (this.wordKinds[from] & NAME_WORD.generation) !== 0) from++;
		// A suffix at the end of the cell has precedence.
		if (from > first && this.to[this.suffix] === 0) this.set(this.suffix, first, from);
		return from;
	}

	private isParticle(word: number): boolean {
		return (this.wordKinds[word] & NAME_WORD.particle) !== 0;
	}

	/** `D` before a last name is an initial, other than `D'` and than a `D` that a name begins with. */
	private isInitial(word: number): boolean {
		return (this.wordKinds[word] & NAME_WORD.initial) !== 0;
	}

	/** The range of `part` is from the first of words [first, last) to the last. */
	private set(part: number, first: number, last: number): void {
		this.from[part] = this.wordFrom[first];
		this.to[part] = this.wordTo[last - 1];
	}

	private addWords(bytes: Uint8Array, start: number, end: number): void {
		const { isName, words: first } = this;
		if (this.words + (end - start) / 2 + 1 > this.wordFrom.length) this.growWords(end - start);
		for (let at = start; at < end; ) {
			// Parts end where words do, so every character that is trimmed off values separates words.
			at = trimmedStart(bytes, at, end);
			const from = at;
			while (at < end && spaceAt(bytes, at, end) === 0 && !(isName && bytes[at] === COMMA)) at++;
			// In names, commas separate words, as in `SMITH,JOHN,JR`.
			if (isName && at === from) {
				at++;
				continue;
			}
			// A comma alone or at the end of a word is no separator within a segment.
			let to = at;
			while (to > from && bytes[to - 1] === COMMA) to--;
			if (to === from) continue;
			if (!isName && this.words > first && this.completesPostalCode(bytes, from, to)) {
				this.wordTo[this.words - 1] = to;
				continue;
			}
			this.wordFrom[this.words] = from;
			this.wordTo[this.words] = to;
			if (isName) this.wordKinds[this.words] = nameWordKinds(bytes, from, to);
			this.words++;
		}
	}

	/** Whether the last word and bytes[from, to) are the halves of a Canadian postal code: `A1B 2C3`. */
	private completesPostalCode(bytes: Uint8Array, from: number, to: number): boolean {
		const first = this.wordFrom[this.words - 1];
		const end = this.wordTo[this.words - 1];
		if (end - first !== 3 || to - from !== 3 || trimmedStart(bytes, end, from) !== from) return false;
		return isHalfOfPostalCode(bytes, first, false) && isHalfOfPostalCode(bytes, from, true);
	}

	/** Makes room for the words of `length` bytes. */
	private growWords(length: number): void {
		const capacity = 2 * (this.words + length);
		const [from, to, kinds] = [this.wordFrom, this.wordTo, this.wordKinds];
		this.wordFrom = new Int32Array(capacity);
		this.wordTo = new Int32Array(capacity);
		this.wordKinds = new Uint8Array(capacity);
		this.wordFrom.set(from.subarray(0, this.words));
		this.wordTo.set(to.subarray(0, this.words));
		this.wordKinds.set(kinds.subarray(0, this.words));
	}
}

/** Whether the three bytes at `at` are a letter, a digit and a letter, or, for the `second` half, the reverse. */
function isHalfOfPostalCode(bytes: Uint8Array, at: number, second: boolean): boolean {
	const [outer, inner] = second ? [isDigit, isLetter] : [isLetter, isDigit];
	return outer(bytes[at]) && inner(bytes[at + 1]) && outer(bytes[at + 2]);
}

function isLetter(byte: number): boolean {
	return (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
}

function isDigit(byte: number): boolean {
	return byte >= 0x30 && byte <= 0x39;
}

/** Where the separator before a segment is in bytes[from, end); -1 if it is missing. */
function separatorAt(rule: SegmentRule, bytes: Uint8Array, from: number, end: number): number {
	const { separator, isSpaced } = rule;
	const first = indexOf(bytes, separator, from, end);
	if (!isSpaced) return first;
	for (let at = first; at >= 0; at = indexOf(bytes, separator, at + 1, end)) {
		const after = at + separator.length;
		if (trimmedEnd(bytes, from, at) < at && trimmedStart(bytes, after, end) > after) return at;
	}
	return first;
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array, from: number, end: number): number {
	for (let at = from; at + wanted.length <= end; at++) {
		let i = 0;
		while (i < wanted.length && bytes[at + i] === wanted[i]) i++;
		if (i === wanted.length) return at;
	}
	return -1;
}
