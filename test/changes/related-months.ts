/** Random months that share licenses: each is the one before with rows gone, added, moved, renumbered and edited. */

import type { Draw } from "../oracle/draw.js";
import type { RawRow } from "../oracle/naive-rows.js";
import { type RandomMonth, rawRows } from "../oracle/random-month.js";

const EDITED = [
	"member_city",
	"office_name",
	"member_license_status",
	"member_last_name",
	"member_full_name",
];

/** `count` drops, the first that of `month`. */
export function relatedDrops(month: RandomMonth, others: RandomMonth, count: number, draw: Draw): RawRow[][] {
	const drops = [rawRows(month)];
	const pool = rawRows(others);
	for (let i = 1; i < count; i++) {
		const next: RawRow[] = [];
		for (const row of drops[i - 1]) {
			// Gone; perhaps back in a later month, since the first month's rows are drawn from again.
			if (draw.oneIn(6)) continue;
			next.push(draw.oneIn(4) ? edited(row, pool, draw) : row);
			if (draw.oneIn(20)) next.push(row);
		}
		for (const row of [...drops[0], ...pool]) if (draw.oneIn(8)) next.push(row);
		if (next.length === 0) next.push(drops[0][0]);
		drops.push(next);
	}
	return drops;
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
			return { ...row, [name]: draw.oneIn(3) ? "" : (other[name] ?? "") };
		}
	}
}
