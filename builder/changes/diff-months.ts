/**
 * The changes from one month to another, counted by state and by field and listed one by one, for
 * `builder diff`. engine/changes/compare-months.ts defines what counts as a change.
 *
 * Cost O(rows + distinct values).
 */

import { compareMonths, rowsOf } from "../../engine/index.js";
import {
	type ColumnName,
	columnNamed,
	type MonthChanges,
	PREVIOUS_UNKNOWN,
	type SnapshotFiles,
	TRACKED_COLUMNS,
} from "../../formats/index.js";

export interface StateDiff {
	readonly state: string;
	/** Rows in each of the months. */
	readonly rows_from: number;
	readonly rows_to: number;
	/** Numbers of licenses. */
	new: number;
	gone: number;
	changed: number;
	/** Changed licenses by field; fields without changes are omitted. */
	readonly fields: Record<string, number>;
}

export interface MonthDiff {
	readonly from: string;
	readonly to: string;
	/** In the order of `to`, then the states that only `from` has. */
	readonly states: readonly StateDiff[];
	readonly new: number;
	readonly gone: number;
	readonly changed: number;
	/** Changed licenses by field, in output order. */
	readonly fields: readonly { readonly field: string; readonly changed: number }[];
	/** Rows that were not compared because they repeat a license or have no license number. */
	readonly not_compared: { readonly from: number; readonly to: number };
}

/** One difference between the months. */
export interface LicenseChange {
	readonly change: "new" | "gone" | "changed";
	readonly state: string;
	readonly license_number: string;
	/** The changed field. This and the values below are null for new and gone licenses. */
	readonly field: ColumnName | null;
	readonly from: string | null;
	readonly to: string | null;
}

/** Compares two open months. `onChange` receives every difference: new, then gone, then changed, by row. */
export function diffMonths(
	from: SnapshotFiles,
	to: SnapshotFiles,
	onChange?: (change: LicenseChange) => void,
): MonthDiff {
	const changes = compareMonths(from, to);
	const states = new Map<string, StateDiff>();
	const rowsIn = ({ catalog }: SnapshotFiles, state: string) =>
		catalog.states.find((run) => run.state === state)?.rows ?? 0;
	for (const { state } of [...to.catalog.states, ...from.catalog.states]) {
		const counts = { rows_from: rowsIn(from, state), rows_to: rowsIn(to, state) };
		states.set(state, { state, ...counts, new: 0, gone: 0, changed: 0, fields: {} });
	}
	for (const change of listChanges(from, to, changes)) {
		const diff = states.get(change.state) as StateDiff;
		if (change.field === null) diff[change.change]++;
		else diff.fields[change.field] = (diff.fields[change.field] ?? 0) + 1;
		onChange?.(change);
	}
	const stateOf = valuesOf(to, "state");
	for (const row of rowsOf(changes.changedRows)) (states.get(stateOf(row) ?? "") as StateDiff).changed++;
	const { totals } = changes;
	const matched = changes.previousRows.reduce((sum, row) => sum + (row < PREVIOUS_UNKNOWN ? 1 : 0), 0);
	const list = [...states.values()];
	return {
		from: from.catalog.month,
		to: to.catalog.month,
		states: list,
		...totals,
		fields: TRACKED_COLUMNS.map(({ name }) => ({
			field: name,
			changed: list.reduce((sum, diff) => sum + (diff.fields[name] ?? 0), 0),
		})),
		not_compared: {
			from: from.catalog.rows - matched - totals.gone,
			to: to.catalog.rows - matched - totals.new,
		},
	};
}

/** Every difference; one per changed field of a license. */
function* listChanges(
	from: SnapshotFiles,
	to: SnapshotFiles,
	changes: MonthChanges,
): Generator<LicenseChange> {
	const unchanged = { field: null, from: null, to: null };
	for (const [change, files, rows] of [
		["new", to, changes.newRows],
		["gone", from, changes.goneRows],
	] as const) {
		const describe = licensesOf(files);
		for (const row of rowsOf(rows)) yield { change, ...describe(row), ...unchanged };
	}
	const describe = licensesOf(to);
	const fields = TRACKED_COLUMNS.map(({ name }) => ({
		name,
		rows: changes.fields.get(name) as Uint32Array,
		before: valuesOf(from, name),
		now: valuesOf(to, name),
	}));
	for (const row of rowsOf(changes.changedRows)) {
		const license = describe(row);
		for (const { name, rows, before, now } of fields) {
			if (((rows[row >>> 5] >>> (row & 31)) & 1) === 0) continue;
			const values = { from: before(changes.previousRows[row]), to: now(row) };
			yield { change: "changed", ...license, field: name, ...values };
		}
	}
}

/** Returns a function from a row to its license. */
function licensesOf(files: SnapshotFiles): (row: number) => { state: string; license_number: string } {
	const state = valuesOf(files, "state");
	const number = valuesOf(files, "member_state_license_number");
	return (row) => ({ state: state(row) ?? "", license_number: number(row) ?? "" });
}

/** Returns a function from a row to its value in a dictionary column. */
function valuesOf(files: SnapshotFiles, name: ColumnName): (row: number) => string | null {
	const column = columnNamed(name);
	const codes = files.codes(column);
	const dictionary = files.dictionary(column);
	return (row) => dictionary.value(codes[row]);
}
