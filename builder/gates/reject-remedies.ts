/** The settings of a map that mend the reasons that rows are rejected for, where there are any. */

import type { RejectReason } from "../csv/parsed-month.js";

const REMEDIES: Readonly<Partial<Record<RejectReason, string>>> = {
	wrong_column_count: 'check "delimiter" in a --map file; "skipMatching" skips lines that are no rows',
	invalid_utf8: 'set "encoding" in a --map file, such as to windows-1252',
	unreadable_date: 'set "dateFormat" in a --map file, or "nulls" to texts that mean no date',
	impossible_date: '"invalidDates": "null" in a --map file keeps such rows without the date',
	invalid_integer: 'map the column to null in "columns" of a --map file to skip it',
	unknown_jurisdiction:
		'in a --map file, "values" replaces texts of state, and "constants" sets it for all rows if no column does',
	country_mismatch: 'in a --map file, "values" replaces texts of country, and null in "columns" skips it',
};

/** How rows rejected for `reason` are mended, in parentheses after a space; empty if no setting does it. */
export function remedyText(reason: RejectReason): string {
	const remedy = REMEDIES[reason];
	return remedy === undefined ? "" : ` (${remedy})`;
}
