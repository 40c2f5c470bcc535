/**
 * Whole rows as JSON, one after the other into memory that others put answers together in: copied where a month has
 * stored rows, else rendered from its columns.
 */

import type { RowStore } from "../../formats/index.js";
import type { Cell } from "./cells.js";
import { renderLocated } from "./json.js";
import { ByteSink } from "./sink.js";
import { touchStored } from "./touch.js";
import { locateIn, type ValueRanges, valueRanges } from "./value-ranges.js";

export interface RowSource {
	/** Takes the next block, of at most READ_AHEAD_VALUE_ROWS rows, and reads ahead what copying it will read. */
	begin(rows: Uint32Array): void;
	/**
	 * Copies row `index` of the block, an unmasked object of all columns, to target[at…). Returns its bytes; 0 if they
	 * are more than `most`, or the row is corrupt.
	 */
	copy(index: number, target: Buffer, at: number, most: number): number;
}

export class StoredRowSource implements RowSource {
	private rows: Uint32Array = new Uint32Array(0);

	constructor(private readonly store: RowStore) {}

	begin(rows: Uint32Array): void {
		touchStored(this.store, rows);
		this.rows = rows;
	}

	copy(index: number, target: Buffer, at: number, most: number): number {
		const { store } = this;
		const row = this.rows[index];
		// A comma follows each row.
		const bytes = store.runBytes(row, row + 1) - 1;
		if (bytes <= 0 || bytes > most) return 0;
		return store.copyRun(row, row + 1, target, at) - 1;
	}
}

export class ColumnRowSource implements RowSource {
	private rows: Uint32Array = new Uint32Array(0);
	private readonly ranges: ValueRanges;
	private readonly sink = new ByteSink(ROW_BYTES);

	/** `cells`: of all columns in the order of the table, as objects. */
	constructor(private readonly cells: readonly Cell[]) {
		this.ranges = valueRanges(cells.length);
	}

	begin(rows: Uint32Array): void {
		locateIn(this.ranges, this.cells, rows);
		this.rows = rows;
	}

	copy(index: number, target: Buffer, at: number, most: number): number {
		const { cells, ranges, rows, sink } = this;
		sink.reset();
		renderLocated(cells, ranges, index * cells.length, rows[index], sink);
		return sink.length > most ? 0 : sink.bytes.copy(target, at, 0, sink.length);
	}
}

/** Memory for a row, which grows for a longer one. */
const ROW_BYTES = 4_096;
