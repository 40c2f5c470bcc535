/**
 * What changed from one month to a later one, by rows of the two (formats/SNAPSHOT.md, "Changes between
 * two months"): what encode/changes.ts writes, decode/changes.ts reads and the engine computes.
 */

import { COLUMNS, type Column, type ColumnName } from "./columns.js";

/** In `previousRows`: the older month does not have the license. */
export const PREVIOUS_NONE = 0xffffffff;
/** In `previousRows`: the row repeats a license or has no license number, and is not compared. */
export const PREVIOUS_UNKNOWN = 0xfffffffe;

/** Columns whose changes are reported, in output order. */
export const TRACKED_COLUMNS: readonly Column[] = COLUMNS.filter((column) => column.tracked);

/** Licenses by what happened to them. */
export interface ChangeTotals {
	readonly new: number;
	readonly gone: number;
	readonly changed: number;
}

/** The changes from a month to a later one. Bitmaps are as of formats/SNAPSHOT.md. */
export interface MonthChanges {
	readonly totals: ChangeTotals;
	/** By row of the newer month: the row of the older, {@link PREVIOUS_NONE} or {@link PREVIOUS_UNKNOWN}. */
	readonly previousRows: Uint32Array;
	/** Over the newer month. */
	readonly newRows: Uint32Array;
	/** Over the older month. */
	readonly goneRows: Uint32Array;
	/** Over the newer month: all that `fields` holds. */
	readonly changedRows: Uint32Array;
	/** Over the newer month, by tracked column. */
	readonly fields: ReadonlyMap<ColumnName, Uint32Array>;
}
