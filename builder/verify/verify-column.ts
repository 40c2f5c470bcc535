/** Verification of one column: its values' order and its codes, then every index made from them. Cost O(rows). */

import {
	type Codes,
	type Column,
	columnNamed,
	compareBytes,
	type Dictionary,
	encodeHashIndex,
	FORMAT_VERSION,
	findGroupColumn,
	foldBytes,
	type GroupColumn,
	indexSections,
	LISTED_BY_VALUE,
	nameSections,
	type SnapshotFiles,
	sectionName,
	valueSections,
} from "../../formats/index.js";
import { fail } from "./fault.js";
import {
	verifyBitmaps,
	verifyCumulative,
	verifyHashIndex,
	verifyOrderBuckets,
	verifyPermutation,
	verifyPostings,
	verifyStateValues,
} from "./verify-index.js";

/** Throws `BuildError` `corrupt_snapshot` where something of the column contradicts its values. */
export function verifyColumn(files: SnapshotFiles, column: Column): void {
	verifySections(files, column);
	if (column.kind === "string") verifyText(files, column);
	else verifyDictionaryColumn(files, column);
}

/** The column has the sections of formats/sections.ts and no others. Earlier versions had other sections. */
function verifySections(files: SnapshotFiles, column: Column): void {
	if (files.version !== FORMAT_VERSION) return;
	const facts = { rows: files.catalog.rows, ...files.column(column) };
	const expected = [
		...valueSections(column, facts),
		...indexSections(column, facts),
		...nameSections(column),
	];
	const present = files.catalog.sections.flatMap(({ kind, column: code }) =>
		code === column.code ? [sectionName(kind)] : [],
	);
	for (const name of expected) {
		const isAbsent = !present.includes(name);
		if (
			isAbsent &&
			(name === "hashIndex" || name === "hashRows") &&
			encodeHashIndexOf(files, column) === null
		)
			continue;
		if (isAbsent) fail(files, column, `no section ${name}`);
	}
	for (const name of present) {
		if (name === undefined || !expected.includes(name)) fail(files, column, `an unexpected section ${name}`);
	}
}

/** The hash index of the column's values; null if they do not fit in one. */
function encodeHashIndexOf(files: SnapshotFiles, column: Column): Uint32Array | null {
	const { offsets, heap } = files.dictionary(column);
	return encodeHashIndex(offsets, heap);
}

function verifyText(files: SnapshotFiles, column: Column): void {
	const { offsets, heap } = files.text(column);
	verifyOffsets(files, column, offsets, heap.length);
	let nulls = 0;
	for (let row = 1; row < offsets.length; row++) if (offsets[row] === offsets[row - 1]) nulls++;
	requireNulls(files, column, nulls);
}

function verifyDictionaryColumn(files: SnapshotFiles, column: Column): void {
	const dictionary = files.dictionary(column);
	const codes = files.codes(column);
	verifyOffsets(files, column, dictionary.offsets, dictionary.heap.length);
	verifySorted(files, column, dictionary);
	const counts = new Uint32Array(dictionary.distinct + 1);
	for (let row = 0; row < codes.length; row++) {
		if (codes[row] > dictionary.distinct)
			fail(files, column, `row ${row} has code ${codes[row]} of ${dictionary.distinct}`);
		counts[codes[row]]++;
	}
	for (let code = 0; code < dictionary.distinct; code++) {
		if (counts[code] === 0) fail(files, column, `value ${code} is in no row`);
	}
	requireNulls(files, column, counts[dictionary.distinct]);
	if (column.sortable) {
		verifyPermutation(files, column, dictionary, codes);
		verifyOrderBuckets(files, column, dictionary, codes);
	}
	if (LISTED_BY_VALUE.has(column.name)) verifyPostings(files, column, codes);
	verifyCumulative(files, column);
	const group = findGroupColumn(column.name);
	if (group !== undefined) verifyGroups(files, column, group, codes);
	verifyBitmaps(files, column, codes, counts);
	verifyHashIndex(files, column, dictionary);
	verifyStateValues(files, column, dictionary, codes);
}

/** The values are names of groups, and each row has that of its value in the source column. Cost O(rows). */
function verifyGroups(
	files: SnapshotFiles,
	column: Column,
	{ source, groups }: GroupColumn,
	codes: Codes,
): void {
	const dictionary = files.dictionary(column);
	for (let code = 0; code < dictionary.distinct; code++) {
		const name = dictionary.value(code) as string;
		if (!groups.includes(name))
			fail(files, column, `value ${code} is ${JSON.stringify(name)}, which is no group`);
	}
	verifyRowGroups(files, column, source, codes);
}

/** Within a state, a wording of the source column has one group, and a row without one has none. Cost O(rows). */
function verifyRowGroups(
	files: SnapshotFiles,
	column: Column,
	source: GroupColumn["source"],
	codes: Codes,
): void {
	const none = files.dictionary(column).distinct;
	const { distinct } = files.column(columnNamed(source));
	const sources = files.codes(columnNamed(source));
	for (const run of files.catalog.states) {
		const groupOf = new Int16Array(distinct).fill(-1);
		for (let row = run.first; row < run.first + run.rows; row++) {
			const isAbsent = codes[row] === none;
			if (isAbsent !== (sources[row] === distinct))
				fail(files, column, `row ${row} has ${isAbsent ? "no" : "a"} group`);
			if (isAbsent) continue;
			const known = groupOf[sources[row]];
			if (known !== -1 && known !== codes[row])
				fail(
					files,
					column,
					`row ${row} has another group than the rows of ${run.state} with the same ${source}`,
				);
			groupOf[sources[row]] = codes[row];
		}
	}
}

function requireNulls(files: SnapshotFiles, column: Column, nulls: number): void {
	const expected = files.column(column).nulls;
	if (nulls !== expected) fail(files, column, `${nulls} rows without a value, the catalog says ${expected}`);
}

function verifyOffsets(files: SnapshotFiles, column: Column, offsets: Uint32Array, heapBytes: number): void {
	if (offsets[0] !== 0) fail(files, column, `offsets begin at ${offsets[0]}, expected 0`);
	for (let i = 1; i < offsets.length; i++) {
		if (offsets[i] < offsets[i - 1]) fail(files, column, `offset ${i} lies before offset ${i - 1}`);
	}
	const last = offsets[offsets.length - 1];
	if (last !== heapBytes) fail(files, column, `offsets end at ${last}, the heap at ${heapBytes}`);
}

/** Values ascend: text by (fold, bytes), dates by bytes, numbers by size. */
function verifySorted(files: SnapshotFiles, column: Column, dictionary: Dictionary): void {
	if (column.kind === "dict") {
		verifyFolds(files, column, dictionary);
		return;
	}
	for (let code = 1; code < dictionary.distinct; code++) {
		const [before, value] = [dictionary.value(code - 1), dictionary.value(code)] as [string, string];
		const ascends = column.kind === "int" ? Number(before) < Number(value) : before < value;
		if (!ascends) fail(files, column, `value ${code} does not come after value ${code - 1}`);
	}
}

/** Text ascends by (fold, bytes), and fold ranks rise by one exactly where folds do. */
function verifyFolds(files: SnapshotFiles, column: Column, dictionary: Dictionary): void {
	const { heap, offsets, distinct, folds } = dictionary;
	let before = foldBytes(heap, 0, distinct === 0 ? 0 : offsets[1]);
	for (let code = 1; code < distinct; code++) {
		const folded = foldBytes(heap, offsets[code], offsets[code + 1]);
		const order = compareBytes(before, 0, before.length, folded, 0, folded.length);
		const step = dictionary.rank(code) - dictionary.rank(code - 1);
		if (order > 0) fail(files, column, `value ${code} folds below value ${code - 1}`);
		if (step !== (order === 0 ? 0 : 1)) fail(files, column, `value ${code} has the wrong fold rank`);
		if (order === 0 && compareCodes(dictionary, code - 1, code) >= 0)
			fail(files, column, `value ${code} does not come after value ${code - 1}`);
		before = folded;
	}
	if (distinct > 0 && (dictionary.rank(0) !== 0 || dictionary.rank(distinct - 1) !== folds - 1))
		fail(files, column, `fold ranks do not run from 0 to ${folds - 1}`);
}

function compareCodes({ heap, offsets }: Dictionary, a: number, b: number): number {
	return compareBytes(heap, offsets[a], offsets[a + 1], heap, offsets[b], offsets[b + 1]);
}
