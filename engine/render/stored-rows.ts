/**
 * Rows from the row store in any projection and format: there a row's values are adjacent, with their escapes, while
 * the columns are spread over memory.
 */

import { invariant, RowCopier, type RowStore } from "../../formats/index.js";
import type { Projection, RowFormat } from "../query.js";
import type { ByteSink } from "./sink.js";
import {
	KERNEL_BYTES,
	KERNEL_MEMORY_BYTES,
	ROWS_END_MAX,
	roomOf,
	SLACK_BYTES,
	StoredKernel,
} from "./stored-kernel.js";
import { cellsOf, membersOf, type Template, TemplateImage } from "./stored-template.js";
import { touchStored } from "./touch.js";

/** Where the ends of rows are, and then the rows: some forty of ordinary length. */
const ROW_ENDS = KERNEL_BYTES;
const ROWS = ROW_ENDS + 512;
const ROWS_BYTES = 12_288;
const RENDERED = ROWS + ROWS_BYTES + SLACK_BYTES;

invariant(ROWS + ROWS_BYTES <= ROWS_END_MAX, "rows are where the kernel finds their values");

/** Of this thread; null where it cannot run, and rows are rendered from the columns then. */
const kernel = StoredKernel.open();

/** The one row of {@link StoredRows.row}. */
const one = new Uint32Array(1);

/** Appends a row from the columns, with what follows each row. */
export type RenderRow = (row: number, sink: ByteSink) => void;

/** What follows each row of a format. */
const ENDS: Readonly<Record<RowFormat, string>> = { json: "},", ndjson: "}\n", csv: "\r\n" };

/** Rows of one store in one projection and format. */
export class StoredRows {
	private constructor(
		private readonly store: RowStore,
		private readonly copier: RowCopier,
		private readonly image: TemplateImage,
		private readonly template: Template,
		private readonly endBytes: number,
	) {}

	/** Null where this process cannot run the kernel, or has no room for the columns' names. Cost O(columns). */
	static open(store: RowStore, projection: Projection, format: RowFormat): StoredRows | null {
		const isCsv = format === "csv";
		const pieces = isCsv ? cellsOf(projection.columns) : membersOf(projection);
		const image = new TemplateImage();
		const template = image.add(pieces, ENDS[format], projection.masked, isCsv);
		if (kernel === null || !image.fits) return null;
		store.use();
		const { memory } = kernel;
		const target = { memory, ends: ROW_ENDS, at: ROWS, end: ROWS + ROWS_BYTES };
		const copier = new RowCopier(store.segments, target);
		return new StoredRows(store, copier, image, template, isCsv ? 2 : 1);
	}

	/** Reads ahead what rendering these rows will read. */
	touch(rows: Uint32Array): void {
		touchStored(this.store, rows);
	}

	/** Appends rows, each with its separator or line end; those that the kernel does not render, by `fromColumns`. */
	append(rows: Uint32Array, sink: ByteSink, fromColumns: RenderRow): void {
		if (kernel === null) return;
		const { copier } = this;
		if (!copier.readsAhead) this.touch(rows);
		kernel.use(this.image);
		let to = RENDERED;
		for (let i = 0; i < rows.length; ) {
			const count = copier.copy(rows, i);
			if (count > 0) to = this.renderGathered(rows, i, count, to, sink, fromColumns);
			else {
				to = flush(to, sink);
				fromColumns(rows[i], sink);
			}
			i += Math.max(1, count);
		}
		flush(to, sink);
	}

	/** Appends one row without its separator or line end; `fromColumns` with it. */
	row(row: number, sink: ByteSink, fromColumns: RenderRow): void {
		one[0] = row;
		this.append(one, sink, fromColumns);
		sink.length -= this.endBytes;
	}

	/**
	 * Renders the `count` rows from rows[first] on that were copied, after what was rendered before `begin`. Returns the end
	 * of what is not in `sink` yet.
	 */
	private renderGathered(
		rows: Uint32Array,
		first: number,
		count: number,
		begin: number,
		sink: ByteSink,
		fromColumns: RenderRow,
	): number {
		const { template } = this;
		const { ends } = this.copier;
		let from = ROWS;
		let to = begin;
		for (let i = 0; i < count; i++) {
			const end = ends[i];
			const room = roomOf(template, end - from);
			if (to + room > KERNEL_MEMORY_BYTES) to = flush(to, sink);
			const isWhole = from < end && to + room <= KERNEL_MEMORY_BYTES;
			const next = isWhole ? (kernel as StoredKernel).render(from, end, to, template) : 0;
			if (next > 0) to = next;
			else {
				to = flush(to, sink);
				fromColumns(rows[first + i], sink);
			}
			from = end;
		}
		return to;
	}
}

/** Moves what was rendered up to `to` to `sink`; returns where the next row is rendered to. */
function flush(to: number, sink: ByteSink): number {
	if (to > RENDERED) sink.copy((kernel as StoredKernel).memory.subarray(RENDERED, to));
	return RENDERED;
}
