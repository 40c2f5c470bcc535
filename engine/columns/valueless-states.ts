/** The states whose rows have no value of a column, as where a licensing body does not publish it. */

import type { Column, ColumnName, StateRun } from "../../formats/index.js";
import type { ValueSections } from "./state-sets.js";

type Counted = "license_status" | "member_type";

/** The columns whose values are counted by state when a month is built, and those derived from them. */
const COUNTED: Partial<Record<ColumnName, Counted>> = {
	member_license_status: "license_status",
	member_type: "member_type",
};
const DERIVED: Partial<Record<ColumnName, Counted>> = {
	license_status_group: "license_status",
	member_type_group: "member_type",
};

export class ValuelessStates {
	/** By column's code. */
	private readonly known: (readonly StateRun[] | undefined)[] = [];

	constructor(
		private readonly states: readonly StateRun[],
		private readonly columns: Omit<ValueSections, "rows">,
	) {}

	/**
	 * Those with rows, in canonical order, of a column with a dictionary. Cost O(1) but for the first time, which is
	 * O(states) for a column that is sortable or counted, else O(rows of states before the first one with a value).
	 */
	of(column: Column): readonly StateRun[] {
		const known = this.known[column.code];
		if (known !== undefined) return known;
		const found = this.states.filter((run, number) => run.rows > 0 && !this.hasValue(column, run, number));
		this.known[column.code] = found;
		return found;
	}

	private hasValue(column: Column, { first, rows }: StateRun, number: number): boolean {
		const counted = COUNTED[column.name] ?? DERIVED[column.name];
		if (counted !== undefined) {
			const hasCounted = this.columns.stats.states[number][counted].codes.length > 0;
			if (!hasCounted || COUNTED[column.name] !== undefined) return hasCounted;
		}
		const codes = this.columns.codes.get(column);
		const { distinct } = this.columns.dictionary.get(column);
		if (column.sortable) {
			// In order, the rows without a value are last.
			const { byState } = this.columns.permutation.get(column);
			return codes[byState === null ? first : byState[first]] !== distinct;
		}
		for (let row = first; row < first + rows; row++) if (codes[row] !== distinct) return true;
		return false;
	}
}
