/** Writes the index of license numbers by key, `numbers.idx`, which finds numbers under other spellings. */

import { join } from "node:path";
import { columnNamed, encodeNumberIndex, FILE_TYPE, SECTION, type WrittenFile } from "../../formats/index.js";
import type { MergedColumn } from "./merge-column.js";
import { type FileTarget, writeFile } from "./write-column.js";

const NUMBERS_FILE = "numbers.idx";

/** Writes the index of the license numbers. Cost O(bytes of distinct numbers). */
export function writeNumbers(numbers: MergedColumn, target: FileTarget): WrittenFile {
	const { code } = columnNamed(numbers.column);
	const { bucketOffsets, codes } = encodeNumberIndex(numbers.offsets, numbers.heap);
	return writeFile(join(target.folder, NUMBERS_FILE), FILE_TYPE.index, target, (writer) => {
		writer.write(SECTION.numberBuckets, code, bucketOffsets);
		writer.write(SECTION.numberCodes, code, codes);
	});
}
