/** Rendering for the row store: full, unmasked JSON objects, each followed by a comma. */

import { COLUMNS, type SnapshotFiles } from "../../formats/index.js";
import { SnapshotColumns } from "../columns/snapshot-columns.js";
import { READ_AHEAD_VALUE_ROWS } from "../tuning.js";
import { type Cell, openCells } from "./cells.js";
import { renderLocated, renderObject } from "./json.js";
import type { ByteSink } from "./sink.js";
import { locateValues } from "./value-ranges.js";

const COMMA = 0x2c;

export class StoredRowRenderer {
	private readonly cells: readonly Cell[];

	constructor(files: SnapshotFiles) {
		const columns = COLUMNS.map((column) => column.name);
		this.cells = openCells(new SnapshotColumns(files), files.catalog.month, { columns, masked: false });
	}

	/**
	 * Appends rows [from, to), each with its comma, and writes where row `from` + i ends in `sink` to ends[i]. Values
	 * are located a block of rows ahead: 500,000 rows of a large month take 1.15 s instead of 1.55.
	 */
	rows(from: number, to: number, sink: ByteSink, ends: Uint32Array): void {
		const rows = new Uint32Array(to - from);
		for (let i = 0; i < rows.length; i++) rows[i] = from + i;
		this.list(rows, sink, ends);
	}

	/** As {@link rows}, of the rows in a list. */
	list(rows: Uint32Array, sink: ByteSink, ends: Uint32Array): void {
		const { cells } = this;
		for (let first = 0; first < rows.length; first += READ_AHEAD_VALUE_ROWS) {
			const block = rows.subarray(first, first + READ_AHEAD_VALUE_ROWS);
			const ranges = locateValues(cells, block);
			for (let i = 0; i < block.length; i++) {
				renderLocated(cells, ranges, i * cells.length, block[i], sink);
				sink.byte(COMMA);
				ends[first + i] = sink.length;
			}
		}
	}

	/** Appends one row and its comma to `sink`. */
	row(row: number, sink: ByteSink): void {
		renderObject(this.cells, row, sink);
		sink.byte(COMMA);
	}
}
