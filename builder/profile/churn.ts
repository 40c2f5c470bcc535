/**
 * How many licenses are new, gone and changed between two months, by state and by field. Cost
 * O(tracked fields × rows / 32).
 */

import {
	type MonthChanges,
	type SnapshotFiles,
	type StateRun,
	TRACKED_COLUMNS,
} from "../../formats/index.js";

export interface StateChurn {
	readonly state: string;
	/** Rows in the older month and in the newer. */
	readonly before: number;
	readonly rows: number;
	readonly new: number;
	readonly gone: number;
	readonly changed: number;
	/** Changed licenses by field; fields without changes are omitted. */
	readonly fields: Readonly<Record<string, number>>;
}

export interface Churn {
	/** The older month, `YYYY-MM`. */
	readonly previous: string;
	readonly totals: { readonly new: number; readonly gone: number; readonly changed: number };
	/** Changed licenses by tracked field, in output order. */
	readonly fields: readonly { readonly field: string; readonly changed: number }[];
	/** States of either month, in the order of codes. */
	readonly states: readonly StateChurn[];
}

/** The churn that `changes` from `from` to `to` show. */
export function churnOf(changes: MonthChanges, from: SnapshotFiles, to: SnapshotFiles): Churn {
	const before = byState(from.catalog.states);
	const after = byState(to.catalog.states);
	const states = [...new Set([...before.keys(), ...after.keys()])].sort();
	const counted = states.map((state) => {
		const older = before.get(state);
		const newer = after.get(state);
		return {
			state,
			before: older?.rows ?? 0,
			rows: newer?.rows ?? 0,
			new: countBits(changes.newRows, newer),
			gone: countBits(changes.goneRows, older),
			changed: countBits(changes.changedRows, newer),
			fields: Object.fromEntries(
				TRACKED_COLUMNS.map(({ name }) => [name, countBits(changes.fields.get(name), newer)] as const).filter(
					([, count]) => count > 0,
				),
			),
		};
	});
	return {
		previous: from.catalog.month,
		totals: changes.totals,
		fields: TRACKED_COLUMNS.map(({ name }) => ({
			field: name,
			changed: counted.reduce((sum, { fields }) => sum + (fields[name] ?? 0), 0),
		})),
		states: counted,
	};
}

function byState(states: readonly StateRun[]): Map<string, StateRun> {
	return new Map(states.map((run) => [run.state, run]));
}

/** Bits of a run's rows. Cost O(rows / 32). */
export function countBits(words: Uint32Array | undefined, run: StateRun | undefined): number {
	if (words === undefined || run === undefined) return 0;
	let count = 0;
	const end = run.first + run.rows;
	for (let row = run.first; row < end; ) {
		const bits = words[row >>> 5] >>> (row & 31);
		const left = Math.min(32 - (row & 31), end - row);
		count += ones(left === 32 ? bits : bits & ((1 << left) - 1));
		row += left;
	}
	return count;
}

function ones(bits: number): number {
	let word = bits - ((bits >>> 1) & 0x55555555);
	word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
	return (((word + (word >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
