/** Counting of licenses listed more than once: rows that share state and license number. */

import { columnNamed, type SnapshotFiles } from "../../formats/index.js";

/**
 * Rows whose (state, license number) occurs in an earlier row. The rows of a license number are ascending and
 * those of a state contiguous, so the rows of one license are adjacent in its posting list. Cost O(rows).
 */
export function countDuplicates(files: SnapshotFiles): number {
	const state = files.codes(columnNamed("state"));
	const { offsets, rows } = files.postings(columnNamed("member_state_license_number"));
	let duplicates = 0;
	for (let code = 0; code + 1 < offsets.length; code++) {
		for (let i = offsets[code] + 1; i < offsets[code + 1]; i++) {
			if (state[rows[i]] === state[rows[i - 1]]) duplicates++;
		}
	}
	return duplicates;
}
