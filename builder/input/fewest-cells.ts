/** How few cells a record may have where a map accepts records that lack some at the end. */

import { type ColumnName, REQUIRED_COLUMNS } from "../../formats/domain/columns.js";
import type { CellStep } from "./cell-steps.js";

/** A line of one cell is a title or a total rather than a record. */
const CELLS_MIN = 2;

/**
 * The cells up to those that fill the required columns, of which at least one cell is needed each. `fields`: number of the
 * file's; `filledBy`: by column, the field that fills it, which may be one of `steps`.
 */
export function fewestCells(
	fields: number,
	filledBy: ReadonlyMap<ColumnName, number>,
	steps: readonly CellStep[],
): number {
	const firstOf = (field: number): number => {
		if (field < fields) return field;
		const step = steps.find((each) => fieldsFilledBy(each).includes(field));
		if (step === undefined) throw new Error(`no step fills field ${field}`);
		return "fields" in step ? Math.min(...step.fields.map(firstOf)) : firstOf(step.field);
	};
	const needed = REQUIRED_COLUMNS.map((name) => filledBy.get(name)).filter((field) => field !== undefined);
	return Math.min(fields, Math.max(CELLS_MIN, ...needed.map((field) => firstOf(field) + 1)));
}

function fieldsFilledBy({ into }: CellStep): number[] {
	return typeof into === "number" ? [into] : into.map(({ field }) => field);
}
