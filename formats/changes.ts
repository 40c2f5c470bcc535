/**
 * The changes from one month to a later one, by row numbers of both (formats/SNAPSHOT.md, "Changes between
 * two months"). The engine computes them; encode/changes.ts and decode/changes.ts store them.
 */

import { COLUMNS, type Column, type ColumnName } from "./domain/columns.js";
import { GROUP_COLUMNS } from "./domain/groups.js";
import { ROWS_PER_SEGMENT } from "./layout.js";

/** In `previousRows`: the older month does not have the license. */
export const PREVIOUS_NONE = 0xffffffff;
/** In `previousRows`: the row repeats a license or has no license number, and is not compared. */
export const PREVIOUS_UNKNOWN = 0xfffffffe;

/** Columns whose changes are reported, in output order. */
export const TRACKED_COLUMNS: readonly Column[] = COLUMNS.filter((column) => column.tracked);

/** What changed licenses may be asked for by: tracked columns, and the groups that are derived from two of them. */
export const CHANGE_FIELDS: readonly ColumnName[] = [
	...TRACKED_COLUMNS.map(({ name }) => name),
	...GROUP_COLUMNS.map(({ column }) => column),
];

/** Numbers of licenses by kind of change. */
export interface ChangeTotals {
	readonly new: number;
	readonly gone: number;
	readonly changed: number;
}

/**
 * Most rows of the older month that are stored with changes: a sixteenth of the newer month's rows, so that they take
 * less than a twentieth of its space, and of small months some thousand.
 */
export function olderRowsMax(newerRows: number): number {
	return Math.min(ROWS_PER_SEGMENT, Math.max(4_096, newerRows >>> 4));
}

/** The changes from a month to a later one. Bitmaps have the layout of formats/SNAPSHOT.md. */
export interface MonthChanges {
	readonly totals: ChangeTotals;
	/** For each row of the newer month: its row in the older, {@link PREVIOUS_NONE} or {@link PREVIOUS_UNKNOWN}. */
	readonly previousRows: Uint32Array;
	/** Over the newer month. */
	readonly newRows: Uint32Array;
	/** Over the older month. */
	readonly goneRows: Uint32Array;
	/** Over the newer month: the union of `fields`. */
	readonly changedRows: Uint32Array;
	/** Over the newer month, by tracked column. */
	readonly fields: ReadonlyMap<ColumnName, Uint32Array>;
}
