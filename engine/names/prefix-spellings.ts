/**
 * Other spellings of a prefix among the values of a column: the beginnings of values whose loose key is that of the
 * prefix, so that letter case, marks, punctuation and spaces do not matter: `RE/MAX`, with which `RE/MAX Gold` begins, of
 * `Remax`.
 *
 * Invariant: what is found depends only on the values of the grant's rows.
 */

import {
	askedNameFault,
	type Column,
	type Dictionary,
	fold,
	looseKey,
	type NameIndex,
	nameCompounds,
	type Range,
} from "../../formats/index.js";
import type { GrantedCodes } from "../columns/granted-codes.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { firstIndexAtLeast } from "../kernels/codes.js";
import type { Geography } from "../query.js";

/** Minimum characters of the loose key of a prefix that is looked for. */
const KEY_LENGTH_MIN = 3;
/** Maximum values whose beginning is read. Where more have a word of the prefix elsewhere, some spellings may be missed. */
const READ_MAX = 64;
/** Maximum characters of a spelling for each of the prefix; some dots and spaces more. */
const LENGTH_FACTOR = 3;
/** Maximum letters of a first word that is looked for as two. */
const SPLIT_LENGTH_MAX = 20;
const LAST_ASCII = "\x7f";
/** Beyond ASCII; a half of a pair of units is taken for a letter. */
const IN_WORD = /[\p{L}\p{N}\p{M}\p{Cs}]/u;

/**
 * As values of the rows of `geography` begin, the spellings of `prefix` with another fold and the same first letter, or a
 * first one beyond ASCII; empty for a part of a word, and for months without an index of the column's words. Cost O(values with the rarest word of
 * `prefix` that begin so), of which at most {@link READ_MAX} are read.
 */
export function prefixSpellings(
	column: Column,
	prefix: string,
	geography: Geography | null,
	columns: SnapshotColumns,
): string[] {
	const index = columns.nameIndex.get(column);
	const dictionary = columns.dictionary.get(column);
	const granted = columns.granted.codes(column, geography);
	if (index === null || endsWithinWord(prefix, dictionary, granted)) return [];
	const compounds = nameCompounds(prefix);
	const key = looseKey(prefix);
	if (key.length < KEY_LENGTH_MIN || askedNameFault(compounds) !== null) return [];
	const search = new PrefixSearch(prefix, key, dictionary, granted);
	const words = compounds.flat();
	const [first, second] = words;
	search.valuesWith(words, index);
	if (words.length > 1) search.valuesWith([first + second, ...words.slice(2)], index);
	if (first.length > SPLIT_LENGTH_MAX) return search.found;
	// Of two words with a space between them, the index of words has none that they are together.
	const rest = ["", ...words.slice(1)].join(" ");
	for (let at = 1; at < first.length; at++)
		search.range(dictionary.prefixRange(`${first.slice(0, at)} ${first.slice(at)}${rest}`));
	return search.found;
}

/**
 * Whether values begin with a prefix, and it is a part of a word in each. If any has another word after it, the first in order
 * has, but for signs that sort after letters.
 */
function endsWithinWord(prefix: string, dictionary: Dictionary, granted: GrantedCodes | null): boolean {
	const { from, to } = dictionary.prefixRange(prefix);
	const end = prefix.length;
	if (!isInWord(prefix, end - 1)) return false;
	for (let code = from; code < to; code++) {
		if (granted?.has(code) === false) continue;
		const value = dictionary.value(code) as string;
		return value.length > end && isInWord(value, end);
	}
	return false;
}

class PrefixSearch {
	readonly found: string[] = [];
	/** Codes of the values that the prefix itself finds, and those of each beginning that was read. */
	private readonly known: Range[];
	private readonly beginnings: readonly Range[];
	private readonly folded: string;
	/** Maximum characters of a beginning. */
	private readonly lengthMax: number;
	private left = READ_MAX;

	constructor(
		prefix: string,
		private readonly key: string,
		private readonly dictionary: Dictionary,
		private readonly granted: GrantedCodes | null,
	) {
		this.folded = fold(prefix);
		this.lengthMax = LENGTH_FACTOR * prefix.length;
		this.known = [dictionary.prefixRange(prefix)];
		this.beginnings = [
			dictionary.prefixRange(key[0]),
			{ from: dictionary.prefixRange(LAST_ASCII).to, to: dictionary.distinct },
		];
	}

	/** Reads values with all of some words. */
	valuesWith(words: readonly string[], index: NameIndex): void {
		const numbers = words.map((word) => index.find(word));
		if (numbers.includes(-1)) return;
		const { postings, postingOffsets } = index;
		const codes = numbers
			.map((word) => postings.subarray(postingOffsets[word], postingOffsets[word + 1]))
			.reduce((a, b) => (b.length < a.length ? b : a));
		for (const { from, to } of this.beginnings)
			for (
				let i = firstIndexAtLeast(codes, 0, codes.length, from);
				i < codes.length && codes[i] < to && this.left > 0;
				i++
			)
				this.read(codes[i]);
	}

	/** Reads values of a range, in which there is one spelling at most. */
	range({ from, to }: Range): void {
		for (let code = from; code < to && this.left > 0 && !this.isKnown(code); code++) this.read(code);
	}

	/** Reads how a value begins, unless it is known or not of the grant. */
	private read(code: number): void {
		if (this.isKnown(code) || this.granted?.has(code) === false) return;
		this.left--;
		const spelling = beginningWith(this.key, this.lengthMax, this.dictionary.value(code) as string);
		if (spelling === null) return;
		this.known.push(this.dictionary.prefixRange(spelling));
		// A beginning of the prefix itself, as `Acme` is of `Acme,`, finds more than the prefix means.
		if (!this.folded.startsWith(fold(spelling))) this.found.push(spelling);
	}

	private isKnown(code: number): boolean {
		return this.known.some(({ from, to }) => code >= from && code < to);
	}
}

/** The shortest beginning of `value`, of whole words, with a loose key; null: there is none within `lengthMax` characters. */
function beginningWith(key: string, lengthMax: number, value: string): string | null {
	for (let end = 1; end <= value.length && end <= lengthMax; end++) {
		if (end < value.length && isInWord(value, end)) continue;
		const beginning = value.slice(0, end);
		const found = looseKey(beginning);
		if (found === key) return beginning;
		// Most values end here, after their first word.
		if (!key.startsWith(found)) return null;
	}
	return null;
}

function isInWord(text: string, at: number): boolean {
	const unit = text.charCodeAt(at);
	if (unit < 0x80) return (unit >= 0x30 && unit < 0x3a) || ((unit | 0x20) >= 0x61 && (unit | 0x20) < 0x7b);
	return IN_WORD.test(text[at]);
}
