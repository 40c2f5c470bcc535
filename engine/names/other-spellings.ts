/**
 * Other spellings of a value among the values of its column: in another letter case, or as `names/spelling-keys.ts` of the
 * formats has them. Those of values are stored; a text that no row has, in any letter case, is looked for by its words.
 *
 * Invariant: months without stored spellings have those in another letter case alone.
 */

import {
	type Column,
	type ColumnName,
	columnNamed,
	countNameWords,
	type Dictionary,
	type NameIndex,
	nameCompounds,
	spellingKeys,
} from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import type { Geography } from "../query.js";
import { ResultCache } from "../result-cache.js";
import { prefixSpellings } from "./prefix-spellings.js";

/** Texts whose spellings a thread caches, of all months together, and characters of one, at most: some hundred bytes each. */
const CACHED_MAX = 4096;
const CACHED_LENGTH_MAX = 100;

/** The spellings of texts that no row has, by column and text, and of prefixes: no column is called `prefix`. */
const cache = new ResultCache<SnapshotColumns, readonly string[]>(CACHED_MAX);

/** The spellings of names in a snapshot. */
export class Spellings {
	constructor(private readonly columns: SnapshotColumns) {}

	/**
	 * The values of a column that are other spellings of `text`, whoever has rows with them. Cost O(log distinct + these) where
	 * a value is `text` in some letter case; else O(values with the rarest of its words), O(1) where cached.
	 */
	others(name: ColumnName, text: string): readonly string[] {
		const column = columnNamed(name);
		const dictionary = this.columns.dictionary.get(column);
		const same = dictionary.foldRange(text);
		if (same.from === same.to) {
			const find = () => findSpellings(column, text, this.columns);
			return text.length > CACHED_LENGTH_MAX ? find() : cache.get(this.columns, `${name} ${text}`, find);
		}
		const codes = new Set(this.columns.spellings.get(column)?.of(same.from));
		for (let code = same.from; code < same.to; code++) codes.add(code);
		return textsOf(codes, dictionary).filter((each) => each !== text);
	}

	/** How many values a column has; the code of each is below. */
	distinct(name: ColumnName): number {
		return this.columns.dictionary.get(columnNamed(name)).distinct;
	}

	/** The value of a code. Cost O(length). */
	valueOf(name: ColumnName, code: number): string {
		return this.columns.dictionary.get(columnNamed(name)).value(code) as string;
	}

	/** The code of a value, or -1 where no row has it. Cost O(length) for columns with an exact filter, else O(log distinct). */
	codeOf(name: ColumnName, value: string): number {
		return this.columns.dictionary.get(columnNamed(name)).find(value);
	}

	/** Whether a value with the fold of `text` has spellings of another fold. Cost O(log distinct). */
	hasOthers(name: ColumnName, text: string): boolean {
		const column = columnNamed(name);
		const { from, to } = this.columns.dictionary.get(column).foldRange(text);
		return from < to && this.columns.spellings.get(column)?.has(from) === true;
	}

	/** The values whose fold begins with that of `prefix`, whoever has rows with them; null: more than `max`. Cost O(log distinct + these). */
	startingWith(name: ColumnName, prefix: string, max: number): readonly string[] | null {
		const dictionary = this.columns.dictionary.get(columnNamed(name));
		const { from, to } = dictionary.prefixRange(prefix);
		if (to - from > max) return null;
		return Array.from({ length: to - from }, (_, i) => dictionary.value(from + i) as string);
	}

	/** With which other spellings of a prefix names in the rows of a grant begin; see {@link prefixSpellings}. O(1) where cached. */
	prefixes(name: ColumnName, prefix: string, geography: Geography | null): readonly string[] {
		const find = () => prefixSpellings(columnNamed(name), prefix, geography, this.columns);
		if (geography !== null || prefix.length > CACHED_LENGTH_MAX) return find();
		return cache.get(this.columns, `prefix ${name} ${prefix}`, find);
	}
}

function textsOf(codes: Iterable<number>, dictionary: Dictionary): string[] {
	return Array.from(codes, (code) => dictionary.value(code) as string);
}

function findSpellings(column: Column, text: string, columns: SnapshotColumns): readonly string[] {
	const index = columns.nameIndex.get(column);
	if (index === null) return [];
	const keys = spellingKeys(text);
	const found = new Set(textsOf(codesWithWords(index, text), columns.dictionary.get(column)));
	return [...found].filter((value) => spellingKeys(value).some((key) => keys.includes(key)));
}

/** The codes of values that have as many words as `text`, among them all of its words, or those of its one compound as one. */
function codesWithWords(index: NameIndex, text: string): number[] {
	const { postings, postingOffsets, valueOffsets, valueWords, wordCounts } = index;
	const compounds = nameCompounds(text);
	const codes = compounds.length === 1 ? codesOfOneWord(index, compounds[0].join("")) : [];
	const words = [...new Set(compounds.flat())].map((word) => index.find(word));
	if (words.length === 0 || words.includes(-1)) return codes;
	const valuesWith = (word: number) => postingOffsets[word + 1] - postingOffsets[word];
	const rarest = words.reduce((a, b) => (valuesWith(b) < valuesWith(a) ? b : a));
	const count = countNameWords(compounds);
	for (let i = postingOffsets[rarest]; i < postingOffsets[rarest + 1]; i++) {
		const code = postings[i];
		if (wordCounts[code] !== count) continue;
		const own = valueWords.subarray(valueOffsets[code], valueOffsets[code + 1]);
		if (words.every((word) => own.includes(word))) codes.push(code);
	}
	return codes;
}

/**
 * The codes of values that are a word, or a compound that is written so as one word, perhaps after other compounds. Cost
 * O(values with the word).
 */
function codesOfOneWord(index: NameIndex, text: string): number[] {
	const { postings, postingOffsets, valueOffsets, valueWords, wordCounts } = index;
	const word = index.find(text);
	if (word === -1) return [];
	const codes: number[] = [];
	for (let i = postingOffsets[word]; i < postingOffsets[word + 1]; i++) {
		const code = postings[i];
		const end = valueOffsets[code + 1];
		const words = end - valueOffsets[code];
		// A compound's own word comes after its parts, and counts as none.
		if (valueWords[end - 1] === word && (words === 1 || words > wordCounts[code])) codes.push(code);
	}
	return codes;
}
