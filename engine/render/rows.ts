/**
 * Rendering of rows and pages to response bytes. Full, unmasked rows are copied from the row store
 * where the snapshot has one; all else is put together from the columns.
 */

import { COLUMNS, ROWS_PER_SEGMENT, type RowStore } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns.js";
import type { Page, Projection, RowFormat } from "../query.js";
import { type Cell, openCells } from "./cells.js";
import { renderCsvHeader, renderCsvRows } from "./csv.js";
import { renderStoredCsvRows } from "./csv-stored.js";
import { renderObjects } from "./json.js";
import type { ByteSink } from "./sink.js";
import { touchStored } from "./touch.js";

const COMMA = 0x2c;
const NEWLINE = 0x0a;

/** Projections whose cells are kept; a key's grant and `fields` make one, so the number is bounded by use. */
const CELLS_CACHED_MAX = 256;

export class RowRenderer {
	private readonly cells = new Map<string, readonly Cell[]>();

	constructor(
		private readonly columns: SnapshotColumns,
		private readonly month: string,
		private readonly rowStore: RowStore | null,
	) {}

	/** Appends rows: JSON objects with commas between, or NDJSON or CSV lines (CSV with its header). */
	rows(rows: Uint32Array, projection: Projection, format: RowFormat, sink: ByteSink): void {
		const store = isWholeRow(projection) ? this.rowStore : null;
		if (format === "csv") {
			renderCsvHeader(projection.columns, sink);
			const cells = this.openCells(projection);
			if (store === null) renderCsvRows(cells, rows, sink);
			else renderStoredCsvRows(store, cells, rows, sink);
			return;
		}
		const separator = format === "json" ? COMMA : NEWLINE;
		if (store !== null) copyStored(store, rows, separator, sink);
		else renderObjects(this.openCells(projection), rows, separator, sink);
		if (format === "ndjson" && rows.length > 0) sink.byte(NEWLINE);
	}

	/** Appends the envelope of SPEC §2.3. `hints` becomes `meta.hints` where given. */
	list(page: Page, projection: Projection, hints: unknown, sink: ByteSink): void {
		sink.text('{"data":[');
		this.rows(page.rows, projection, "json", sink);
		sink.text(envelopeEnd(page, hints));
	}

	/** The cells of a projection, opened once. */
	openCells(projection: Projection): readonly Cell[] {
		const key = `${projection.masked ? "masked:" : ""}${projection.columns.join(",")}`;
		const cached = this.cells.get(key);
		if (cached !== undefined) return cached;
		if (this.cells.size >= CELLS_CACHED_MAX) this.cells.clear();
		const cells = openCells(this.columns, this.month, projection);
		this.cells.set(key, cells);
		return cells;
	}
}

/** What follows the rows. Written out rather than stringified, since small pages cost mostly this. */
function envelopeEnd({ query, snapshot, total, hasNext }: Page, hints: unknown): string {
	const { page, limit, sort, order, filters } = query;
	const pages = total === null ? null : Math.ceil(total / limit);
	const values = filters as Readonly<Record<string, unknown>>;
	let names = "";
	for (const name in values) {
		if (values[name] !== undefined) names += names === "" ? `"${name}"` : `,"${name}"`;
	}
	return (
		`],"pagination":{"page":${page},"limit":${limit},"total":${total},"total_pages":${pages},` +
		`"has_next":${hasNext},"has_prev":${page > 1}},` +
		`"meta":{"snapshot":"${snapshot}","sort":${namesText(sort)},"order":"${order}","filters_applied":[${names}]` +
		`${hints === undefined ? "" : `,"hints":${JSON.stringify(hints)}`}}}`
	);
}

/** Names as a JSON array; names of columns need no escapes. */
function namesText(names: readonly string[]): string {
	return names.length === 0 ? "[]" : `["${names.length === 1 ? names[0] : names.join('","')}"]`;
}

function isWholeRow(projection: Projection): boolean {
	return !projection.masked && projection.columns.length === COLUMNS.length;
}

/** Copies rows from the store, consecutive ones in one piece. */
function copyStored(store: RowStore, rows: Uint32Array, separator: number, sink: ByteSink): void {
	touchStored(store, rows);
	let i = 0;
	while (i < rows.length) {
		const first = rows[i];
		let end = first + 1;
		i++;
		// A run ends with its segment. With another separator than the stored comma, each row is a run.
		while (separator === COMMA && i < rows.length && rows[i] === end && end % ROWS_PER_SEGMENT !== 0) {
			end++;
			i++;
		}
		sink.reserve(store.runBytes(first, end));
		sink.length += store.copyRun(first, end, sink.bytes, sink.length);
		sink.bytes[sink.length - 1] = separator;
	}
	if (rows.length > 0) sink.length--;
}
