/**
 * Verification of a snapshot: every section's checksum, then every index against the column it was
 * made from. Cost O(bytes). What opening takes on trust is proven here.
 */

import {
	type Codes,
	type Column,
	compareBytes,
	DICTIONARY_COLUMNS,
	type Dictionary,
	foldBytes,
	type SnapshotFiles,
	TEXT_COLUMNS,
} from "../formats/index.js";
import { BuildError } from "./errors.js";

export interface VerifyReport {
	readonly rows: number;
	readonly sections: number;
	readonly row_store: boolean;
}

/** Throws FormatError for a wrong checksum, {@link BuildError} `corrupt_snapshot` for an index that lies. */
export function verifySnapshot(files: SnapshotFiles): VerifyReport {
	files.verify();
	for (const column of DICTIONARY_COLUMNS) verifyDictionaryColumn(files, column);
	for (const column of TEXT_COLUMNS) {
		const { offsets, heap } = files.text(column);
		verifyOffsets(files, column, offsets, heap.length);
	}
	const rowStore = files.verifyRowStore();
	return { rows: files.catalog.rows, sections: files.catalog.sections.length, row_store: rowStore };
}

function fail(files: SnapshotFiles, column: Column, what: string): never {
	throw new BuildError("corrupt_snapshot", what, { file: files.folder, column: column.name });
}

function verifyOffsets(files: SnapshotFiles, column: Column, offsets: Uint32Array, heapBytes: number): void {
	if (offsets[0] !== 0) fail(files, column, `offsets begin at ${offsets[0]}, expected 0`);
	for (let i = 1; i < offsets.length; i++) {
		if (offsets[i] < offsets[i - 1]) fail(files, column, `offset ${i} lies before offset ${i - 1}`);
	}
	const last = offsets[offsets.length - 1];
	if (last !== heapBytes) fail(files, column, `offsets end at ${last}, the heap at ${heapBytes}`);
}

function verifyDictionaryColumn(files: SnapshotFiles, column: Column): void {
	const dictionary = files.dictionary(column);
	const codes = files.codes(column);
	verifyOffsets(files, column, dictionary.offsets, dictionary.heap.length);
	if (column.kind === "dict") verifySorted(files, column, dictionary);
	let nulls = 0;
	for (let row = 0; row < codes.length; row++) {
		if (codes[row] > dictionary.distinct)
			fail(files, column, `row ${row} has code ${codes[row]} of ${dictionary.distinct}`);
		if (codes[row] === dictionary.distinct) nulls++;
	}
	const expected = files.column(column).nulls;
	if (nulls !== expected) fail(files, column, `${nulls} rows without a value, the catalog says ${expected}`);
	if (column.sortable && column.kind !== "id") verifyPermutation(files, column, dictionary, codes);
	if (
		column.filter !== null &&
		!["list", "range"].includes(column.filter.match) &&
		column.name !== "country"
	) {
		verifyPostings(files, column, codes);
	}
}

/** Values ascend by (fold, bytes), and fold ranks rise exactly where folds do. */
function verifySorted(files: SnapshotFiles, column: Column, dictionary: Dictionary): void {
	const { heap, offsets } = dictionary;
	let before: Uint8Array | null = null;
	for (let code = 0; code < dictionary.distinct; code++) {
		const folded = foldBytes(heap, offsets[code], offsets[code + 1]);
		if (before !== null) {
			const order = compareBytes(before, 0, before.length, folded, 0, folded.length);
			const sameRank = dictionary.rank(code) === dictionary.rank(code - 1);
			if (order > 0) fail(files, column, `value ${code} folds below value ${code - 1}`);
			if ((order === 0) !== sameRank) fail(files, column, `value ${code} has the wrong fold rank`);
		}
		before = folded;
	}
}

function verifyPermutation(files: SnapshotFiles, column: Column, dictionary: Dictionary, codes: Codes): void {
	const { rows, byState, offsets } = files.permutation(column);
	const rank = (row: number) => dictionary.rank(codes[row]);
	verifyOrder(files, column, rows, 0, rows.length, rank);
	for (let r = 0; r < offsets.length - 1; r++) {
		if (offsets[r] < rows.length && rank(rows[offsets[r]]) !== r)
			fail(files, column, `rank ${r} does not begin at ${offsets[r]}`);
	}
	if (byState === null) return;
	for (const run of files.catalog.states)
		verifyOrder(files, column, byState, run.first, run.first + run.rows, rank);
}

/** Rows at positions [from, to) ascend by (rank, row), and so are all different. */
function verifyOrder(
	files: SnapshotFiles,
	column: Column,
	rows: Uint32Array,
	from: number,
	to: number,
	rank: (row: number) => number,
): void {
	for (let position = from + 1; position < to; position++) {
		const before = rows[position - 1];
		const row = rows[position];
		const order = rank(before) - rank(row) || before - row;
		if (order >= 0) fail(files, column, `position ${position} of a permutation is out of order`);
	}
}

function verifyPostings(files: SnapshotFiles, column: Column, codes: Codes): void {
	const { offsets, rows } = files.postings(column);
	for (let code = 0; code < offsets.length - 1; code++) {
		for (let i = offsets[code]; i < offsets[code + 1]; i++) {
			if (codes[rows[i]] !== code) fail(files, column, `posting ${i} lists row ${rows[i]} for code ${code}`);
			if (i > offsets[code] && rows[i] <= rows[i - 1])
				fail(files, column, `postings of code ${code} do not ascend`);
		}
	}
	const bitmaps = files.bitmaps(column);
	for (const code of bitmaps?.codes ?? []) {
		const bitmap = bitmaps?.find(code);
		for (let row = 0; row < codes.length; row++) {
			const set = (((bitmap as Uint32Array)[row >>> 5] >>> (row & 31)) & 1) === 1;
			if (set !== (codes[row] === code)) fail(files, column, `bitmap of code ${code} is wrong at row ${row}`);
		}
	}
}
