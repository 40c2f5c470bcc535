/**
 * Writing of the name index, the file `names.idx`: the words of full names, for the filter `name`. A task
 * of its own, since it takes about as long as the longest column.
 */

import { join } from "node:path";
import { columnNamed, encodeNameIndex, FILE_TYPE, SECTION, type WrittenFile } from "../../formats/index.js";
import type { MergedColumn } from "./merge-column.js";
import { collectNameWords } from "./name-words.js";
import { type WriteTarget, writeFile } from "./write-column.js";

/** Name of the file. */
const NAMES_FILE = "names.idx";

/** Writes the index of the full names. `order` holds the CSV row at each position. Cost O(rows + bytes of distinct names). */
export function writeNames(fullName: MergedColumn, order: Uint32Array, target: WriteTarget): WrittenFile {
	const codes = new Uint32Array(target.rows);
	for (let row = 0; row < codes.length; row++) codes[row] = fullName.codes[order[row]];
	const index = encodeNameIndex(collectNameWords(fullName), codes);
	const { code } = columnNamed(fullName.column);
	return writeFile(join(target.folder, NAMES_FILE), FILE_TYPE.index, target, (writer) => {
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
	});
}
