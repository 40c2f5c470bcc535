/**
 * Rows of the older month that are stored with the changes, in the order of entries: of changed licenses, then of those
 * gone. An entry's place among them is the number of entries before it, counted by a directory of the bitmaps.
 *
 * Cost of opening: O(rows / 32) words. Cost of a place: at most four words of a bitmap.
 */

import type { MonthChanges, RowStore } from "../../formats/index.js";
import { countWords, popcount } from "../kernels/bitmap.js";
import type { RowSource } from "../render/row-source.js";
import { BLOCK_ROWS_MAX } from "../render/rows.js";

/** log2 of the words between two entries of a directory. */
const STEP_SHIFT = 2;

/** Where older rows of entries are copied from. */
export interface OlderSource {
	/** Takes a block of licenses: rows of gone ones, or the newer rows of changed ones and their older rows. */
	begin(areGone: boolean, rows: Uint32Array, previous: Uint32Array): void;
	/** As {@link RowSource.copy}. */
	copy(index: number, target: Buffer, at: number, most: number): number;
}

/** The older month's own stored rows. */
export function ownRows(source: RowSource): OlderSource {
	return {
		begin: (areGone, rows, previous) => source.begin(areGone ? rows : previous),
		copy: (index, target, at, most) => source.copy(index, target, at, most),
	};
}

export class OlderRows {
	private readonly changed: RankedBitmap;
	private readonly gone: RankedBitmap;
	private readonly places = new Uint32Array(BLOCK_ROWS_MAX);

	constructor(
		readonly store: RowStore,
		private readonly changes: MonthChanges,
	) {
		this.changed = new RankedBitmap(changes.changedRows);
		this.gone = new RankedBitmap(changes.goneRows);
	}

	/** Copies rows by their entries; `source` is of {@link store}. */
	sourceOf(source: RowSource): OlderSource {
		return {
			begin: (areGone, rows) => source.begin(this.placesOf(areGone, rows)),
			copy: (index, target, at, most) => source.copy(index, target, at, most),
		};
	}

	/** A view until the next call. */
	private placesOf(areGone: boolean, rows: Uint32Array): Uint32Array {
		const { places, changes } = this;
		const [bitmap, first] = areGone ? [this.gone, changes.totals.changed] : [this.changed, 0];
		for (let i = 0; i < rows.length; i++) places[i] = first + bitmap.before(rows[i]);
		return places.subarray(0, rows.length);
	}
}

/** Counts the rows of a bitmap before one. */
class RankedBitmap {
	private readonly counts: Uint32Array;

	constructor(private readonly words: Uint32Array) {
		this.counts = new Uint32Array((words.length >>> STEP_SHIFT) + 1);
		for (let step = 1; step < this.counts.length; step++) {
			const from = (step - 1) << STEP_SHIFT;
			this.counts[step] = this.counts[step - 1] + countWords(words, from, from + (1 << STEP_SHIFT));
		}
	}

	before(row: number): number {
		const { words, counts } = this;
		const word = row >>> 5;
		const step = word >>> STEP_SHIFT;
		let count = counts[step];
		for (let i = step << STEP_SHIFT; i < word; i++) count += popcount(words[i]);
		return count + popcount(words[word] & ~(-1 << (row & 31)));
	}
}
