/** The changes between two months as docs/API.md defines them, found row by row. For small months. */

import { type ColumnName, TRACKED_COLUMNS } from "../../formats/index.js";
import type { NaiveRow } from "../oracle/naive-rows.js";

export interface NaiveChange {
	readonly kind: "new" | "gone" | "changed";
	readonly row: NaiveRow | null;
	readonly previous: NaiveRow | null;
	readonly fields: readonly ColumnName[];
}

/** The first row of every license, in canonical order. */
function licenses(rows: readonly NaiveRow[]): Map<string, NaiveRow> {
	const first = new Map<string, NaiveRow>();
	for (const row of rows) {
		if (row.member_state_license_number === null) continue;
		const key = JSON.stringify([row.state, row.member_state_license_number]);
		if (!first.has(key)) first.set(key, row);
	}
	return first;
}

/** New licenses by row, then those gone by their row, then those changed by row. Rows are in canonical order. */
export function naiveChanges(from: readonly NaiveRow[], to: readonly NaiveRow[]): NaiveChange[] {
	const before = licenses(from);
	const now = licenses(to);
	const list: NaiveChange[] = [];
	for (const [key, row] of now)
		if (!before.has(key)) list.push({ kind: "new", row, previous: null, fields: [] });
	for (const [key, row] of before)
		if (!now.has(key)) list.push({ kind: "gone", row: null, previous: row, fields: [] });
	for (const [key, row] of now) {
		const previous = before.get(key);
		if (previous === undefined) continue;
		const fields = TRACKED_COLUMNS.map((c) => c.name).filter((name) => row[name] !== previous[name]);
		if (fields.length > 0) list.push({ kind: "changed", row, previous, fields });
	}
	return list;
}
