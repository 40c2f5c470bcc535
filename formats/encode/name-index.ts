/**
 * Writes the name index: the distinct words of all full names under the loose fold, the rows that contain each
 * word, and tables for a search by edit distance.
 *
 * Words are numbered in byte order, so a prefix is one range of words with contiguous postings.
 */

import { FormatError } from "../errors.js";
import { MAX_FILE_BYTES } from "../layout.js";
import { letterSet } from "../names/letter-set.js";

/** The words of a dictionary column's values. */
export interface NameWords {
	/** Offsets of the distinct words, sorted by bytes: word w is heap[offsets[w], offsets[w + 1]). */
	readonly offsets: Uint32Array;
	readonly heap: Uint8Array;
	/** Distinct words of value v: valueWords[valueOffsets[v], valueOffsets[v + 1]). */
	readonly valueOffsets: Uint32Array;
	readonly valueWords: Uint32Array;
	/** Number of words in each value as written, without suffixes, at most 255. */
	readonly valueCounts: Uint8Array;
}

export interface EncodedNameIndex extends NameWords {
	/** Words by ascending (letters, word). */
	readonly byLength: Uint32Array;
	/** Words of n letters are byLength[lengthStarts[n], lengthStarts[n + 1]). */
	readonly lengthStarts: Uint32Array;
	/** Letter sets in the order of `byLength`. */
	readonly letterSets: Uint32Array;
	/** Rows of word w: postings[postingOffsets[w], postingOffsets[w + 1]), ascending. */
	readonly postingOffsets: Uint32Array;
	readonly postings: Uint32Array;
	/** `valueCounts` of each row's value, 0 for null. */
	readonly wordCounts: Uint8Array;
}

/** Maximum number of postings, which one section holds as 32-bit words. */
const POSTINGS_MAX = Math.floor(MAX_FILE_BYTES / Uint32Array.BYTES_PER_ELEMENT);

/**
 * The index of `words` over rows with `codes`; the code after the last value is null. Cost O(words of all rows). Throws
 * {@link FormatError} `limit_exceeded` where the postings exceed a section.
 */
export function encodeNameIndex(words: NameWords, codes: Uint32Array): EncodedNameIndex {
	return {
		...words,
		...orderByLength(words),
		...encodePostings(words, codes),
		wordCounts: countsOf(words, codes),
	};
}

function orderByLength({ offsets, heap }: NameWords) {
	const count = offsets.length - 1;
	const lengths = new Uint32Array(count);
	const sets = new Uint32Array(count);
	let longest = 0;
	for (let word = 0; word < count; word++) {
		const points = pointsOf(heap, offsets[word], offsets[word + 1]);
		lengths[word] = points.length;
		sets[word] = letterSet(points);
		longest = Math.max(longest, points.length);
	}
	const cursor = new Uint32Array(longest + 2);
	for (let word = 0; word < count; word++) cursor[lengths[word] + 1]++;
	for (let length = 0; length <= longest; length++) cursor[length + 1] += cursor[length];
	const lengthStarts = cursor.slice();
	const byLength = new Uint32Array(count);
	const letterSets = new Uint32Array(count);
	for (let word = 0; word < count; word++) {
		const at = cursor[lengths[word]]++;
		byLength[at] = word;
		letterSets[at] = sets[word];
	}
	return { byLength, lengthStarts, letterSets };
}

/** Code points of UTF-8 text. ASCII, nearly all words, is returned as a view without decoding. */
function pointsOf(heap: Uint8Array, start: number, end: number): ArrayLike<number> {
	for (let i = start; i < end; i++) {
		if (heap[i] < 0x80) continue;
		const text = Buffer.from(heap.buffer, heap.byteOffset + start, end - start).toString("utf8");
		return Array.from(text, (character) => character.codePointAt(0) as number);
	}
	return heap.subarray(start, end);
}

function encodePostings({ offsets, valueOffsets, valueWords }: NameWords, codes: Uint32Array) {
	const postingOffsets = new Uint32Array(offsets.length);
	const distinct = valueOffsets.length - 1;
	const rowsOfValue = new Uint32Array(distinct + 1);
	for (let row = 0; row < codes.length; row++) rowsOfValue[codes[row]]++;
	let count = 0;
	for (let value = 0; value < distinct; value++)
		count += rowsOfValue[value] * (valueOffsets[value + 1] - valueOffsets[value]);
	if (count > POSTINGS_MAX)
		throw new FormatError("limit_exceeded", "a name index", `${count} postings, at most ${POSTINGS_MAX}`);
	for (let value = 0; value < distinct; value++) {
		const rows = rowsOfValue[value];
		for (let i = valueOffsets[value]; i < valueOffsets[value + 1]; i++)
			postingOffsets[valueWords[i] + 1] += rows;
	}
	for (let word = 1; word < postingOffsets.length; word++) postingOffsets[word] += postingOffsets[word - 1];
	const cursor = postingOffsets.slice();
	const postings = new Uint32Array(count);
	for (let row = 0; row < codes.length; row++) {
		const value = codes[row];
		if (value === distinct) continue;
		for (let i = valueOffsets[value]; i < valueOffsets[value + 1]; i++)
			postings[cursor[valueWords[i]]++] = row;
	}
	return { postingOffsets, postings };
}

function countsOf({ valueCounts }: NameWords, codes: Uint32Array): Uint8Array {
	const counts = new Uint8Array(codes.length);
	for (let row = 0; row < codes.length; row++)
		counts[row] = codes[row] < valueCounts.length ? valueCounts[codes[row]] : 0;
	return counts;
}
