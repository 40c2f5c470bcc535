/**
 * The catalog of a snapshot as plain data, written by encode/catalog.ts and read by decode/catalog.ts.
 *
 * Invariants: `states` is in canonical order (country, then state) and its runs are contiguous and
 * cover all rows; `sections` refer to `files` by index; a row store's catalog carries `parentCrc`,
 * the payload CRC of the catalog it was rendered from.
 */

import type { FileType, SectionKind } from "./layout.js";

export interface CatalogFile {
	readonly name: string;
	readonly type: FileType;
	/** Bytes of the whole file, header included. */
	readonly bytes: number;
}

export interface CatalogSection {
	readonly kind: SectionKind;
	/** Code of the column the section belongs to; 0 for sections of the whole snapshot. */
	readonly column: number;
	/** Index into `files`. */
	readonly file: number;
	/** Offset of the first byte from the start of the file; a multiple of 64. */
	readonly offset: number;
	readonly bytes: number;
	/** Bytes of one element: 1, 2 or 4. */
	readonly width: ElementWidth;
	/** CRC-32 of the section's bytes. */
	readonly crc: number;
}

export type ElementWidth = 1 | 2 | 4;

export interface CatalogColumn {
	readonly code: number;
	readonly name: string;
	/** Distinct values; 0 for text columns, which have no dictionary. */
	readonly distinct: number;
	/** Distinct folded values; 0 for text columns. */
	readonly folds: number;
	/** Rows without a value. */
	readonly nulls: number;
}

export interface StateRun {
	readonly country: string;
	readonly state: string;
	/** 0-based row of the run's first license. */
	readonly first: number;
	readonly rows: number;
}

export interface Catalog {
	/** `YYYY-MM`. */
	readonly month: string;
	readonly rows: number;
	readonly columns: readonly CatalogColumn[];
	readonly files: readonly CatalogFile[];
	readonly sections: readonly CatalogSection[];
	readonly states: readonly StateRun[];
	/** 0 in the catalog of a snapshot itself. */
	readonly parentCrc: number;
}
