/** Records that lack cells at the end, where a map accepts them. */

import { QUOTE } from "./byte-classes.js";
import type { FieldTable } from "./field-table.js";

/**
 * Whether a field of `record` without quotes has one, as has the rest of a cell with a line end whose first line was
 * rejected. `begin`: where the record begins. Cost O(bytes of the record).
 */
export function hasLiteralQuote(
	bytes: Uint8Array,
	begin: number,
	{ starts, ends, records }: FieldTable,
	record: number,
	fields: number,
): boolean {
	for (let field = 0, cell = record; field < fields; field++, cell += records) {
		const isQuoted = starts[cell] > begin && bytes[starts[cell] - 1] === QUOTE;
		for (let i = starts[cell]; !isQuoted && i < ends[cell]; i++) if (bytes[i] === QUOTE) return true;
	}
	return false;
}

/** Empties the cells of `record` after its `fields` fields, which end at `position`. */
export function emptyCells(
	{ starts, ends, flags, records }: FieldTable,
	record: number,
	fields: number,
	position: number,
): void {
	for (let cell = fields * records + record; cell < starts.length; cell += records) {
		starts[cell] = position;
		ends[cell] = position;
		flags[cell] = 0;
	}
}
