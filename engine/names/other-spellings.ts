/**
 * Other spellings of a value among the values of its column: in another letter case, or with the same words in the same
 * order under the loose fold, as `Montréal` is of `Montreal` and `St. Louis` of `ST LOUIS`, or as one word that the other
 * writes as a compound, as `LaGrange` is of `La Grange` and `Remax` of `RE/MAX`.
 */

import {
	type Column,
	type ColumnName,
	columnNamed,
	countNameWords,
	type Dictionary,
	fold,
	type NameIndex,
	nameCompounds,
	type Range,
} from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { ResultCache } from "../result-cache.js";
import { SpelledValues, valuesOfFold } from "./spelled-values.js";

/** Maximum values whose spellings a thread keeps, of all months together, and of characters of one: some hundred bytes each. */
const KEPT_MAX = 4096;
const KEPT_LENGTH_MAX = 100;

/** The spellings that this thread was asked for, by column and value. */
const kept = new ResultCache<SnapshotColumns, readonly string[]>(KEPT_MAX);

/**
 * The values of a column with a dictionary that are other spellings of `value`, which need not be one of them. In months
 * without an index of the column's words only those that differ in letter case from a value that there is. Cost
 * O(log distinct + values with the rarest of its words), O(1) once asked for.
 */
export function otherSpellings(column: Column, value: string, columns: SnapshotColumns): readonly string[] {
	const ofCities = column.name === "member_city" ? prepared.get(columns) : undefined;
	const code = ofCities === undefined ? -1 : columns.dictionary.get(column).find(value);
	if (ofCities !== undefined && code !== -1) return othersOf(code, ofCities, columns.dictionary.get(column));
	const find = () => markedSpellings(column, value, columns) ?? findSpellings(column, value, columns);
	return value.length > KEPT_LENGTH_MAX ? find() : kept.get(columns, `${column.name} ${value}`, find);
}

/** {@link findSpellings} of a text with the fold of a value of a column whose values are marked; null: there is none. Cost O(these). */
function markedSpellings(column: Column, text: string, columns: SnapshotColumns): string[] | null {
	const spelled = marked.get(columns)?.get(column.name);
	if (spelled === undefined) return null;
	const dictionary = columns.dictionary.get(column);
	const same = valuesOfFold(dictionary, text);
	if (same.from === same.to) return null;
	const asked = wordings(nameCompounds(text));
	const codes = new Set(codesIn(same));
	for (const other of spelled.candidates(same.from)) {
		const words = wordings(nameCompounds(dictionary.value(other) as string));
		if (words.some((each) => asked.includes(each)))
			for (const each of codesIn(dictionary.sameFold(other))) codes.add(each);
	}
	return [...codes].map((each) => dictionary.value(each) as string).filter((each) => each !== text);
}

function codesIn({ from, to }: Range): number[] {
	return Array.from({ length: to - from }, (_, i) => from + i);
}

/** By code of a city that has several spellings, the codes of all of them. */
type SpellingGroups = ReadonlyMap<number, readonly number[]>;

/** The cities of months for which {@link prepareSpellings} was run. */
const prepared = new WeakMap<SnapshotColumns, SpellingGroups>();

/** Of months for which {@link prepareSpellings} was run: the values of a column that may have spellings of another fold. */
const marked = new WeakMap<SnapshotColumns, ReadonlyMap<ColumnName, SpelledValues>>();

/**
 * Whether a value with the fold of `text` may have spellings of another fold: where that is false, {@link otherSpellings} of it
 * has none. True of every value of columns and months that were not prepared for it. Cost O(log distinct).
 */
export function mayBeSpelledOtherwise(column: Column, text: string, columns: SnapshotColumns): boolean {
	const spelled = marked.get(columns)?.get(column.name);
	if (spelled !== undefined) return spelled.has(text);
	const { from, to } = valuesOfFold(columns.dictionary.get(column), text);
	return from < to;
}

/** Columns whose values are marked; those of cities are grouped. */
const MARKED = ["member_last_name", "office_name"] as const;

/** Values of a step: half a millisecond. */
const STEP_VALUES = 128;

/**
 * Finds the cities that have several spellings, so that looking for those of one takes no search, and the last names and
 * offices that may have some. Cost O(distinct cities), 3 microseconds each, and O(words of the names and offices); in months
 * without an index of their words nothing.
 */
export function* prepareSpellings(columns: SnapshotColumns): Generator<void, void> {
	const found = new Map<ColumnName, SpelledValues>();
	for (const name of MARKED) {
		const column = columnNamed(name);
		const index = columns.nameIndex.get(column);
		if (index !== null) found.set(name, yield* SpelledValues.find(index, columns.dictionary.get(column)));
	}
	marked.set(columns, found);
	// A warm-up may end before its last step, and names are asked for more often.
	yield* groupCities(columns);
}

function* groupCities(columns: SnapshotColumns): Generator<void, void> {
	const column = columnNamed("member_city");
	if (columns.nameIndex.get(column) === null) return;
	const dictionary = columns.dictionary.get(column);
	const byWords = new Map<string, number[]>();
	for (let code = 0; code < dictionary.distinct; code++) {
		if (code % STEP_VALUES === 0) yield;
		const value = dictionary.value(code) as string;
		const words = wordings(nameCompounds(value));
		for (const key of words.length === 0 ? [fold(value)] : words) {
			const codes = byWords.get(key);
			if (codes === undefined) byWords.set(key, [code]);
			else codes.push(code);
		}
	}
	const groups = new Map<number, readonly number[]>();
	for (const codes of byWords.values()) {
		if (codes.length === 1) continue;
		for (const code of codes) groups.set(code, [...new Set([...(groups.get(code) ?? []), ...codes])]);
	}
	prepared.set(columns, groups);
}

function othersOf(code: number, groups: SpellingGroups, dictionary: Dictionary): readonly string[] {
	const codes = groups.get(code) ?? [];
	return codes.filter((each) => each !== code).map((each) => dictionary.value(each) as string);
}

function findSpellings(column: Column, value: string, columns: SnapshotColumns): readonly string[] {
	const dictionary = columns.dictionary.get(column);
	const found = new Set<string>();
	for (const each of codesIn(valuesOfFold(dictionary, value))) found.add(dictionary.value(each) as string);
	const index = columns.nameIndex.get(column);
	const asked = wordings(nameCompounds(value));
	for (const each of index === null ? [] : codesWithWords(index, value)) {
		const other = dictionary.value(each) as string;
		if (wordings(nameCompounds(other)).some((words) => asked.includes(words))) found.add(other);
	}
	found.delete(value);
	return [...found];
}

/** The words in order, and of one compound these as one word; none without words, or where a compound repeats one. */
function wordings(compounds: readonly (readonly string[])[]): string[] {
	if (compounds.length === 0 || compounds.some((parts) => new Set(parts).size < parts.length)) return [];
	const words = compounds.flat().join(" ");
	const [first] = compounds;
	return compounds.length === 1 && first.length > 1 ? [words, first.join("")] : [words];
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
