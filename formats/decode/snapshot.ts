/**
 * Opens a published month: its catalog, the headers of its files and, on demand, typed views of the sections in the
 * mapped files. Opening costs O(columns) and checks magic, version, lengths and the catalog's checksum;
 * {@link SnapshotFiles.verify} reads every byte and costs O(bytes).
 */

import { join } from "node:path";
import type { Catalog, CatalogColumn } from "../catalog.js";
import { type Column, columnNamed } from "../domain/columns.js";
import { findGroupColumn } from "../domain/groups.js";
import { monthNumber } from "../domain/row-id.js";
import { type EncodedOrderBuckets, encodeOrderBuckets } from "../encode/order-buckets.js";
import { FormatError } from "../errors.js";
import { type MappingMode, mappingMode } from "../files/mmap.js";
import { finishWork } from "../finish-work.js";
import { hashIndexWords } from "../hash.js";
import { CATALOG_FILE, ROW_VALUES_SINCE_VERSION, SECTION } from "../layout.js";
import { NAME_COLUMN } from "../sections.js";
import { Bitmaps, CumulativeBitmaps } from "./bitmaps.js";
import { readCatalog } from "./catalog.js";
import { type Codes, decodeCodes } from "./codes.js";
import { DerivedGroups } from "./derived-groups.js";
import { Dictionary } from "./dictionary.js";
import { FilesInMemory } from "./files-in-memory.js";
import { HashIndex } from "./hash-index.js";
import { NameIndex } from "./name-index.js";
import { NumberIndex } from "./number-index.js";
import { OrderBuckets } from "./order-buckets.js";
import type { Permutation } from "./permutation.js";
import type { Postings } from "./postings.js";
import { RowStore, whileStored } from "./row-store.js";
import { SectionFile } from "./section-file.js";
import { SectionTable } from "./section-table.js";
import { Spellings } from "./spellings.js";
import { StateValues } from "./state-values.js";
import { TextColumn } from "./text.js";

/** Files that are opened before others may run. */
const OPENED_FILES = 8;

/** The files behind one catalog. */
export class SnapshotFiles {
	readonly sections: SectionTable;
	readonly memory: FilesInMemory;
	private readonly columns = new Map<number, CatalogColumn>();
	/** Group columns that the month does not store, by column code. */
	private readonly derived = new Map<number, DerivedGroups>();
	/** For the next {@link openRowStore}. */
	private preparedRows: SnapshotFiles | null = null;

	private constructor(
		/** Folder of the month. */
		readonly folder: string,
		readonly catalog: Catalog,
		/** CRC-32 of the catalog's payload, which includes the CRCs of all sections. */
		readonly crc: number,
		/** Version of the byte layout of the month. */
		readonly version: number,
		private readonly files: readonly SectionFile[],
		private readonly mode: MappingMode,
	) {
		this.sections = new SectionTable(folder, catalog.sections, files);
		this.memory = new FilesInMemory(files);
		for (const column of catalog.columns) this.columns.set(column.code, column);
	}

	/**
	 * Opens the catalog in `folder`, which must be that of `month` if given, and checks the headers of its files.
	 * `mode`: how their bytes are accessed. Throws {@link FormatError}.
	 */
	static open(folder: string, mode: MappingMode = mappingMode(), month?: string): SnapshotFiles {
		return finishWork(SnapshotFiles.openInSlices(folder, mode, month));
	}

	/** {@link open}, yielding after every {@link OPENED_FILES} files, a fraction of a millisecond. */
	static *openInSlices(folder: string, mode: MappingMode, of?: string): Generator<undefined, SnapshotFiles> {
		const { catalog, crc, version } = readCatalog(join(folder, CATALOG_FILE), of);
		const month = monthNumber(catalog.month);
		const files: SectionFile[] = [];
		for (const file of catalog.files) {
			files.push(SectionFile.open(join(folder, file.name), file, month, catalog.rows, mode));
			if (files.length % OPENED_FILES === 0) yield;
		}
		return new SnapshotFiles(folder, catalog, crc, version, files, mode);
	}

	/** Opens the row store for the next {@link openRowStore}, as {@link FilesInMemory.makeAccessibleInSlices}. */
	*prepareRowsInSlices(): Generator<Promise<void>, void, undefined> {
		this.preparedRows = this.openRowFiles();
		if (this.preparedRows !== null) yield* this.preparedRows.memory.makeAccessibleInSlices();
	}

	/** Whether the folder has the catalog that was opened. Cost O(columns). Throws {@link FormatError}. */
	isUnchanged(): boolean {
		return readCatalog(join(this.folder, CATALOG_FILE)).crc === this.crc;
	}

	/** Opens the row store of this snapshot; null if it has none or one rendered from another catalog. */
	openRowStore(): RowStore | null {
		const prepared = this.preparedRows;
		this.preparedRows = null;
		return whileStored(this.folder, null, () => {
			const rows = prepared?.isUnchanged() ? prepared : this.openRowFiles();
			return rows?.asRowStore(this) ?? null;
		});
	}

	/** The files of the row store, as {@link openRowStore}. */
	openRowFiles(): SnapshotFiles | null {
		return whileStored(this.folder, null, (folder) => {
			const store = SnapshotFiles.open(folder, this.mode);
			// Rows stored by an earlier version are JSON, so responses are rendered from the columns instead.
			if (store.version < ROW_VALUES_SINCE_VERSION) return null;
			return store.catalog.parentCrc === this.crc ? store : null;
		});
	}

	/** The rows in these files, which are those of a row store of `month`. */
	asRowStore(month: SnapshotFiles = this): RowStore {
		const segments = this.catalog.files.map((_, segment) => ({
			offsets: this.sections.u32(SECTION.storedRowOffsets, segment),
			heap: this.sections.bytes(SECTION.storedRows, segment),
		}));
		return new RowStore(segments, () => month.memory.useRows(this.memory));
	}

	/** Verifies every byte of the row store, if there is one. Throws the first {@link FormatError}. */
	verifyRowStore(): boolean {
		return whileStored(this.folder, false, (folder) => {
			const store = SnapshotFiles.open(folder, this.mode);
			if (store.catalog.parentCrc !== this.crc) {
				throw new FormatError("wrong_file", folder, "the row store was rendered from another snapshot");
			}
			store.verify();
			return true;
		});
	}

	/** The catalog's entry of a column. Throws {@link FormatError} if there is none. */
	column(column: Column): CatalogColumn {
		const found = this.columns.get(column.code);
		if (found !== undefined) return found;
		const derived = this.derivedGroups(column);
		if (derived === null) throw new FormatError("corrupt_catalog", this.folder, `no column ${column.name}`);
		const { distinct } = derived.dictionary;
		const { nulls } = this.column(columnNamed(derived.source));
		return { code: column.code, name: column.name, distinct, folds: distinct, nulls };
	}

	/** Derived groups of a month that does not store them; null if `column` is stored or not a group column. */
	private derivedGroups(column: Column): DerivedGroups | null {
		const known = this.derived.get(column.code);
		if (known !== undefined) return known;
		const group = findGroupColumn(column.name);
		if (group === undefined || this.columns.has(column.code)) return null;
		const source = columnNamed(group.source);
		const derived = new DerivedGroups(
			group,
			this.codes(source),
			this.dictionary(source),
			this.catalog.states,
		);
		this.derived.set(column.code, derived);
		return derived;
	}

	/** Codes of a dictionary column, by row. */
	codes(column: Column): Codes {
		const derived = this.derivedGroups(column);
		if (derived !== null) return derived.codes;
		const section = this.sections.need(SECTION.codes, column.code);
		return this.sections.sized(
			decodeCodes(this.sections.bytesOf(section), section.width),
			this.catalog.rows,
			section,
		);
	}

	dictionary(column: Column): Dictionary {
		const derived = this.derivedGroups(column);
		if (derived !== null) return derived.dictionary;
		const { distinct, folds } = this.column(column);
		const offsets = this.sections.u32(SECTION.dictionaryOffsets, column.code, distinct + 1);
		const heap = this.sections.bytes(SECTION.dictionaryHeap, column.code);
		return new Dictionary(offsets, heap, this.foldRanks(column), folds, this.hashIndex(column));
	}

	/** The hash index of the column's dictionary; null if it has none. */
	hashIndex(column: Column): HashIndex | null {
		if (!this.sections.has(SECTION.hashIndex, column.code)) return null;
		const { distinct } = this.column(column);
		const words = this.sections.u32(SECTION.hashIndex, column.code, hashIndexWords(distinct));
		return new HashIndex(words, distinct);
	}

	/** By word of the column's hash index, the row that has its value alone; null in months without them. */
	hashRows(column: Column): Uint32Array | null {
		if (!this.sections.has(SECTION.hashRows, column.code)) return null;
		return this.sections.u32(SECTION.hashRows, column.code, hashIndexWords(this.column(column).distinct));
	}

	text(column: Column): TextColumn {
		const offsets = this.sections.u32(SECTION.textOffsets, column.code, this.catalog.rows + 1);
		return new TextColumn(offsets, this.sections.bytes(SECTION.textHeap, column.code));
	}

	/** Sort orders of a sortable column. */
	permutation(column: Column): Permutation {
		const { rows } = this.catalog;
		return {
			rows: this.sections.u32(SECTION.permutation, column.code, rows),
			offsets: this.sections.u32(SECTION.permutationOffsets, column.code, this.column(column).folds + 1),
			byState: this.sections.has(SECTION.statePermutation, column.code)
				? this.sections.u32(SECTION.statePermutation, column.code, rows)
				: null,
		};
	}

	/**
	 * Order buckets of a sortable column. If codes fit in a byte and have distinct folds, the codes are the buckets.
	 * For months of version 1, which store none, they are computed in O(rows).
	 */
	orderBuckets(column: Column): OrderBuckets {
		const codes = this.codes(column);
		const { folds } = this.column(column);
		const ranks = this.foldRanks(column);
		if (codes instanceof Uint8Array && ranks === null) return new OrderBuckets(codes, null, folds);
		const { buckets, firstRanks } =
			this.storedOrderBuckets(column) ?? encodeOrderBuckets(codes, ranks, this.permutation(column).offsets);
		return new OrderBuckets(buckets, firstRanks, folds);
	}

	/** The stored order buckets; null if the column has none. */
	storedOrderBuckets(column: Column): EncodedOrderBuckets | null {
		if (!this.sections.has(SECTION.orderBuckets, column.code)) return null;
		const section = this.sections.need(SECTION.orderBuckets, column.code);
		const buckets: Uint8Array = this.sections.bytesOf(section);
		this.sections.sized(buckets, this.catalog.rows, section);
		return { buckets, firstRanks: this.sections.u32(SECTION.orderBucketRanks, column.code) };
	}

	/** Rows by code of a filtered column. If all folds are distinct, the permutation serves as postings. */
	postings(column: Column): Postings {
		const derived = this.derivedGroups(column);
		if (derived !== null) return derived.postings();
		const { distinct, nulls } = this.column(column);
		const valued = this.catalog.rows - nulls;
		if (!this.sections.has(SECTION.postingOffsets, column.code)) {
			const offsets = this.sections.u32(SECTION.permutationOffsets, column.code, distinct + 1);
			return {
				offsets,
				rows: this.sections.u32(SECTION.permutation, column.code, this.catalog.rows).subarray(0, valued),
			};
		}
		return {
			offsets: this.sections.u32(SECTION.postingOffsets, column.code, distinct + 1),
			rows: this.sections.u32(SECTION.postings, column.code, valued),
		};
	}

	/** Bitmaps of the column's frequent codes; null if the column has none. */
	bitmaps(column: Column): Bitmaps | null {
		return Bitmaps.open(this.sections, column.code, this.catalog.rows);
	}

	/** Cumulative bitmaps over the column's permutation, else over its postings; null if it has none. */
	cumulativeBitmaps(column: Column): CumulativeBitmaps | null {
		return CumulativeBitmaps.open(this.sections, column.code, this.catalog.rows);
	}

	/** The words of full names, which list rows, or of values of `WORD_COLUMNS`, which list codes; null in older months. */
	nameIndex(column: Column): NameIndex | null {
		const { distinct } = this.column(column);
		const listed = column.name === NAME_COLUMN ? this.catalog.rows : distinct;
		return NameIndex.open(this.sections, column.code, distinct, listed);
	}

	/** Which values of one of `SPELLED_COLUMNS` are spellings of one name; null in months of versions before 9. */
	spellings(column: Column): Spellings | null {
		return Spellings.open(this.sections, column.code);
	}

	/** The index of license numbers by key; null in months of older versions. */
	numberIndex(column: Column): NumberIndex | null {
		return NumberIndex.open(this.sections, column.code, this.column(column).distinct);
	}

	/** The values of each state's rows, of a column that is suggested; null in months of versions before 6. */
	stateValues(column: Column): StateValues | null {
		const states = this.catalog.states.length;
		return StateValues.open(this.sections, column.code, states, () => this.dictionary(column));
	}

	/** The section of the precomputed statistics: one MessagePack document. */
	stats(): Buffer {
		return this.sections.bytes(SECTION.stats, 0);
	}

	/** Verifies every byte against its checksum. Throws the first {@link FormatError}. Cost O(bytes). */
	verify(): void {
		for (const _ of this.verifyInSlices());
	}

	/** {@link verify}, yielding every fraction of a millisecond. */
	*verifyInSlices(): Generator<undefined, void, undefined> {
		for (const [file, sections] of this.sectionsByFile()) yield* file.verifyInSlices(sections);
	}

	/** Like {@link verify}, at the caller's pace; see {@link SectionFile.readThrough}. */
	*readThrough(buffer: Buffer): Generator<number> {
		for (const [file, sections] of this.sectionsByFile()) yield* file.readThrough(sections, buffer);
	}

	private sectionsByFile() {
		const { sections } = this.catalog;
		return this.files.map((file, i) => [file, sections.filter((each) => each.file === i)] as const);
	}

	/** The rank of each code; null if every rank equals its code. */
	private foldRanks(column: Column): Uint32Array | null {
		if (!this.sections.has(SECTION.foldRanks, column.code)) return null;
		return this.sections.u32(SECTION.foldRanks, column.code, this.column(column).distinct);
	}
}
