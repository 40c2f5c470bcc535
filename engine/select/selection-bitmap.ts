/** Any selection as a bitmap: what is intersected with other bitmaps needs no order. */

import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { setRows } from "../kernels/bitmap.js";
import type { Plan } from "../plan/plan.js";
import type { Scratch } from "../scratch.js";
import { type BitmapSelection, executeSelection, runsAsBitmap } from "./selection.js";

const NO_WORDS = new Uint32Array(0);

/**
 * The rows that meet `plan`, whose order is by row, in `scratch.selected` or a stored bitmap; valid until
 * the next query.
 */
export function selectBitmap(plan: Plan, columns: SnapshotColumns, scratch: Scratch): BitmapSelection {
	const selection = executeSelection(plan, columns, scratch);
	switch (selection.kind) {
		case "empty":
			return { kind: "bitmap", words: NO_WORDS, count: 0, fromWord: 0, toWord: 0 };
		case "bitmap":
			return selection;
		case "runs":
			return runsAsBitmap(selection.runs, scratch);
		case "slice": {
			const { rows, from, count } = selection;
			return listAsBitmap(rows, from, from + count, scratch);
		}
		case "list":
			return listAsBitmap(scratch.list, 0, selection.count, scratch);
		case "merge":
			throw new TypeError("an order by row is never merged");
	}
}

/** rows[from, to) as a bitmap. */
function listAsBitmap(rows: Uint32Array, from: number, to: number, scratch: Scratch): BitmapSelection {
	let least = Number.POSITIVE_INFINITY;
	let most = 0;
	for (let i = from; i < to; i++) {
		if (rows[i] < least) least = rows[i];
		if (rows[i] > most) most = rows[i];
	}
	const fromWord = from === to ? 0 : least >>> 5;
	const toWord = from === to ? 0 : (most >>> 5) + 1;
	scratch.beginSelection(fromWord, toWord);
	scratch.selected.fill(0, fromWord, toWord);
	setRows(scratch.selected, rows, from, to);
	return { kind: "bitmap", words: scratch.selected, count: to - from, fromWord, toWord };
}
