/**
 * Dimensions that rows are grouped by: the values of a dictionary column, or dates by month or year.
 *
 * A row's group is its code, or for dates the group of its code; groups ascend as their labels do by fold,
 * and the last is that of the rows without a value.
 */

import {
	type Codes,
	type Column,
	type ColumnName,
	columnNamed,
	compareBytes,
	type Dictionary,
} from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";

interface DimensionRow {
	readonly column: ColumnName;
	/** Leading characters of a date that name its group; null: groups are whole values. */
	readonly dateCharacters: number | null;
}

const whole = (column: ColumnName): DimensionRow => ({ column, dateCharacters: null });

const TABLE = {
	state: whole("state"),
	country: whole("country"),
	office_name: whole("office_name"),
	member_city: whole("member_city"),
	member_postal_code: whole("member_postal_code"),
	license_status: whole("member_license_status"),
	status_group: whole("license_status_group"),
	member_type: whole("member_type"),
	type_group: whole("member_type_group"),
	expires_month: { column: "member_license_expires", dateCharacters: "YYYY-MM".length },
	issued_month: { column: "member_license_issued", dateCharacters: "YYYY-MM".length },
	issued_year: { column: "member_license_issued", dateCharacters: "YYYY".length },
	first_issued_month: { column: "member_license_first_issued", dateCharacters: "YYYY-MM".length },
	first_issued_year: { column: "member_license_first_issued", dateCharacters: "YYYY".length },
} as const satisfies Record<string, DimensionRow>;

export type DimensionName = keyof typeof TABLE;

export const DIMENSION_NAMES = Object.keys(TABLE) as DimensionName[];

/** The column that a dimension reads. */
export function dimensionColumn(name: DimensionName): ColumnName {
	return TABLE[name].column;
}

export class Dimension {
	readonly column: Column;
	/** Code by row. */
	readonly codes: Codes;
	private readonly dictionary: Dictionary;
	/** Of dates; null: each code is a group. */
	private readonly dates: DateGroups | null;

	constructor(
		readonly name: DimensionName,
		columns: SnapshotColumns,
	) {
		const { column, dateCharacters } = TABLE[name];
		this.column = columnNamed(column);
		this.codes = columns.codes.get(this.column);
		this.dictionary = columns.dictionary.get(this.column);
		this.dates = dateCharacters === null ? null : dateGroups(this.dictionary, dateCharacters);
	}

	/** Number of codes, that of null included. */
	get codeCount(): number {
		return this.dictionary.distinct + 1;
	}

	/** Number of groups, that of rows without a value included. */
	get groupCount(): number {
		return this.dates === null ? this.codeCount : this.dates.labels.length + 1;
	}

	/** Group by code; null where each code is its group. */
	get groupOfCode(): Uint32Array | null {
		return this.dates === null ? null : this.dates.groupOfCode;
	}

	/** The values of the groups by number; null: groups are dates by month or year. */
	get values(): Dictionary | null {
		return this.dates === null ? this.dictionary : null;
	}

	/** What a group is called; null for the rows without a value. */
	label(group: number): string | null {
		if (this.dates !== null) return this.dates.labels[group] ?? null;
		return this.dictionary.value(group);
	}
}

interface DateGroups {
	readonly groupOfCode: Uint32Array;
	readonly labels: readonly string[];
}

/** Groups made so far by dictionary and characters: decoding all dates costs more than most queries do. */
const knownGroups = new WeakMap<Dictionary, Map<number, DateGroups>>();

function dateGroups(dictionary: Dictionary, characters: number): DateGroups {
	const known = knownGroups.get(dictionary) ?? new Map<number, DateGroups>();
	knownGroups.set(dictionary, known);
	const groups = known.get(characters) ?? groupDates(dictionary, characters);
	known.set(characters, groups);
	return groups;
}

/** Groups of dates by their leading characters; dates ascend by code, so equal ones are adjacent. */
function groupDates(dictionary: Dictionary, characters: number): DateGroups {
	const { distinct, heap, offsets } = dictionary;
	const groupOfCode = new Uint32Array(distinct + 1);
	const labels: string[] = [];
	/** Where the first date of the group is. */
	let first = 0;
	for (let code = 0; code < distinct; code++) {
		const start = offsets[code];
		// Dates are ASCII; most are of the same group as the one before, and need no text.
		if (code === 0 || compareBytes(heap, first, first + characters, heap, start, start + characters) !== 0) {
			labels.push((dictionary.value(code) as string).slice(0, characters));
			first = start;
		}
		groupOfCode[code] = labels.length - 1;
	}
	groupOfCode[distinct] = labels.length;
	return { groupOfCode, labels };
}
