/**
 * A block of records between the scanner and the columns. Each column processes a block at a time in a loop over
 * its own cells, so its dictionary stays in the cache and the loop is small enough to be optimised well.
 */

import { type ByteBlock, movedTo, SLACK_BYTES } from "./byte-block.js";
import { BLOCK_RECORDS, type ChunkMemory } from "./chunk-memory.js";
import type { FieldTable } from "./field-table.js";
import { REJECT_REASONS, type RejectReason } from "./parsed-month.js";
import { trimmedStart } from "./trim.js";

/** In place of a column's persisted code where a record as a whole is faulty. */
export const NO_COLUMN_CODE = 255;

export class RecordBlock {
	readonly table: FieldTable;
	/** The bytes that the cells refer to; set before each use. */
	data: ByteBlock;
	/** Number of records. */
	records = 0;
	/** Start of the scratch bytes of `data`, for texts that are not in any record, and of the free ones. */
	scratchStart = 0;
	scratchEnd = 0;
	/** By record: where its bytes begin and end, and its physical line. */
	readonly begins: Int32Array;
	readonly nexts: Int32Array;
	readonly lines = new Int32Array(BLOCK_RECORDS);
	/** Records selected, ascending: the first `accepted` entries. */
	readonly selection = new Int32Array(BLOCK_RECORDS);
	accepted = 0;
	/** By record: 0, or 1 + the fault's index in REJECT_REASONS; and the persisted code of the column at fault. */
	private readonly faults = new Uint8Array(BLOCK_RECORDS);
	private readonly faultColumns = new Uint8Array(BLOCK_RECORDS);
	private faulty = 0;
	private readonly marks: Uint8Array;

	/** A block of the chunks in `memory`. */
	constructor({ table, begins, nexts, marks, data }: ChunkMemory) {
		this.table = table;
		this.begins = begins;
		this.nexts = nexts;
		this.marks = marks;
		this.data = data;
	}

	/** Whether none of a field's cells has flags, spaces around it, or too many bytes. */
	isClean(field: number): boolean {
		return this.marks[field] === 0;
	}

	/** Marks all fields as ones whose cells may need cleaning. */
	markFields(): void {
		this.marks.fill(1);
	}

	/** Clears the scratch and ensures room for `bytes` bytes. May replace `data`. */
	reserveScratch(bytes: number): void {
		this.scratchEnd = this.scratchStart;
		const needed = this.scratchStart + bytes + SLACK_BYTES;
		if (needed <= this.data.bytes.length) return;
		this.data = movedTo(new ArrayBuffer(needed), this.data);
	}

	/** Whether the first `fields` cells of a record are white space, as in lines of delimiters that spreadsheets append. */
	isEmpty(record: number, fields: number): boolean {
		const { starts, ends, records } = this.table;
		for (let cell = record; cell < fields * records; cell += records)
			if (starts[cell] < ends[cell] && trimmedStart(this.data.bytes, starts[cell], ends[cell]) < ends[cell])
				return false;
		return true;
	}

	/** Removes all records. */
	clear(): void {
		this.records = 0;
		this.marks.fill(0);
		if (this.faulty > 0) this.faults.fill(0);
		this.faulty = 0;
	}

	/** Marks a record's fault, unless it has one already. `column` is a column's persisted code, or {@link NO_COLUMN_CODE}. */
	reject(record: number, reason: RejectReason, column: number): void {
		if (this.faults[record] !== 0) return;
		this.faults[record] = 1 + REJECT_REASONS.indexOf(reason);
		this.faultColumns[record] = column;
		this.faulty++;
	}

	/** Whether no record has a fault. */
	get sound(): boolean {
		return this.faulty === 0;
	}

	/** The fault of a record, or null. */
	faultOf(record: number): { readonly reason: RejectReason; readonly column: number } | null {
		const fault = this.faults[record];
		return fault === 0 ? null : { reason: REJECT_REASONS[fault - 1], column: this.faultColumns[record] };
	}

	/** Selects all records. */
	selectAll(): void {
		for (let record = 0; record < this.records; record++) this.selection[record] = record;
		this.accepted = this.records;
	}

	/** Selects the records without a fault. */
	selectSound(): void {
		let accepted = 0;
		for (let record = 0; record < this.records; record++) {
			if (this.faults[record] === 0) this.selection[accepted++] = record;
		}
		this.accepted = accepted;
	}
}
