/**
 * Writes one column: its values and codes in canonical order to NAME.col, its indexes to NAME.idx.
 * formats/sections.ts lists the sections. Given the canonical order, columns are independent of each other and
 * written in parallel.
 */

import { join } from "node:path";
import {
	type CatalogColumn,
	type CatalogFile,
	type CatalogSection,
	type CodeCounts,
	type Column,
	type ColumnName,
	type CountedValues,
	columnNamed,
	countCodes,
	countStateValues,
	type EncodedPostings,
	encodeBitmaps,
	encodeCodes,
	encodeCumulativeBitmaps,
	encodeHashIndex,
	encodeHashRows,
	encodeOrderBuckets,
	encodeOrderCounts,
	encodePermutation,
	encodePostings,
	encodeStatePermutation,
	encodeStateValues,
	FILE_TYPE,
	indexSections,
	SECTION,
	SectionFileWriter,
	type SectionName,
	type StateRun,
	type WrittenFile,
} from "../../formats/index.js";
import { BuildError, systemErrorText } from "../errors.js";
import type { MergedColumn } from "./merge-column.js";

/** Where and for which month a file is written. */
export interface FileTarget {
	readonly folder: string;
	/** Months since 2000-01. */
	readonly month: number;
	readonly rows: number;
}

/** The same for a column. */
export interface WriteTarget extends FileTarget {
	readonly states: readonly StateRun[];
}

/** The same for a column with a dictionary. */
export interface ColumnTarget extends WriteTarget {
	/** What is counted in every sort order. */
	readonly counted: CountedValues;
}

/** A written column's entries for the catalog and the statistics. */
export interface WrittenColumn {
	readonly column: CatalogColumn;
	readonly files: readonly {
		readonly file: CatalogFile;
		readonly sections: readonly Omit<CatalogSection, "file">[];
	}[];
	/** Rows by code in each state run, for the columns in {@link COUNTED}; otherwise empty. */
	readonly counts: readonly CodeCounts[];
}

/** Columns whose rows are counted by state and code for the statistics. */
const COUNTED: ReadonlySet<ColumnName> = new Set([
	"member_license_status",
	"member_type",
	"member_license_expires",
]);

/** Writes a dictionary column. `order` holds the CSV row at each position. Cost O(rows). */
export function writeDictionaryColumn(
	merged: MergedColumn,
	order: Uint32Array,
	target: ColumnTarget,
): WrittenColumn {
	const column = columnNamed(merged.column);
	const codes = new Uint32Array(target.rows);
	for (let row = 0; row < codes.length; row++) codes[row] = merged.codes[order[row]];
	const files = [writeValues(column, merged, codes, target)];
	const sections = indexSections(column, {
		rows: target.rows,
		distinct: merged.distinct,
		folds: merged.folds,
	});
	if (sections.length > 0) files.push(writeIndexes(column, new Set(sections), merged, codes, target));
	return {
		column: {
			code: column.code,
			name: column.name,
			distinct: merged.distinct,
			folds: merged.folds,
			nulls: merged.nulls,
		},
		files,
		counts: COUNTED.has(column.name) ? countByState(codes, merged.distinct, target.states) : [],
	};
}

function writeValues(
	column: Column,
	merged: MergedColumn,
	codes: Uint32Array,
	target: WriteTarget,
): WrittenFile {
	const path = join(target.folder, `${column.name}.col`);
	return writeFile(path, FILE_TYPE.columns, target, (writer) => {
		writer.write(SECTION.codes, column.code, encodeCodes(codes, merged.distinct));
		writer.write(SECTION.dictionaryOffsets, column.code, merged.offsets);
		writer.write(SECTION.dictionaryHeap, column.code, merged.heap);
		if (merged.foldRanks !== null) writer.write(SECTION.foldRanks, column.code, merged.foldRanks);
	});
}

function writeIndexes(
	column: Column,
	sections: ReadonlySet<SectionName>,
	merged: MergedColumn,
	codes: Uint32Array,
	target: ColumnTarget,
): WrittenFile {
	const path = join(target.folder, `${column.name}.idx`);
	return writeFile(path, FILE_TYPE.index, target, (writer) => {
		let order: EncodedPostings | null = null;
		let postings: EncodedPostings | null = null;
		if (sections.has("permutation")) order = writeOrders(writer, column, sections, merged, codes, target);
		if (sections.has("postings")) {
			postings = encodePostings(codes, merged.distinct);
			writer.write(SECTION.postingOffsets, column.code, postings.offsets);
			writer.write(SECTION.postings, column.code, postings.rows);
		}
		const byValue = order ?? postings;
		if (sections.has("cumulativeBitmaps") && byValue !== null) {
			const cumulative = encodeCumulativeBitmaps(byValue, target.rows);
			writer.write(SECTION.cumulativeBounds, column.code, cumulative.bounds);
			writer.write(SECTION.cumulativeBitmaps, column.code, cumulative.words);
		}
		if (sections.has("bitmaps")) {
			const bitmaps = encodeBitmaps(codes, countCodes(codes, merged.distinct));
			writer.write(SECTION.bitmapCodes, column.code, bitmaps.codes);
			writer.write(SECTION.bitmaps, column.code, bitmaps.words);
		}
		// A permutation that serves as postings is by code.
		if (sections.has("hashIndex")) writeHashIndex(writer, column, sections, merged, postings ?? order);
		if (sections.has("stateValueCodes")) {
			const values = encodeStateValues(codes, target.states, merged.offsets, merged.heap);
			writer.write(SECTION.stateValueOffsets, column.code, values.offsets);
			writer.write(SECTION.stateValueCodes, column.code, values.codes);
			writer.write(SECTION.stateValueRows, column.code, values.rows);
			writer.write(SECTION.stateValueHeads, column.code, values.heads);
		}
	});
}

function writeHashIndex(
	writer: SectionFileWriter,
	column: Column,
	sections: ReadonlySet<SectionName>,
	{ offsets, heap }: MergedColumn,
	byCode: EncodedPostings | null,
): void {
	const hashIndex = encodeHashIndex(offsets, heap);
	if (hashIndex === null) return;
	writer.write(SECTION.hashIndex, column.code, hashIndex);
	if (sections.has("hashRows") && byCode !== null)
		writer.write(SECTION.hashRows, column.code, encodeHashRows(hashIndex, byCode));
}

/** Writes a sortable column's permutation and what follows from it. Returns all rows in its order. */
function writeOrders(
	writer: SectionFileWriter,
	column: Column,
	sections: ReadonlySet<SectionName>,
	merged: MergedColumn,
	codes: Uint32Array,
	target: ColumnTarget,
): EncodedPostings {
	const { foldRanks, distinct, folds } = merged;
	let ranks = codes;
	if (foldRanks !== null) {
		ranks = new Uint32Array(codes.length);
		for (let row = 0; row < codes.length; row++) {
			ranks[row] = codes[row] === distinct ? folds : foldRanks[codes[row]];
		}
	}
	const { permutation, offsets } = encodePermutation(ranks, folds);
	writer.write(SECTION.permutation, column.code, permutation);
	writer.write(SECTION.permutationOffsets, column.code, offsets);
	if (sections.has("orderBuckets")) {
		const { buckets, firstRanks } = encodeOrderBuckets(codes, foldRanks, offsets);
		writer.write(SECTION.orderBuckets, column.code, buckets);
		writer.write(SECTION.orderBucketRanks, column.code, firstRanks);
	}
	if (sections.has("statePermutation")) {
		writer.write(SECTION.statePermutation, column.code, encodeStatePermutation(permutation, target.states));
	}
	if (sections.has("orderCounts")) {
		writer.write(SECTION.orderCountValues, column.code, target.counted.values);
		writer.write(SECTION.orderCounts, column.code, encodeOrderCounts(permutation, target.counted));
	}
	return { rows: permutation, offsets };
}

/**
 * Writes a file's sections; on an error, closes the file without a header. Does not sync, since the caller syncs all
 * files of the month together. Throws {@link BuildError} `unwritable_file` for file system errors.
 */
export function writeFile(
	path: string,
	type: (typeof FILE_TYPE)[keyof typeof FILE_TYPE],
	target: { readonly month: number; readonly rows: number },
	sections: (writer: SectionFileWriter) => void,
): WrittenFile {
	const writer = new SectionFileWriter(path, type, target.month, target.rows);
	try {
		sections(writer);
		return writer.finish(false);
	} catch (error) {
		writer.abandon();
		if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
		throw new BuildError("unwritable_file", systemErrorText(error), { file: path });
	}
}

function countByState(codes: Uint32Array, distinct: number, states: readonly StateRun[]): CodeCounts[] {
	return countStateValues(codes, states, distinct).map((counted) => ({
		codes: Array.from(counted.codes),
		rows: Array.from(counted.rows),
	}));
}
