/** Entries of changes put together from the columns, for any projection and form. */

import type { ColumnName } from "../../formats/index.js";
import type { Projection, RowFormat } from "../query.js";
import { ALL_MARKED, type LabelledValues } from "../render/labelled-values.js";
import type { BlockWriter } from "../render/rows.js";
import type { ByteSink } from "../render/sink.js";
import type { Snapshot } from "../snapshot.js";
import type { ChangeKind, ChangeSet } from "./change-set.js";
import type { EntryBlock } from "./entry-block.js";

const COMMA = 0x2c;
const NEWLINE = 0x0a;
const SPACE = 0x20;
const CLOSE_OBJECT = 0x7d;
const NO_ROWS = new Uint32Array(0);
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

export class ColumnEntries {
	private readonly to: MonthWriters;
	private readonly from: MonthWriters;
	/** As in the block that was taken. */
	private kind: ChangeKind = "new";
	private rows: Uint32Array = NO_ROWS;
	private previous: Uint32Array = NO_ROWS;
	private marks: Uint32Array = NO_ROWS;

	/** `fields`: tracked columns whose changes are shown, as in the blocks. */
	constructor(
		set: ChangeSet,
		projection: Projection,
		private readonly fields: readonly ColumnName[],
		private readonly format: ChangesForm,
	) {
		this.to = new MonthWriters(set.to, projection, fields, format, () => ',"to":');
		const label = (field: ColumnName) => `{"field":"${field}","from":`;
		this.from = new MonthWriters(set.from, projection, fields, format, label);
	}

	/** Takes a block: locates and reads ahead what its entries will read. */
	begin(block: EntryBlock): void {
		const { kind, rows, previous, marks } = block;
		Object.assign(this, { kind, rows, previous, marks });
		const month = kind === "gone" ? this.from : this.to;
		month.row.begin(rows);
		if (this.format === "csv") month.license.begin(rows);
		else month.licenseMembers.begin(rows, ALL_MARKED);
		if (kind !== "changed") return;
		if (this.format === "csv") this.from.tracked.begin(previous);
		else {
			if (this.format !== "array") this.from.row.begin(previous);
			this.from.values.begin(previous, marks);
			this.to.values.begin(rows, marks);
		}
	}

	/** Appends entry `index` of the block, in JSON after a comma if it follows another. */
	append(index: number, isAfterOther: boolean, sink: ByteSink): void {
		const { format } = this;
		const { kind, rows } = this;
		if (isAfterOther && (format === "json" || format === "array")) sink.byte(COMMA);
		if (format === "csv") this.line(kind, index, sink);
		else if (format === "array") this.lightObject(kind, rows[index], index, sink);
		else this.object(kind, rows[index], index, sink);
		if (format === "ndjson") sink.byte(NEWLINE);
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
