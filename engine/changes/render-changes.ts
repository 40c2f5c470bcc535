/**
 * Changes as bytes. JSON and NDJSON: one object an entry. CSV: one line an entry, with the columns of the
 * row (of the older month where the license is gone) and the values that tracked columns had before.
 *
 * Entries of whole rows are put together from stored rows where there are those of each month that they have a row of,
 * others from the columns. Rows of the older month are stored by it or with the changes.
 */

import { type ColumnName, TRACKED_COLUMNS } from "../../formats/index.js";
import type { Projection } from "../query.js";
import { BLOCK_ROWS_MAX } from "../render/rows.js";
import type { ByteSink } from "../render/sink.js";
import { ChangeLines } from "./change-lines.js";
import { ChangeObjects } from "./change-objects.js";
import type { ChangeSet, ChangesPage } from "./change-set.js";
import { type ChangesForm, ColumnEntries } from "./column-entries.js";
import { EntryBlock } from "./entry-block.js";
import { type EntryForm, StoredEntries } from "./stored-entries.js";

const COMMA = 0x2c;

/** The forms of this thread, opened at first use; null where this process cannot run them. */
const forms = new Map<ChangesForm, EntryForm | null>();

/** Writes the entries of one set of changes in one form. */
export class ChangesWriter {
	/** Tracked columns that the key reads. */
	private readonly fields: readonly ColumnName[];
	private readonly block: EntryBlock;
	/** What writes entries of whole rows; null: all are written from the columns. */
	private readonly stored: StoredEntries | null;
	private opened: ColumnEntries | null = null;
	private openedOne: EntryBlock | null = null;

	/** `reads` says whether a tracked column's changes are shown. */
	constructor(
		private readonly set: ChangeSet,
		private readonly projection: Projection,
		reads: (column: ColumnName) => boolean,
		private readonly format: ChangesForm,
	) {
		this.fields = TRACKED_COLUMNS.map(({ name }) => name).filter(reads);
		this.block = new EntryBlock(set, this.fields);
		this.stored = this.openStored();
	}

	/** Appends the header line of CSV; nothing in other formats. */
	header(sink: ByteSink): void {
		if (this.format !== "csv") return;
		const before = this.fields.map((field) => `previous_${field}`);
		const names = ["kind", "state", "license_number", "changed_fields"];
		sink.text(`${[...names, ...this.projection.columns, ...before].join(",")}\r\n`);
	}

	/** Appends entries [first, end) of a page, JSON with commas between. */
	entries({ runs }: ChangesPage, first: number, end: number, sink: ByteSink): void {
		let passed = 0;
		for (const { kind, rows } of runs) {
			const to = Math.min(rows.length, end - passed);
			const from = Math.max(0, first - passed);
			for (let at = from; at < to; at += BLOCK_ROWS_MAX) {
				this.block.take(kind, rows.subarray(at, Math.min(to, at + BLOCK_ROWS_MAX)));
				const isAfterOthers = passed + at > first;
				if (this.stored?.covers(kind) !== true) this.fromColumns(isAfterOthers, sink);
				else this.fromRows(this.stored, isAfterOthers, sink);
			}
			passed += rows.length;
		}
	}

	/** Appends the entries of the block. */
	private fromColumns(isAfterOthers: boolean, sink: ByteSink): void {
		const { columns, block } = this;
		columns.begin(block);
		for (let i = 0; i < block.rows.length; i++) columns.append(i, isAfterOthers || i > 0, sink);
	}

	/** As {@link fromColumns}, from whole rows; the few entries that cannot be written so, from the columns. */
	private fromRows(stored: StoredEntries, isAfterOthers: boolean, sink: ByteSink): void {
		const { kind, rows, previous, marks } = this.block;
		stored.begin(kind, rows, previous);
		for (let i = 0; i < rows.length; i++) {
			const isAfterOther = isAfterOthers || i > 0;
			const separator = this.format === "json" && isAfterOther ? COMMA : 0;
			if (stored.append(kind, i, marks[i], separator, sink)) continue;
			stored.flush(sink);
			this.one.take(kind, rows.subarray(i, i + 1));
			this.columns.begin(this.one);
			this.columns.append(0, isAfterOther, sink);
		}
		stored.flush(sink);
	}

	/** A block of one entry. */
	private get one(): EntryBlock {
		this.openedOne ??= new EntryBlock(this.set, this.fields);
		return this.openedOne;
	}

	private get columns(): ColumnEntries {
		this.opened ??= new ColumnEntries(this.set, this.projection, this.fields, this.format);
		return this.opened;
	}

	private openStored(): StoredEntries | null {
		const { set, projection, fields, format } = this;
		if (format === "array" || fields.length < TRACKED_COLUMNS.length) return null;
		const [to, from] = [set.to.rowSource(projection), set.olderSource(projection)];
		if (to === null && from === null) return null;
		let form = forms.get(format);
		if (form === undefined) {
			form = format === "csv" ? ChangeLines.open() : ChangeObjects.open(format === "ndjson" ? "\n" : "");
			forms.set(format, form);
		}
		return form === null ? null : new StoredEntries(form, to, from);
	}
}
