/**
 * Rendering of rows and pages to response bytes. Where the snapshot has a row store, rows are rendered from
 * it; else, and for the few values that the kernel does not unescape or mask, from the columns.
 */

import { COLUMNS, type ColumnName, invariant, type RowStore } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { areSameColumns, type Page, type Projection, type RowFormat } from "../query.js";
import { CACHED_PROJECTIONS_MAX, READ_AHEAD_VALUE_ROWS } from "../tuning.js";
import { type Cell, openCells, openLabelled } from "./cells.js";
import { endCsvRow, renderCsvCells, renderCsvHeader, renderCsvRows, writeLocatedCells } from "./csv.js";
import { writeEnvelopeEnd } from "./envelope.js";
import { renderArray, renderLocated, renderObject, renderObjects } from "./json.js";
import { LabelledValues } from "./labelled-values.js";
import { RowSource } from "./row-source.js";
import type { ByteSink } from "./sink.js";
import { type RenderRow, StoredRows } from "./stored-rows.js";
import { touchValues } from "./touch.js";
import { locateIn, type ValueRanges, valueRanges } from "./value-ranges.js";
import { WordText } from "./word-text.js";

const COMMA = 0x2c;
const NEWLINE = 0x0a;
const LIST_BEGIN = new WordText('{"data":[');
const NO_ROWS = new Uint32Array(0);

/** What rows of a projection are rendered from; each is opened when it is first used. */
class Source {
	/** Appends one row from the columns, and what follows it in each format. */
	readonly fromColumns: Readonly<Record<RowFormat, RenderRow>> = {
		json: this.objectThen(COMMA),
		ndjson: this.objectThen(NEWLINE),
		csv: (row, sink) => {
			renderCsvCells(this.cells, row, sink);
			endCsvRow(sink);
		},
	};
	private opened: readonly Cell[] | null = null;
	private readonly stored = new Map<RowFormat, StoredRows | null>();

	constructor(
		readonly projection: Projection,
		private readonly open: () => readonly Cell[],
		private readonly store: RowStore | null,
	) {}

	get cells(): readonly Cell[] {
		this.opened ??= this.open();
		return this.opened;
	}

	/** The stored rows; null where there are none. */
	storedRows(format: RowFormat): StoredRows | null {
		const { store, projection } = this;
		if (store === null) return null;
		let rows = this.stored.get(format);
		if (rows === undefined) {
			rows = StoredRows.open(store, projection, format);
			this.stored.set(format, rows);
		}
		return rows;
	}

	private objectThen(separator: number): RenderRow {
		return (row, sink) => {
			renderObject(this.cells, row, sink);
			sink.byte(separator);
		};
	}
}

/** Writes rows as arrays of values, one at a time, into what others put together. */
export interface RowWriter {
	/** Reads ahead what writing these rows will read. */
	touch(rows: Uint32Array): void;
	write(row: number, sink: ByteSink): void;
}

/** Maximum rows of a block. */
export const BLOCK_ROWS_MAX = READ_AHEAD_VALUE_ROWS;

/** Writes the rows of one block at a time into what others put together. */
export interface BlockWriter {
	/** Takes the next block, of at most {@link BLOCK_ROWS_MAX} rows, and reads ahead what writing it will read. */
	begin(rows: Uint32Array): void;
	/** Appends row `index` of the block: an object, an array of values, or the cells of a CSV line without its end. */
	write(index: number, sink: ByteSink): void;
}

export class RowRenderer {
	private readonly sources = new Map<string, Source>();
	/** The source of the last request: most have the same projection. */
	private last: Source | null = null;
	/** Cells of rows that are written as arrays. */
	private readonly arrays = new Map<string, readonly Cell[]>();

	constructor(
		private readonly columns: SnapshotColumns,
		private readonly month: string,
		private readonly rowStore: RowStore | null,
	) {}

	/** Appends rows: JSON objects with commas between, or NDJSON or CSV lines (CSV with its header). */
	rows(
		rows: Uint32Array,
		projection: Projection,
		format: RowFormat,
		sink: ByteSink,
		withHeader = true,
	): void {
		invariant(projection.columns.length > 0, "rows have columns");
		if (format === "csv" && withHeader) renderCsvHeader(projection, sink);
		if (rows.length === 0) return;
		const source = this.sourceOf(projection);
		// The kernel does not know that a line is blank, which it can be with one column only.
		const stored = format === "csv" && projection.columns.length === 1 ? null : source.storedRows(format);
		if (stored !== null) {
			stored.append(rows, sink, source.fromColumns[format]);
			// Objects of JSON have commas between them only.
			if (format === "json") sink.length--;
		} else if (format === "csv") renderCsvRows(source.cells, rows, sink);
		else {
			renderObjects(source.cells, rows, separatorOf(format), sink);
			if (format === "ndjson") sink.byte(NEWLINE);
		}
	}

	/** Writes rows as arrays of values. */
	rowWriter(projection: Projection): RowWriter {
		const values = this.arrayCells(projection);
		return {
			touch: (rows) => touchValues(values, rows),
			write: (row, sink) => renderArray(values, row, sink),
		};
	}

	/** Writes single values of columns as JSON, unmasked, each after the label given with it. */
	labelledValues(labels: readonly (readonly [column: ColumnName, label: string])[]): LabelledValues {
		const { columns, month } = this;
		return new LabelledValues(labels.map(([column, label]) => openLabelled(columns, month, column, label)));
	}

	/** Writes blocks of rows. */
	blockWriter(projection: Projection, format: RowFormat | "array"): BlockWriter {
		if (format === "array") {
			const { touch, write } = this.rowWriter(projection);
			return writerOf(touch, write);
		}
		const source = this.sourceOf(projection);
		const stored = source.storedRows(format);
		if (stored === null) return locatedWriter(source.cells, format);
		const fromColumns = source.fromColumns[format];
		return writerOf(
			(rows) => stored.touch(rows),
			(row, sink) => stored.row(row, sink, fromColumns),
		);
	}

	/** The rows in `store`, by default the stored ones; null without any, and for a projection that is not of whole rows. */
	rowSource(projection: Projection, store = this.rowStore): RowSource | null {
		return store === null || !isWholeRow(projection) ? null : new RowSource(store);
	}

	/** Appends the envelope of docs/API.md §7.8.5. `moreMeta` is JSON text of further members of `meta`, each after a comma. */
	list(page: Page, projection: Projection, moreMeta: string, sink: ByteSink): void {
		LIST_BEGIN.appendTo(sink);
		this.rows(page.rows, projection, "json", sink);
		writeEnvelopeEnd(page, moreMeta, sink);
	}

	/** The cells of a projection, cached. */
	openCells(projection: Projection): readonly Cell[] {
		return this.sourceOf(projection).cells;
	}

	private arrayCells(projection: Projection): readonly Cell[] {
		const key = keyOf(projection);
		const cached = this.arrays.get(key);
		if (cached !== undefined) return cached;
		if (this.arrays.size >= CACHED_PROJECTIONS_MAX) this.arrays.clear();
		const cells = openCells(this.columns, this.month, projection, "array");
		this.arrays.set(key, cells);
		return cells;
	}

	private sourceOf(projection: Projection): Source {
		const { columns, names, masked } = projection;
		const { last } = this;
		if (
			last !== null &&
			last.projection.masked === masked &&
			last.projection.names === names &&
			areSameColumns(last.projection.columns, columns)
		)
			return last;
		const key = keyOf(projection);
		let source = this.sources.get(key);
		if (source === undefined) {
			if (this.sources.size >= CACHED_PROJECTIONS_MAX) this.sources.clear();
			const open = () => openCells(this.columns, this.month, projection);
			source = new Source(projection, open, this.rowStore);
			this.sources.set(key, source);
		}
		this.last = source;
		return source;
	}
}

function separatorOf(format: "json" | "ndjson"): number {
	return format === "json" ? COMMA : NEWLINE;
}

/** A writer of rows that are found again by their number. */
function writerOf(touch: (rows: Uint32Array) => void, write: RowWriter["write"]): BlockWriter {
	let block: Uint32Array = NO_ROWS;
	return {
		begin(rows) {
			block = rows;
			touch(rows);
		},
		write: (index, sink) => write(block[index], sink),
	};
}

/** A writer of rows from the columns, as objects or CSV. */
function locatedWriter(cells: readonly Cell[], format: RowFormat): BlockWriter {
	let ranges: ValueRanges | null = null;
	const write = format === "csv" ? writeLocatedCells : renderLocated;
	let block: Uint32Array = NO_ROWS;
	return {
		begin(rows) {
			block = rows;
			ranges ??= valueRanges(cells.length);
			locateIn(ranges, cells, rows);
		},
		write: (index, sink) => write(cells, ranges as ValueRanges, index * cells.length, block[index], sink),
	};
}

/** Names a projection in caches of one snapshot. */
function keyOf({ columns, names, masked }: Projection): string {
	const named = names === undefined ? "" : `:${names.join(",")}`;
	return `${masked ? "masked:" : ""}${columns.join(",")}${named}`;
}

/** Whether the projection writes what the row store holds: every column, unmasked, in the table's order. */
function isWholeRow({ columns, names, masked }: Projection): boolean {
	if (masked || names !== undefined || columns.length !== COLUMNS.length) return false;
	for (let i = 0; i < columns.length; i++) if (columns[i] !== COLUMNS[i].name) return false;
	return true;
}
