/** Any selection as a bitmap: what is intersected with other bitmaps needs no order. */

import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { setRows } from "../kernels/bitmap.js";
import type { Plan } from "../plan/plan.js";
import type { Scratch } from "../scratch.js";
import { runsAsBitmap, selectRows } from "./select-rows.js";
import type { RowBitmap } from "./selection.js";

const NO_WORDS = new Uint32Array(0);

/**
 * The rows that meet `plan`, whose order is by row, in `scratch.selected` or a stored bitmap; valid until
 * the next query.
 */
export function selectBitmap(plan: Plan, columns: SnapshotColumns, scratch: Scratch): RowBitmap {
	const selection = selectRows(withoutOrder(plan), columns, scratch);
	switch (selection.kind) {
		case "empty":
			return { words: NO_WORDS, count: 0, from: 0, to: 0 };
		case "bitmap":
			return selection;
		case "runs":
			return runsAsBitmap(selection.runs, scratch);
		case "slice": {
			const { rows, from, count } = selection;
			return listAsBitmap(rows, from, from + count, scratch);
		}
		case "list":
		case "names":
			return listAsBitmap(scratch.list, 0, selection.count, scratch);
		case "merge":
		case "counted":
			throw new TypeError("a selection without an order is neither merged nor counted");
	}
}

/**
 * The plan that finds all rows, in any order. A slice is chosen for its order; where its rows are many, their bitmap
 * costs less than setting each. What is counted is not found.
 */
export function withoutOrder(plan: Plan): Plan {
	if (plan.selection === "counted") return { ...plan, selection: "bitmap" };
	if (plan.selection !== "slice" || plan.predicates[0].terms[0].bitmap === null) return plan;
	return { ...plan, selection: "bitmap" };
}

/** rows[from, to) as a bitmap. */
function listAsBitmap(rows: Uint32Array, from: number, to: number, scratch: Scratch): RowBitmap {
	let least = Number.POSITIVE_INFINITY;
	let most = 0;
	for (let i = from; i < to; i++) {
		if (rows[i] < least) least = rows[i];
		if (rows[i] > most) most = rows[i];
	}
	const range = { from: from === to ? 0 : least >>> 5, to: from === to ? 0 : (most >>> 5) + 1 };
	scratch.beginSelection(range);
	scratch.selected.fill(0, range.from, range.to);
	setRows(scratch.selected, rows, from, to);
	return { words: scratch.selected, count: to - from, ...range };
}
