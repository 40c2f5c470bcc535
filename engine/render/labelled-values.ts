/**
 * Single values of a block of rows as JSON, each after a label of its own, for what puts rows together itself. They
 * are located a column at a time before any is written, so that cache misses overlap.
 */

import { READ_AHEAD_VALUE_ROWS } from "../tuning.js";
import type { Cell } from "./cells.js";
import { renderValue } from "./json.js";
import type { ByteSink } from "./sink.js";
import { locateMarked, type ValueRanges, valueRanges } from "./value-ranges.js";

export class LabelledValues {
	private readonly ranges: ValueRanges;

	/** Takes cells as `openLabelled` opens them; at most 32, so that a word has a bit for each. */
	constructor(private readonly cells: readonly Cell[]) {
		this.ranges = valueRanges(cells.length);
	}

	/**
	 * Locates, for row `i` of the next block, the values of the cells whose bits are set in `marks[i]`. REQUIRES: at
	 * most {@link READ_AHEAD_VALUE_ROWS} rows.
	 */
	begin(rows: Uint32Array, marks: Uint32Array): void {
		for (let cell = 0; cell < this.cells.length; cell++)
			locateMarked(this.ranges, this.cells, cell, rows, marks);
	}

	/** Appends the label and the value of cell number `cell` in `row`, number `index` of the block; it was located. */
	write(index: number, cell: number, row: number, sink: ByteSink): void {
		const { cells, ranges } = this;
		renderValue(cells[cell], ranges, index * cells.length + cell, row, sink);
	}
}

/** Marks that select every cell of every row of a block. */
export const ALL_MARKED: Uint32Array = new Uint32Array(READ_AHEAD_VALUE_ROWS).fill(0xffff_ffff);
