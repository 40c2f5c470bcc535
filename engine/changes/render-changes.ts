/**
 * Changes as bytes. JSON and NDJSON: one object an entry. CSV: one line an entry, with the columns of the
 * row (of the older month where the license is gone) and the values that tracked columns had before.
 */

import { type ColumnName, PREVIOUS_UNKNOWN, TRACKED_COLUMNS } from "../../formats/index.js";
import type { Projection, RowFormat } from "../query.js";
import { ALL_MARKED, type LabelledValues } from "../render/labelled-values.js";
import { BLOCK_ROWS_MAX, type BlockWriter } from "../render/rows.js";
import type { ByteSink } from "../render/sink.js";
import type { Snapshot } from "../snapshot.js";
import type { ChangeKind, ChangeSet, ChangesPage } from "./change-set.js";

const COMMA = 0x2c;
const NEWLINE = 0x0a;
const SPACE = 0x20;
const CLOSE_OBJECT = 0x7d;
/** How entries begin, up to the license. */
const ENTRY_STARTS: Readonly<Record<ChangeKind, string>> = {
	new: '{"kind":"new"',
	changed: '{"kind":"changed"',
	gone: '{"kind":"gone"',
};
const LICENSE_COLUMNS: readonly ColumnName[] = ["state", "member_state_license_number"];
/** The same with what precedes them in an entry. */
const LICENSE_MEMBERS: readonly (readonly [ColumnName, string])[] = [
	["state", ',"state":'],
	["member_state_license_number", ',"license_number":'],
];

/** `array`: as JSON, lighter: rows as arrays of values, without the older row of a changed license. */
export type ChangesForm = RowFormat | "array";

/** Writes the entries of one set of changes in one form. */
export class ChangesWriter {
	private readonly to: MonthWriters;
	private readonly from: MonthWriters;
	/** Tracked columns that the key reads, and the bitmaps of the rows that changed in them. */
	private readonly fields: readonly ColumnName[];
	private readonly changedIn: readonly Uint32Array[];
	/** Of the block that was begun: the older rows, and a bit for each of `fields` that changed. */
	private readonly previous = new Uint32Array(BLOCK_ROWS_MAX);
	private readonly marks = new Uint32Array(BLOCK_ROWS_MAX);

	/** `reads` says whether a tracked column's changes are shown. */
	constructor(
		private readonly set: ChangeSet,
		private readonly projection: Projection,
		reads: (column: ColumnName) => boolean,
		private readonly format: ChangesForm,
	) {
		this.fields = TRACKED_COLUMNS.map(({ name }) => name).filter(reads);
		this.changedIn = this.fields.map((field) => set.changes.fields.get(field) as Uint32Array);
		this.to = new MonthWriters(set.to, projection, this.fields, format, () => ',"to":');
		this.from = new MonthWriters(
			set.from,
			projection,
			this.fields,
			format,
			(field) => `{"field":"${field}","from":`,
		);
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
				const block = rows.subarray(at, Math.min(to, at + BLOCK_ROWS_MAX));
				this.begin(kind, block);
				this.block(kind, block, passed + at === first, sink);
			}
			passed += rows.length;
		}
	}

	/** Locates and reads ahead what the entries of a block will read. */
	private begin(kind: ChangeKind, rows: Uint32Array): void {
		const month = kind === "gone" ? this.from : this.to;
		month.row.begin(rows);
		if (this.format === "csv") month.license.begin(rows);
		else month.licenseMembers.begin(rows, ALL_MARKED);
		if (kind !== "changed") return;
		for (let i = 0; i < rows.length; i++) this.previous[i] = this.previousOf(rows[i]);
		const previous = this.previous.subarray(0, rows.length);
		this.markChanged(rows);
		if (this.format === "csv") this.from.tracked.begin(previous);
		else {
			if (this.format !== "array") this.from.row.begin(previous);
			this.from.values.begin(previous, this.marks);
			this.to.values.begin(rows, this.marks);
		}
	}

	private markChanged(rows: Uint32Array): void {
		const { marks, changedIn } = this;
		marks.fill(0, 0, rows.length);
		for (let field = 0; field < changedIn.length; field++) {
			const words = changedIn[field];
			for (let i = 0; i < rows.length; i++)
				marks[i] |= ((words[rows[i] >>> 5] >>> (rows[i] & 31)) & 1) << field;
		}
	}

	/** Appends the entries of the block that was begun. */
	private block(kind: ChangeKind, rows: Uint32Array, isFirst: boolean, sink: ByteSink): void {
		const { format } = this;
		for (let i = 0; i < rows.length; i++) {
			if ((format === "json" || format === "array") && (i > 0 || !isFirst)) sink.byte(COMMA);
			if (format === "csv") this.line(kind, i, sink);
			else if (format === "array") this.lightObject(kind, rows[i], i, sink);
			else this.object(kind, rows[i], i, sink);
			if (format === "ndjson") sink.byte(NEWLINE);
		}
	}

	/** Appends the entry of `row`, which is number `index` of its block. */
	private object(kind: ChangeKind, row: number, index: number, sink: ByteSink): void {
		const { from, to } = this;
		const month = kind === "gone" ? from : to;
		this.license(kind, month, index, row, sink);
		sink.text(',"row":');
		if (kind === "gone") sink.text("null");
		else to.row.write(index, sink);
		sink.text(',"previous":');
		if (kind === "new") sink.text("null");
		else from.row.write(index, sink);
		sink.text(',"changes":[');
		if (kind === "changed") this.changes(index, row, sink);
		sink.text("]}");
	}

	/** Appends the members that every entry begins with. */
	private license(
		kind: ChangeKind,
		{ licenseMembers }: MonthWriters,
		index: number,
		row: number,
		sink: ByteSink,
	): void {
		sink.text(ENTRY_STARTS[kind]);
		for (let member = 0; member < LICENSE_MEMBERS.length; member++)
			licenseMembers.write(index, member, row, sink);
	}

	/** What the older row of a changed license adds to the newer one is in `changes`. */
	private lightObject(kind: ChangeKind, row: number, index: number, sink: ByteSink): void {
		const month = kind === "gone" ? this.from : this.to;
		this.license(kind, month, index, row, sink);
		sink.text(kind === "gone" ? ',"row":null,"previous":' : ',"row":');
		month.row.write(index, sink);
		if (kind === "changed") {
			sink.text(',"changes":[');
			this.changes(index, row, sink);
			sink.text("]");
		}
		sink.text("}");
	}

	private changes(index: number, row: number, sink: ByteSink): void {
		const { from, to } = this;
		const previous = this.previous[index];
		for (let left = this.marks[index]; left !== 0; left &= left - 1) {
			const field = 31 - Math.clz32(left & -left);
			if (left !== this.marks[index]) sink.byte(COMMA);
			from.values.write(index, field, previous, sink);
			to.values.write(index, field, row, sink);
			sink.byte(CLOSE_OBJECT);
		}
	}

	private line(kind: ChangeKind, index: number, sink: ByteSink): void {
		const month = kind === "gone" ? this.from : this.to;
		sink.text(kind);
		sink.byte(COMMA);
		month.license.write(index, sink);
		sink.byte(COMMA);
		if (kind === "changed") {
			this.fieldNames(index, sink);
		}
		sink.byte(COMMA);
		month.row.write(index, sink);
		if (this.fields.length > 0) sink.byte(COMMA);
		if (kind === "changed") this.from.tracked.write(index, sink);
		else sink.text(",".repeat(Math.max(0, this.fields.length - 1)));
		sink.text("\r\n");
	}

	/** Appends the names of the fields that changed, separated by spaces. */
	private fieldNames(index: number, sink: ByteSink): void {
		for (let left = this.marks[index]; left !== 0; left &= left - 1) {
			if (left !== this.marks[index]) sink.byte(SPACE);
			sink.text(this.fields[31 - Math.clz32(left & -left)]);
		}
	}

	private previousOf(row: number): number {
		const previous = this.set.changes.previousRows[row];
		if (previous >= PREVIOUS_UNKNOWN) throw new TypeError("a changed row has a previous one");
		return previous;
	}
}

/** What one month's part of an entry is written by. */
class MonthWriters {
	readonly row: BlockWriter;
	/** CSV: the license, and the tracked columns. */
	readonly license: BlockWriter;
	readonly tracked: BlockWriter;
	/** JSON: members of the license and, by field, of tracked values. */
	readonly licenseMembers: LabelledValues;
	readonly values: LabelledValues;

	/** `labelOf`: what precedes a field's value. */
	constructor(
		month: Snapshot,
		projection: Projection,
		fields: readonly ColumnName[],
		format: ChangesForm,
		labelOf: (field: ColumnName) => string,
	) {
		const { masked } = projection;
		this.row = month.blockWriter(projection, format);
		this.license = month.blockWriter({ columns: LICENSE_COLUMNS, masked }, format);
		this.tracked = month.blockWriter({ columns: fields, masked }, format);
		this.licenseMembers = month.labelledValues(LICENSE_MEMBERS);
		this.values = month.labelledValues(fields.map((field) => [field, labelOf(field)]));
	}
}
