/**
 * Verification of the name index: its sections are those that the full names give. Months of versions
 * before 3 have none. Cost O(rows + bytes of distinct names).
 */

import {
	columnNamed,
	encodeNameIndex,
	NAME_COLUMN,
	type NameIndex,
	type SnapshotFiles,
} from "../../formats/index.js";
import { collectNameWords } from "../compile/name-words.js";
import { fail } from "./fault.js";

/** Throws {@link BuildError} `corrupt_snapshot` where the index contradicts the full names. */
export function verifyNames(files: SnapshotFiles): void {
	const column = columnNamed(NAME_COLUMN);
	const stored = files.nameIndex(column);
	if (stored === null) return;
	const { offsets, heap } = files.dictionary(column);
	const expected = encodeNameIndex(
		collectNameWords({ offsets, heap }),
		Uint32Array.from(files.codes(column)),
	);
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
	for (const [part, elements] of Object.entries(parts) as [keyof typeof parts, Uint32Array | Uint8Array][]) {
		const found = stored[part];
		if (found.length !== elements.length)
			fail(files, column, `${part} of its words has ${found.length} elements, not ${elements.length}`);
		const wrong = elements.findIndex((element, i) => element !== found[i]);
		if (wrong !== -1) fail(files, column, `${part} of its words has ${found[wrong]} at ${wrong}`);
	}
}
