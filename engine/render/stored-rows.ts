/** Rendering for the row store: full, unmasked JSON objects, each followed by a comma. */

import { COLUMNS, type SnapshotFiles } from "../../formats/index.js";
import { SnapshotColumns } from "../columns/snapshot-columns.js";
import { type Cell, openCells } from "./cells.js";
import { renderObject } from "./json.js";
import type { ByteSink } from "./sink.js";

const COMMA = 0x2c;

export class StoredRowRenderer {
	private readonly cells: readonly Cell[];

	constructor(files: SnapshotFiles) {
		const columns = COLUMNS.map((column) => column.name);
		this.cells = openCells(new SnapshotColumns(files), files.catalog.month, { columns, masked: false });
	}

	/** Appends one row and its comma to `sink`. */
	row(row: number, sink: ByteSink): void {
		renderObject(this.cells, row, sink);
		sink.byte(COMMA);
	}
}
