/** Wordings of statuses and types that the table of groups lacks, and the share of rows whose group is `other`. */

import { type ColumnName, GROUP_COLUMNS, type GroupTable, UNMAPPED_GROUP } from "../../formats/index.js";
import type { MonthProfile, Vocabulary } from "./month-profile.js";

export interface UnmappedWording {
	/** The column of groups. */
	readonly column: ColumnName;
	readonly state: string;
	readonly text: string;
	readonly rows: number;
}

/** Rows with a group, and those whose group is `other`, by state. */
export type OtherRows = ReadonlyMap<string, { readonly rows: number; readonly other: number }>;

function vocabularyOf(profile: MonthProfile, source: ColumnName): Vocabulary {
	return source === "member_type" ? profile.member_type : profile.license_status;
}

/** Wordings without an entry, most rows first. */
export function unmappedWordings(profile: MonthProfile, table: GroupTable): UnmappedWording[] {
	const found = GROUP_COLUMNS.flatMap(({ column, source }) =>
		[...vocabularyOf(profile, source)].flatMap(([state, values]) =>
			[...values]
				.filter(([text]) => table.find(column, state, text) === null)
				.map(([text, rows]) => ({ column, state, text, rows })),
		),
	);
	return found.sort((a, b) => b.rows - a.rows);
}

/** Rows by state whose group of a column is `other`. */
export function otherRows(profile: MonthProfile, column: ColumnName, table: GroupTable): OtherRows {
	const source = GROUP_COLUMNS.find((group) => group.column === column)?.source ?? column;
	return new Map(
		[...vocabularyOf(profile, source)].map(([state, values]) => {
			let rows = 0;
			let other = 0;
			for (const [text, count] of values) {
				rows += count;
				if ((table.find(column, state, text) ?? UNMAPPED_GROUP) === UNMAPPED_GROUP) other += count;
			}
			return [state, { rows, other }];
		}),
	);
}
