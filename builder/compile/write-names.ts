/**
 * Writes the indexes of words: `names.idx`, the words of full names, for the filter `name`; and `words.idx`, the words of
 * other columns' values, for suggestions, and which values are spellings of one name. Two tasks, since the first takes about
 * as long as the longest column.
 */

import { join } from "node:path";
import {
	columnNamed,
	type EncodedNameIndex,
	type EncodedSpellings,
	encodeNameIndex,
	encodeSpellings,
	FILE_TYPE,
	SECTION,
	type SectionFileWriter,
	SPELLED_COLUMNS,
	type WrittenFile,
} from "../../formats/index.js";
import type { MergedColumn } from "./merge-column.js";
import { SpellingNumbering } from "./spelling-numbering.js";
import { collectNameWords } from "./word-numbering.js";
import { type FileTarget, type WriteTarget, writeFile } from "./write-column.js";

const NAMES_FILE = "names.idx";
const WORDS_FILE = "words.idx";

/** Writes the index of the full names. `order` holds the CSV row at each position. Cost O(rows + bytes of distinct names). */
export function writeNames(fullName: MergedColumn, order: Uint32Array, target: WriteTarget): WrittenFile {
	const codes = new Uint32Array(target.rows);
	for (let row = 0; row < codes.length; row++) codes[row] = fullName.codes[order[row]];
	const index = encodeNameIndex(collectNameWords(fullName), codes);
	return writeFile(join(target.folder, NAMES_FILE), FILE_TYPE.index, target, (writer) => {
		writeIndex(writer, fullName, index);
	});
}

/** Writes the indexes of the distinct values of `columns`, and their spellings. Cost O(bytes of distinct values). */
export function writeWords(columns: readonly MergedColumn[], target: FileTarget): WrittenFile {
	return writeFile(join(target.folder, WORDS_FILE), FILE_TYPE.index, target, (writer) => {
		for (const column of columns) {
			const codes = Uint32Array.from({ length: column.offsets.length - 1 }, (_, code) => code);
			const isSpelled = SPELLED_COLUMNS.includes(column.column);
			const spellings = isSpelled ? new SpellingNumbering(codes.length) : null;
			writeIndex(writer, column, encodeNameIndex(collectNameWords(column, spellings), codes));
			if (spellings !== null) writeSpellings(writer, column, encodeSpellings(spellings, column.foldRanks));
		}
	});
}

function writeIndex(writer: SectionFileWriter, { column }: MergedColumn, index: EncodedNameIndex): void {
	const { code } = columnNamed(column);
	writer.write(SECTION.nameWordOffsets, code, index.offsets);
	writer.write(SECTION.nameWordHeap, code, index.heap);
	writer.write(SECTION.nameWordsByLength, code, index.byLength);
	writer.write(SECTION.nameLengthStarts, code, index.lengthStarts);
	writer.write(SECTION.nameLetterSets, code, index.letterSets);
	writer.write(SECTION.namePostingOffsets, code, index.postingOffsets);
	writer.write(SECTION.namePostings, code, index.postings);
	writer.write(SECTION.nameValueOffsets, code, index.valueOffsets);
	writer.write(SECTION.nameValueWords, code, index.valueWords);
	writer.write(SECTION.nameWordCounts, code, index.wordCounts);
}

function writeSpellings(
	writer: SectionFileWriter,
	{ column }: MergedColumn,
	spellings: EncodedSpellings,
): void {
	const { code } = columnNamed(column);
	writer.write(SECTION.spelledCodes, code, spellings.codes);
	writer.write(SECTION.spelledGroups, code, spellings.groups);
	writer.write(SECTION.spellingOffsets, code, spellings.offsets);
	writer.write(SECTION.spellings, code, spellings.members);
}
