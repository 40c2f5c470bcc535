/**
 * Splits a cell by a pattern (input/split-pattern.ts) into ranges of its bytes. In names, particles (`de la Cruz`,
 * `Van der Berg`) belong to the last name that follows them, and suffixes (`Jr.`, `III`) form the part SUFFIX,
 * whether or not the pattern has it; a pattern with PREFIX takes `Dr.` and the like off first names. Elsewhere a part
 * that is a state takes the words of the longest known name, and the first of an address may have its separator. A
 * cell that does not match for sure is not split. Cost O(bytes of the cell); but for texts of states, and addresses
 * with more separators than their pattern, nothing is allocated for a cell.
 */

import type { AddressParts } from "../input/cell-steps.js";
import type { PatternSegment } from "../input/split-pattern.js";
import { AFTER_COMMA, CellWords } from "./cell-words.js";
import { NAME_WORD } from "./name-affixes.js";
import { type SegmentRule, segmentRule } from "./segment-rule.js";
import { firstOfLastSeparators, separatorAt } from "./segment-separator.js";
import { StatePart } from "./state-part.js";

const SUFFIX = "SUFFIX";
const PARENTHESIS = 0x28;

export class NameSplitter {
	/** By part: its range in the cell that was split last; equal ends for one that the cell has not. */
	readonly from: Int32Array;
	readonly to: Int32Array;
	private readonly names: readonly string[];
	private readonly rules: readonly SegmentRule[];
	private readonly isName: boolean;
	private readonly suffix: number;
	/** Whether a separator has a comma; else one in a name precedes a suffix, or follows a last name at the start. */
	private readonly hasComma: boolean;
	private readonly first: number;
	private readonly last: number;
	/** What words that are no first name are: a suffix where FIRST follows LAST, else `Jr.` and numerals. */
	private readonly noFirst: number;
	private readonly state: number;
	private readonly states: StatePart;
	/** Whether the first part of an address may have the separator, too: `5 A St, Apt 3` by `STREET, CITY, STATE ZIP`. */
	private readonly mayRepeat: boolean;
	private readonly words: CellWords;
	/** By segment: its first word, and the one after its last. */
	private readonly firstWord: Int32Array;
	private readonly lastWord: Int32Array;

	constructor(segments: readonly PatternSegment[], { state, postalCode, replacedStates }: AddressParts) {
		this.isName = segments.every((segment) => segment.isName);
		this.hasComma = segments.some(({ separator }) => separator.includes(","));
		const named = segments.flatMap(({ parts }) => parts);
		this.names = [...new Set([...named, SUFFIX])];
		this.suffix = this.names.indexOf(SUFFIX);
		this.first = this.isName ? named.indexOf("FIRST") : -1;
		this.last = this.isName ? named.indexOf("LAST") : -1;
		const isReversed = named.includes("LAST") && this.first > named.indexOf("LAST");
		this.noFirst = isReversed ? NAME_WORD.suffix | NAME_WORD.designation : NAME_WORD.generation;
		this.state = state === null ? -1 : this.names.indexOf(state);
		this.states = new StatePart(replacedStates);
		const [, second, ...others] = segments;
		const repeated = others.length > 0 && others.every(({ separator }) => separator === second.separator);
		this.mayRepeat = !this.isName && this.state >= 0 && repeated;
		this.words = new CellWords(this.isName);
		this.rules = segments.map((segment) => segmentRule(segment, this.isName, this.names, postalCode));
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
		if (this.splitFrom(bytes, start, end, start)) return true;
		if (!this.mayRepeat) return false;
		const first = firstOfLastSeparators(this.rules, bytes, start, end);
		return first >= 0 && this.splitFrom(bytes, start, end, first);
	}

	/** Splits the cell where the first separator is at `first` or after it. */
	private splitFrom(bytes: Uint8Array, start: number, end: number, first: number): boolean {
		this.from.fill(0);
		this.to.fill(0);
		this.words.clear();
		if (!this.splitSegments(bytes, start, end, first)) return false;
		if (this.isName && (this.words.allKinds & NAME_WORD.company) !== 0) return false;
		if (this.isName) this.takeSuffix();
		for (let segment = 0; segment < this.rules.length; segment++)
			if (!this.assign(this.rules[segment], bytes, this.firstWord[segment], this.lastWord[segment]))
				return false;
		if (this.isRemark(bytes, this.first) || this.isRemark(bytes, this.last)) return false;
		if (this.isName) return this.hasFirst() && (this.hasComma || this.haveCommasMeaning());
		return this.state < 0 || this.states.codeOf(bytes, this.from[this.state], this.to[this.state]) !== null;
	}

	/** Whether a part that is FIRST or LAST begins with a parenthesis, as a nickname or a remark does: `AMELIA KIRST (AMY)`. */
	private isRemark(bytes: Uint8Array, part: number): boolean {
		return part >= 0 && this.from[part] < this.to[part] && bytes[this.from[part]] === PARENTHESIS;
	}

	/** Whether FIRST, if the pattern has it, is more than a suffix: `JR` in `SMITH JOHN, JR` is no first name. */
	private hasFirst(): boolean {
		const { from, kinds, count, allKinds } = this.words;
		if (this.first < 0 || (allKinds & this.noFirst) === 0) return true;
		for (let word = 0; word < count; word++) {
			if (from[word] < this.from[this.first] || from[word] >= this.to[this.first]) continue;
			if ((kinds[word] & this.noFirst) === 0 || (kinds[word] & NAME_WORD.given) !== 0) return true;
		}
		return false;
	}

	/**
	 * Whether each comma that is left, in a pattern without one, is after a last name that begins the segment: `SMITH, JOHN`
	 * is no name that begins with FIRST.
	 */
	private haveCommasMeaning(): boolean {
		const { from, kinds, allKinds } = this.words;
		if ((allKinds & AFTER_COMMA) === 0) return true;
		for (let segment = 0; segment < this.rules.length; segment++) {
			const { leadingLast, rest } = this.rules[segment];
			for (let word = this.firstWord[segment]; word < this.lastWord[segment]; word++) {
				if ((kinds[word] & AFTER_COMMA) === 0) continue;
				// Suffixes may be between them.
				const isAfterLast = leadingLast >= 0 && from[word] >= this.to[leadingLast];
				if (!isAfterLast || from[word] > this.from[rest]) return false;
			}
		}
		return true;
	}

	/** Finds the segments and their words; false if a separator is missing. The last segment extends to the end. */
	private splitSegments(bytes: Uint8Array, start: number, end: number, first: number): boolean {
		let from = start;
		for (let segment = 1; segment < this.rules.length; segment++) {
			const rule = this.rules[segment];
			const { separator, isSuffix } = rule;
			const at = separatorAt(rule, bytes, segment === 1 ? first : from, end);
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
		this.firstWord[segment] = this.words.count;
		this.words.add(bytes, from, to, this.rules[segment].endsWithZip);
		this.lastWord[segment] = this.words.count;
	}

	/** Whether bytes[from, to) are suffixes and nothing else, which are then the part SUFFIX. */
	private isSuffix(bytes: Uint8Array, from: number, to: number): boolean {
		const first = this.words.count;
		this.words.add(bytes, from, to, false);
		const last = this.words.count;
		this.words.count = first;
		for (let word = first; word < last; word++)
			if ((this.words.kinds[word] & NAME_WORD.suffix) === 0) return false;
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
			const first = isSuffix ? this.firstWord[segment] : this.suffixFrom(segment, last);
			if (first < last) {
				if (end < 0) end = last;
				this.set(this.suffix, first, end);
				this.lastWord[segment] = first;
			}
			if (end >= 0 && !(isSuffix && first < last)) return;
		}
	}

	/**
	 * The first word of the suffixes that end the words of a segment at `last`, but for the segment's first: suffixes, and
	 * after a comma designations, too. `V`, often an initial, is one after a last name alone or such a comma.
	 */
	private suffixFrom(segment: number, last: number): number {
		const { isLast } = this.rules[segment];
		const { kinds } = this.words;
		const plain = isLast ? NAME_WORD.suffix | NAME_WORD.fifth : NAME_WORD.suffix;
		const listed = plain | NAME_WORD.designation | (this.hasComma ? 0 : NAME_WORD.fifth);
		let first = last;
		for (let word = last - 1; word > this.firstWord[segment] && (kinds[word] & listed) !== 0; word--) {
			const isPlain = word === first - 1 && (kinds[word] & plain) !== 0;
			if (isPlain || (kinds[word] & AFTER_COMMA) !== 0) first = word;
		}
		return first;
	}

	/** Assigns words [begin, last) to the parts of a segment; false if there are too few. */
	private assign(rule: SegmentRule, bytes: Uint8Array, begin: number, last: number): boolean {
		const { parts, wordsMin } = rule;
		if (parts.length === 0) return true;
		const first = rule.prefix < 0 ? begin : this.afterPrefix(rule, begin, last);
		if (last === first || last - first < wordsMin) return false;
		if (parts.length === 1) {
			this.set(parts[0], first, last);
			return true;
		}
		if (this.isName) return this.assignName(rule, first, last);
		// Each part takes one word from the right, a state those of its name, the first part all remaining words.
		let end = last;
		for (let i = parts.length - 1; i > 0; i--) {
			const from = parts[i] === this.state ? this.stateFrom(bytes, first, first + i, end) : end - 1;
			if (from < 0) return false;
			this.set(parts[i], from, end);
			end = from;
		}
		this.set(parts[0], first, end);
		return true;
	}

	/**
	 * The first word, of those before `end`, of the longest name of a state. The words before `least` are for other parts:
	 * a name that begins there is shortened if the rest names the same state, `WASHINGTON DC`; else -1, `WEST VIRGINIA`.
	 */
	private stateFrom(bytes: Uint8Array, begin: number, least: number, end: number): number {
		const { from, to } = this.words;
		const wordsMax = this.states.wordsMax(bytes, from[end - 1], to[end - 1]);
		if (wordsMax === 1) return end - 1;
		const first = this.knownFrom(bytes, Math.max(begin, end - wordsMax), end);
		if (first >= least) return first;
		const rest = this.knownFrom(bytes, least, end);
		return this.stateOf(bytes, rest, end) === this.stateOf(bytes, first, end) ? rest : -1;
	}

	/** The first word, from `word` on, of a name of a state that ends before `end`; the last one if there is none. */
	private knownFrom(bytes: Uint8Array, word: number, end: number): number {
		let first = word;
		while (first < end - 1 && this.stateOf(bytes, first, end) === null) first++;
		return first;
	}

	/** The code of the state that words [word, end) name, or null. */
	private stateOf(bytes: Uint8Array, word: number, end: number): string | null {
		return this.states.codeOf(bytes, this.words.from[word], this.words.to[end - 1]);
	}

	/** The first word of [begin, last) that is no prefix, or that the other parts need. */
	private afterPrefix({ prefix, wordsMin }: SegmentRule, begin: number, last: number): number {
		let first = begin;
		while (last - first > wordsMin && (this.words.kinds[first] & NAME_WORD.prefix) !== 0) first++;
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
		while (from < end && (this.words.kinds[from] & NAME_WORD.generation) !== 0) from++;
		// A suffix at the end of the cell has precedence.
		if (from > first && this.to[this.suffix] === 0) this.set(this.suffix, first, from);
		return from;
	}

	/** Whether `word`, which another follows, belongs to a last name with it. */
	private isParticle(word: number): boolean {
		const kind = this.words.kinds[word];
		const next = this.words.kinds[word + 1];
		if ((kind & NAME_WORD.mac) !== 0) return (next & NAME_WORD.clan) !== 0;
		if ((kind & NAME_WORD.beforeVietnamese) !== 0 && (next & NAME_WORD.vietnamese) !== 0) return false;
		return (kind & NAME_WORD.particle) !== 0;
	}

	/** `D` or `O` before a last name is an initial, other than `D'` and than one that a name begins with. */
	private isInitial(word: number): boolean {
		return (this.words.kinds[word] & NAME_WORD.initial) !== 0;
	}

	/** The range of `part` is from the first of words [first, last) to the last. */
	private set(part: number, first: number, last: number): void {
		this.from[part] = this.words.from[first];
		this.to[part] = this.words.to[last - 1];
	}
}
