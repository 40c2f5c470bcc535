/**
 * Random months that share licenses: each is the one before with rows gone, added, moved, renumbered and edited, and
 * sometimes without a column, as where a drop renames one.
 */

import { TRACKED_COLUMNS } from "../../formats/index.js";
import type { Draw } from "../oracle/draw.js";
import type { RawRow } from "../oracle/naive-rows.js";
import { type RandomMonth, rawRows } from "../oracle/random-month.js";

const EDITED = TRACKED_COLUMNS.map((column) => column.name);

/** `count` drops, the first that of `month`. */
export function relatedDrops(month: RandomMonth, others: RandomMonth, count: number, draw: Draw): RawRow[][] {
	const drops = [rawRows(month)];
	const pool = rawRows(others);
	for (let i = 1; i < count; i++) {
		const next = followed(drops[i - 1], pool, draw);
		for (const row of [...drops[0], ...pool]) if (draw.oneIn(8)) next.push(row);
		if (next.length === 0) next.push(drops[0][0]);
		drops.push(draw.oneIn(5) ? withoutColumn(next, draw.pick(EDITED)) : next);
	}
	return drops;
}

/** The rows of a month in the next one, some of them repeated. */
function followed(rows: readonly RawRow[], pool: readonly RawRow[], draw: Draw): RawRow[] {
	const next: RawRow[] = [];
	for (const row of rows) {
		// Gone; perhaps back in a later month, since the first month's rows are drawn from again.
		if (draw.oneIn(6)) continue;
		next.push(draw.oneIn(4) ? edited(row, pool, draw) : row);
		if (draw.oneIn(20)) next.push(row);
	}
	return next;
}

function withoutColumn(rows: readonly RawRow[], name: string): RawRow[] {
	return rows.map((row) => ({ ...row, [name]: "" }));
}

function edited(row: RawRow, pool: readonly RawRow[], draw: Draw): RawRow {
	const other = draw.pick(pool);
	switch (draw.below(4)) {
		case 0:
			return { ...row, state: other.state };
		case 1:
			return { ...row, member_state_license_number: other.member_state_license_number };
		default: {
			const name = draw.pick(EDITED);
			// Another case is another text, although it has the same fold.
			const respelled = draw.oneIn(2) ? row[name]?.toUpperCase() : row[name]?.toLowerCase();
			const value = draw.oneIn(4) ? respelled : other[name];
			return { ...row, [name]: draw.oneIn(3) ? "" : (value ?? "") };
		}
	}
}
