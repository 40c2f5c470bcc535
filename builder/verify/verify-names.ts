/**
 * Verification of the indexes of words, of spellings and of license numbers: their sections are those that the values give.
 * Earlier months have none. Cost O(rows + bytes of distinct values).
 */

import {
	type Column,
	columnNamed,
	encodeNameIndex,
	encodeNumberIndex,
	encodeSpellings,
	NAME_COLUMN,
	type NameIndex,
	NUMBER_COLUMN,
	type SnapshotFiles,
	WORD_COLUMNS,
} from "../../formats/index.js";
import { SpellingNumbering } from "../compile/spelling-numbering.js";
import { collectNameWords } from "../compile/word-numbering.js";
import { fail } from "./fault.js";

/** Throws `BuildError` `corrupt_snapshot` where the index of license numbers contradicts them. */
export function verifyNumbers(files: SnapshotFiles): void {
	const column = columnNamed(NUMBER_COLUMN);
	const stored = files.numberIndex(column);
	if (stored === null) return;
	const { offsets, heap } = files.dictionary(column);
	const expected = encodeNumberIndex(offsets, heap);
	const isSame = (a: Uint32Array, b: Uint32Array) =>
		a.length === b.length && a.every((word, i) => word === b[i]);
	if (!isSame(expected.bucketOffsets, stored.bucketOffsets) || !isSame(expected.codes, stored.codes))
		fail(files, column, "the index of license numbers is not that of the numbers");
}

/** Throws `BuildError` `corrupt_snapshot` where an index of words contradicts the values. */
export function verifyNames(files: SnapshotFiles): void {
	const fullName = columnNamed(NAME_COLUMN);
	verifyWords(files, fullName, () => Uint32Array.from(files.codes(fullName)));
	for (const name of WORD_COLUMNS) {
		const column = columnNamed(name);
		verifyWords(files, column, (distinct) => Uint32Array.from({ length: distinct }, (_, code) => code));
	}
}

/** `listed`: by position in the postings, the code of its value. */
function verifyWords(files: SnapshotFiles, column: Column, listed: (distinct: number) => Uint32Array): void {
	const stored = files.nameIndex(column);
	if (stored === null) return;
	const dictionary = files.dictionary(column);
	const { distinct } = dictionary;
	const spellings = files.spellings(column);
	const keys = spellings === null ? null : new SpellingNumbering(distinct);
	const expected = encodeNameIndex(collectNameWords(dictionary, keys), listed(distinct));
	const parts = {
		offsets: expected.offsets,
		heap: expected.heap,
		byLength: expected.byLength,
		lengthStarts: expected.lengthStarts,
		letterSets: expected.letterSets,
		postingOffsets: expected.postingOffsets,
		postings: expected.postings,
		valueOffsets: expected.valueOffsets,
		valueWords: expected.valueWords,
		wordCounts: expected.wordCounts,
	} satisfies Partial<Record<keyof NameIndex, ArrayLike<number>>>;
	verifyParts(files, column, stored, parts, "words");
	if (spellings !== null && keys !== null)
		verifyParts(files, column, spellings, encodeSpellings(keys, dictionary.foldRanks), "spellings");
}

type Part = Uint32Array | Uint8Array;

/** Each part that is expected is stored, of what is named `noun`. */
function verifyParts<K extends string>(
	files: SnapshotFiles,
	column: Column,
	stored: Readonly<Record<NoInfer<K>, Part>>,
	expected: Readonly<Record<K, Part>>,
	noun: string,
): void {
	for (const [part, elements] of Object.entries(expected) as [K, Part][]) {
		const found = stored[part];
		if (found.length !== elements.length)
			fail(files, column, `${part} of its ${noun} has ${found.length} elements, not ${elements.length}`);
		const wrong = elements.findIndex((element, i) => element !== found[i]);
		if (wrong !== -1) fail(files, column, `${part} of its ${noun} has ${found[wrong]} at ${wrong}`);
	}
}
