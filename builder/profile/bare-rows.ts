/**
 * Rows with a license number or a name and nothing else, as lines of totals that end a report become where the state is a
 * constant of the map. Values that all rows of a state share are not counted: they may be constants, too.
 */

import {
	type Column,
	type ColumnName,
	columnNamed,
	INPUT_COLUMNS,
	type SnapshotFiles,
	type StateRun,
} from "../../formats/index.js";
import { type OddValues, SAMPLES_MAX, shortened } from "./odd-rows.js";

const NUMBER = "member_state_license_number";
const NAMES: readonly ColumnName[] = ["member_full_name", "member_first_name", "member_last_name"];
/** Columns that are judged by none of their values: every row has a state. */
const UNJUDGED: readonly ColumnName[] = [NUMBER, "state", "country"];

/**
 * One entry for each state with such rows, unless they are half of its rows or more. Where no row has more than a number and a
 * name, those without a name. Cost O(rows) of few columns: nearly every row has a value in the first one examined.
 */
export function findBareRows(files: SnapshotFiles): OddValues[] {
	const given = INPUT_COLUMNS.filter(({ name }) => !UNJUDGED.includes(name))
		.map((column) => ({ column, nulls: files.column(column).nulls }))
		.filter(({ nulls }) => nulls < files.catalog.rows)
		.sort((a, b) => a.nulls - b.nulls)
		.map(({ column }) => column);
	const names = given.filter(({ name }) => NAMES.includes(name));
	const others = given.filter(({ name }) => !NAMES.includes(name));
	return files.catalog.states.flatMap((run) => {
		const bare = emptyRows(files, others, run) ?? emptyRows(files, names, run) ?? [];
		if (bare.length === 0 || 2 * bare.length >= run.rows) return [];
		const samples = bare.slice(0, SAMPLES_MAX).map((row) => sampleOf(files, row));
		return [{ kind: "bare_row" as const, column: NUMBER, state: run.state, rows: bare.length, samples }];
	});
}

/** Rows of `run` without a value in any of `columns`; null if no column has different values in these rows. */
function emptyRows(
	files: SnapshotFiles,
	columns: readonly Column[],
	run: StateRun,
): readonly number[] | null {
	let found: number[] | null = null;
	for (const column of columns) {
		const isEmpty = emptyCells(files, column, run);
		if (isEmpty === null) continue;
		if (found !== null) found = found.filter(isEmpty);
		else {
			found = [];
			for (let row = run.first; row < run.first + run.rows; row++) if (isEmpty(row)) found.push(row);
		}
		if (found.length === 0) break;
	}
	return found;
}

/** Whether a row has no value of `column`; null if all rows of `run` have the same, or none. */
function emptyCells(
	files: SnapshotFiles,
	column: Column,
	{ first, rows }: StateRun,
): ((row: number) => boolean) | null {
	if (column.kind === "string") {
		const { offsets } = files.text(column);
		return offsets[first] === offsets[first + rows] ? null : (row) => offsets[row] === offsets[row + 1];
	}
	const codes = files.codes(column);
	const none = files.dictionary(column).distinct;
	let row = first;
	while (row < first + rows && codes[row] === codes[first]) row++;
	return row === first + rows ? null : (other) => codes[other] === none;
}

/** The license number of a row, or the name if it has none. */
function sampleOf(files: SnapshotFiles, row: number): string {
	const values = ([NUMBER, ...NAMES] as const).map((name) => {
		const column = columnNamed(name);
		return files.dictionary(column).value(files.codes(column)[row]);
	});
	return shortened(values.find((value) => value !== null) ?? "");
}
