/** The interface of readers of a source's bytes, independent of source and compression. */

import type { DayNumbers } from "./day-numbers.js";

/** A place of a source that has an oddity. */
export interface OddSample {
	/** Physical line or row of a sheet, 1-based. */
	readonly line: number;
	/** At most {@link ODD_SAMPLE_CHARACTERS_MAX} characters. */
	readonly text: string;
}

/** Samples kept of an oddity: the first ones. */
export const ODD_SAMPLES_MAX = 5;
export const ODD_SAMPLE_CHARACTERS_MAX = 120;

/** A peculiarity of a source that only its reader detects. */
export interface SourceOddity {
	readonly kind:
		| "unread_sheet"
		| "formula_error"
		| "uncalculated_formula"
		| "bare_number"
		| "merged_cell"
		| "hidden_row";
	/** The sheet concerned, or the position of the column, counted from 0; null: none. */
	readonly column: string | number | null;
	readonly count: number;
	/** The last line concerned, 1-based, where it is none of the records' if it is not below the header; absent: below. */
	readonly row?: number;
	readonly samples?: readonly OddSample[];
}

/** What a workbook says of itself. */
export interface WorkbookTraits {
	/** How its day numbers without a date format are read. */
	readonly dayNumbers: DayNumbers;
}

export interface ByteReader {
	/** Bytes read so far, before decompression and recoding. */
	readonly sourceBytes: number;
	/**
	 * Fills `target` completely unless the source ends. Throws BuildError `unreadable_file`,
	 * `corrupt_compression` or `limit_exceeded`.
	 */
	read(target: Uint8Array): Promise<number>;
	/** Of a workbook, whose bytes are UTF-8 whatever the map says; absent or null: the source is none. */
	readonly workbook?: WorkbookTraits | null;
	/** Complete once everything is read. */
	oddities?(): readonly SourceOddity[];
	close(): Promise<void>;
}
