/**
 * What changed from one month to another: licenses that are new, gone, or have another value in a
 * field that history tracks, by state and by field.
 *
 * A license is its (state, license number). Where a month lists one more than once, its first row
 * speaks for it, as in the API's history. Rows without a license number cannot be told apart, and are
 * counted only.
 *
 * Cost O(rows + distinct values): values are compared as codes, once the dictionaries are matched.
 */

import {
	COLUMNS,
	type Codes,
	type Column,
	type ColumnName,
	columnNamed,
	type Dictionary,
	type SnapshotFiles,
} from "../../formats/index.js";
import { ABSENT, matchDictionaries } from "./dictionary-match.js";

export interface StateDiff {
	readonly state: string;
	/** Rows in each of the months. */
	readonly rows_from: number;
	readonly rows_to: number;
	/** Licenses. */
	new: number;
	gone: number;
	changed: number;
	/** Changed licenses by field; fields without a change are left out. */
	readonly fields: Record<string, number>;
}

export interface MonthDiff {
	readonly from: string;
	readonly to: string;
	/** In the order of `to`, then those that `from` alone has. */
	readonly states: readonly StateDiff[];
	readonly new: number;
	readonly gone: number;
	readonly changed: number;
	/** Changed licenses by field, in output order. */
	readonly fields: readonly { readonly field: string; readonly changed: number }[];
	/** Rows that repeat a license of their month, or have no license number, and were not compared. */
	readonly not_compared: { readonly from: number; readonly to: number };
}

/** One difference, as {@link diffMonths} finds it. */
export interface LicenseChange {
	readonly change: "new" | "gone" | "changed";
	readonly state: string;
	readonly license_number: string;
	/** Null for a license that is new or gone, as are the two below. */
	readonly field: ColumnName | null;
	readonly from: string | null;
	readonly to: string | null;
}

/** Fields that are compared. */
const COMPARED: readonly Column[] = COLUMNS.filter((column) => column.tracked);
const LICENSE = columnNamed("member_state_license_number");

interface Field {
	readonly column: Column;
	readonly from: Dictionary;
	readonly to: Dictionary;
	readonly fromCodes: Codes;
	readonly toCodes: Codes;
	/** Code in `to` of every code in `from`. */
	readonly match: Int32Array;
}

/** Compares two open months; `onChange` is told every difference, by license number. */
export function diffMonths(
	from: SnapshotFiles,
	to: SnapshotFiles,
	onChange?: (change: LicenseChange) => void,
): MonthDiff {
	return new MonthComparison(from, to, onChange ?? null).run();
}

class MonthComparison {
	private readonly states = new Map<string, StateDiff>();
	/** State of every row's run, by run. */
	private readonly fromStates: RunFinder;
	private readonly toStates: RunFinder;
	private readonly fields: readonly Field[];
	private readonly fromLicenses: Dictionary;
	private readonly toLicenses: Dictionary;
	private compared = { from: 0, to: 0 };

	constructor(
		private readonly from: SnapshotFiles,
		private readonly to: SnapshotFiles,
		private readonly onChange: ((change: LicenseChange) => void) | null,
	) {
		this.fromStates = new RunFinder(from);
		this.toStates = new RunFinder(to);
		this.fromLicenses = from.dictionary(LICENSE);
		this.toLicenses = to.dictionary(LICENSE);
		this.fields = COMPARED.map((column) => {
			const [a, b] = [from.dictionary(column), to.dictionary(column)];
			return {
				column,
				from: a,
				to: b,
				fromCodes: from.codes(column),
				toCodes: to.codes(column),
				match: matchDictionaries(a, b),
			};
		});
		const rows = (files: SnapshotFiles, state: string) =>
			files.catalog.states.find((run) => run.state === state)?.rows ?? 0;
		for (const { state } of [...to.catalog.states, ...from.catalog.states]) {
			const counts = { rows_from: rows(from, state), rows_to: rows(to, state) };
			this.states.set(state, { state, ...counts, new: 0, gone: 0, changed: 0, fields: {} });
		}
	}

	run(): MonthDiff {
		const fromPostings = this.from.postings(LICENSE);
		const toPostings = this.to.postings(LICENSE);
		const match = matchDictionaries(this.fromLicenses, this.toLicenses);
		const matched = new Uint8Array(this.toLicenses.distinct);
		for (let code = 0; code < this.fromLicenses.distinct; code++) {
			const fromRows = this.fromStates.firstRows(fromPostings.rows, fromPostings.offsets, code);
			this.compared.from += fromRows.size;
			const other = match[code];
			if (other !== ABSENT) matched[other] = 1;
			const toRows =
				other === ABSENT ? NONE : this.toStates.firstRows(toPostings.rows, toPostings.offsets, other);
			this.compareLicense(fromRows, toRows, code, other);
			this.compared.to += toRows.size;
		}
		for (let code = 0; code < matched.length; code++) {
			if (matched[code] === 1) continue;
			const toRows = this.toStates.firstRows(toPostings.rows, toPostings.offsets, code);
			this.compareLicense(NONE, toRows, ABSENT, code);
			this.compared.to += toRows.size;
		}
		return this.summary();
	}

	/** Compares the rows of one license number, by state. */
	private compareLicense(
		fromRows: ReadonlyMap<string, number>,
		toRows: ReadonlyMap<string, number>,
		fromCode: number,
		toCode: number,
	): void {
		for (const [state, row] of fromRows) {
			const other = toRows.get(state);
			if (other === undefined) this.tellMembership("gone", state, this.fromLicenses.value(fromCode));
			else this.compareRows(state, row, other);
		}
		for (const state of toRows.keys()) {
			if (!fromRows.has(state)) this.tellMembership("new", state, this.toLicenses.value(toCode));
		}
	}

	private tellMembership(change: "new" | "gone", state: string, license: string | null): void {
		this.diffOf(state)[change]++;
		this.onChange?.({ change, state, license_number: license ?? "", field: null, from: null, to: null });
	}

	private compareRows(state: string, fromRow: number, toRow: number): void {
		let changed = false;
		for (const field of this.fields) {
			const fromCode = field.fromCodes[fromRow];
			const toCode = field.toCodes[toRow];
			if (field.match[fromCode] === toCode) continue;
			changed = true;
			const diff = this.diffOf(state);
			diff.fields[field.column.name] = (diff.fields[field.column.name] ?? 0) + 1;
			this.onChange?.({
				change: "changed",
				state,
				license_number: this.toLicenses.value(this.to.codes(LICENSE)[toRow]) ?? "",
				field: field.column.name,
				from: field.from.value(fromCode),
				to: field.to.value(toCode),
			});
		}
		if (changed) this.diffOf(state).changed++;
	}

	private diffOf(state: string): StateDiff {
		return this.states.get(state) as StateDiff;
	}

	private summary(): MonthDiff {
		const states = [...this.states.values()];
		const sum = (of: (diff: StateDiff) => number) => states.reduce((total, diff) => total + of(diff), 0);
		return {
			from: this.from.catalog.month,
			to: this.to.catalog.month,
			states,
			new: sum((diff) => diff.new),
			gone: sum((diff) => diff.gone),
			changed: sum((diff) => diff.changed),
			fields: COMPARED.map(({ name }) => ({ field: name, changed: sum((diff) => diff.fields[name] ?? 0) })),
			not_compared: {
				from: this.from.catalog.rows - this.compared.from,
				to: this.to.catalog.rows - this.compared.to,
			},
		};
	}
}

const NONE: ReadonlyMap<string, number> = new Map();

/** Finds rows' states: a state is one run of rows. */
class RunFinder {
	private readonly states: readonly string[];
	private readonly codes: Codes;

	constructor(files: SnapshotFiles) {
		const column = columnNamed("state");
		const dictionary = files.dictionary(column);
		this.states = Array.from({ length: dictionary.distinct }, (_, code) => dictionary.value(code) as string);
		this.codes = files.codes(column);
	}

	/** The first row of each state among the postings of `code`. */
	firstRows(rows: Uint32Array, offsets: Uint32Array, code: number): Map<string, number> {
		const first = new Map<string, number>();
		for (let i = offsets[code]; i < offsets[code + 1]; i++) {
			const state = this.states[this.codes[rows[i]]];
			if (!first.has(state)) first.set(state, rows[i]);
		}
		return first;
	}
}
