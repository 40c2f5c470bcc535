/**
 * Runs a plan's cell steps on a block of cleaned records. The parts of a split are ranges of its cell; new texts are
 * written to the block's scratch bytes.
 */

import { areDigits, isDigit } from "../../formats/ascii.js";
import { type ColumnName, columnNamed } from "../../formats/domain/columns.js";
import { CELL_BYTES_MAX } from "../input/cell-bytes.js";
import type { CellStep } from "../input/cell-steps.js";
import { QUOTE } from "./byte-classes.js";
import { BLOCK_RECORDS } from "./chunk-memory.js";
import { ExactTexts } from "./exact-texts.js";
import type { FieldTable } from "./field-table.js";
import { NameSplitter } from "./name-splitter.js";
import { OddCells } from "./odd-cells.js";
import type { RecordBlock } from "./record-block.js";
import { trimmedEnd, trimmedStart } from "./trim.js";

const ZERO = 0x30;
const DOT = 0x2e;
const EQUALS = 0x3d;
/** Bytes of `=""`, the formula of an empty text. */
const FORMULA_BYTES_MIN = 3;

/** Counts of the cells that a step changed since the last call of `take`. */
export interface StepCounts {
	readonly column: ColumnName;
	readonly unsplit: OddCells;
	replaced: number;
	padded: number;
	trimmed: number;
	unwrapped: number;
}

export interface CellTransform {
	readonly counts: StepCounts;
	/** Maximum scratch bytes for a block whose records have `recordBytes` bytes. */
	scratchBytes(recordBytes: number): number;
	run(block: RecordBlock): void;
}

/** The transform for a step. */
export function cellTransform(step: CellStep): CellTransform {
	switch (step.kind) {
		case "split":
			return new SplitTransform(step);
		case "join":
			return new JoinTransform(step);
		case "coalesce":
			return new CoalesceTransform(step);
		case "change":
			return new ChangeTransform(step);
	}
}

function noCounts(column: ColumnName): StepCounts {
	return { column, unsplit: new OddCells(), replaced: 0, padded: 0, trimmed: 0, unwrapped: 0 };
}

class SplitTransform implements CellTransform {
	readonly counts: StepCounts;
	private readonly splitter: NameSplitter;
	/** The parts that are wanted, and their fields. */
	private readonly parts: Int32Array;
	private readonly fields: Int32Array;
	/** The part that must have a digit; -1: none. */
	private readonly digitPart: number;

	constructor(private readonly step: Extract<CellStep, { kind: "split" }>) {
		this.counts = noCounts(step.column);
		const splitter = new NameSplitter(step.segments, step.address);
		const wanted = step.into.filter(({ part }) => splitter.partNumber(part) >= 0);
		this.splitter = splitter;
		this.parts = Int32Array.from(wanted, ({ part }) => splitter.partNumber(part));
		this.fields = Int32Array.from(wanted, ({ field }) => field);
		const { postalCode } = step.address;
		this.digitPart = postalCode === null ? -1 : splitter.partNumber(postalCode);
	}

	scratchBytes(): number {
		return 0;
	}

	run(block: RecordBlock): void {
		const { data, table, records } = block;
		const { starts, ends, flags } = table;
		const { splitter, parts, fields } = this;
		const { from, to } = splitter;
		const first = this.step.field * table.records;
		for (let record = 0; record < records; record++) {
			const start = starts[first + record];
			const end = ends[first + record];
			const isSplit = start < end && splitter.split(data.bytes, start, end) && this.hasDigit(data.bytes);
			if (!isSplit && start < end) this.counts.unsplit.add(block, this.step.field, record);
			for (let i = 0; i < parts.length; i++) {
				const cell = fields[i] * table.records + record;
				starts[cell] = isSplit ? from[parts[i]] : 0;
				ends[cell] = isSplit ? to[parts[i]] : 0;
				flags[cell] = 0;
			}
		}
	}

	/** Whether the part that must have a digit has one. */
	private hasDigit(bytes: Uint8Array): boolean {
		if (this.digitPart < 0) return true;
		const { from, to } = this.splitter;
		for (let at = from[this.digitPart]; at < to[this.digitPart]; at++) if (isDigit(bytes[at])) return true;
		return false;
	}
}

class JoinTransform implements CellTransform {
	readonly counts: StepCounts;

	private readonly code: number;
	private readonly separator: Uint8Array;

	constructor(private readonly step: Extract<CellStep, { kind: "join" }>) {
		this.counts = noCounts(step.column);
		this.code = columnNamed(step.column).code;
		this.separator = new TextEncoder().encode(step.separator);
	}

	scratchBytes(recordBytes: number): number {
		return (recordBytes + BLOCK_RECORDS * this.separator.length) * this.step.fields.length;
	}

	run(block: RecordBlock): void {
		const { data, table, records } = block;
		const { starts, ends } = table;
		const { fields, into } = this.step;
		const { separator } = this;
		for (let record = 0; record < records; record++) {
			const begin = block.scratchEnd;
			let end = begin;
			for (const field of fields) {
				const cell = field * table.records + record;
				if (starts[cell] === ends[cell]) continue;
				if (end > begin) {
					data.bytes.set(separator, end);
					end += separator.length;
				}
				data.bytes.copyWithin(end, starts[cell], ends[cell]);
				end += ends[cell] - starts[cell];
			}
			const to = into * table.records + record;
			starts[to] = begin;
			ends[to] = end;
			if (end - begin > CELL_BYTES_MAX) block.reject(record, "cell_too_long", this.code);
			block.scratchEnd = end;
		}
	}
}

class CoalesceTransform implements CellTransform {
	readonly counts: StepCounts;

	constructor(private readonly step: Extract<CellStep, { kind: "coalesce" }>) {
		this.counts = noCounts(step.column);
	}

	scratchBytes(): number {
		return 0;
	}

	/** The cell's range is taken: its bytes, already clean, are not copied. */
	run({ table, records }: RecordBlock): void {
		const { starts, ends, flags } = table;
		const { fields, into } = this.step;
		for (let record = 0; record < records; record++) {
			const to = into * table.records + record;
			let i = 0;
			while (i < fields.length - 1 && isEmpty(table, fields[i] * table.records + record)) i++;
			const cell = fields[i] * table.records + record;
			starts[to] = starts[cell];
			ends[to] = ends[cell];
			flags[to] = 0;
		}
	}
}

function isEmpty({ starts, ends }: FieldTable, cell: number): boolean {
	return starts[cell] === ends[cell];
}

class ChangeTransform implements CellTransform {
	readonly counts: StepCounts;
	private readonly texts: ExactTexts;
	private readonly replacements: readonly Uint8Array[];
	private readonly replacementBytes: number;
	/** By text to replace: where its replacement is in the block's scratch bytes; 0: not there yet. */
	private readonly writtenAt: Int32Array;

	constructor(private readonly step: Extract<CellStep, { kind: "change" }>) {
		this.counts = noCounts(step.column);
		this.texts = new ExactTexts(step.values.map(([text]) => text));
		const encoder = new TextEncoder();
		this.replacements = step.values.map(([, replacement]) => encoder.encode(replacement));
		this.replacementBytes = this.replacements.reduce((sum, { length }) => sum + length, 0);
		this.writtenAt = new Int32Array(step.values.length);
	}

	scratchBytes(): number {
		return BLOCK_RECORDS * this.step.pad + this.replacementBytes;
	}

	run(block: RecordBlock): void {
		const { table, records } = block;
		const { starts, ends } = table;
		const { field, into, trimFormula, trimDecimal, pad } = this.step;
		this.writtenAt.fill(0);
		for (let record = 0; record < records; record++) {
			const cell = field * table.records + record;
			const to = into * table.records + record;
			starts[to] = starts[cell];
			ends[to] = ends[cell];
			if (starts[cell] === ends[cell]) continue;
			if (trimFormula) this.unwrap(block, to);
			if (starts[to] === ends[to]) continue;
			if (trimDecimal) this.trim(block, to);
			if (pad > 0) this.pad(block, to, pad);
			if (this.texts.size > 0) this.replace(block, to);
		}
	}

	/** Replaces the formula of a text without quotes by the text, trimmed. */
	private unwrap({ data, table }: RecordBlock, cell: number): void {
		const { bytes } = data;
		const { starts, ends } = table;
		const [start, last] = [starts[cell], ends[cell] - 1];
		const isFormula = bytes[start] === EQUALS && bytes[start + 1] === QUOTE && bytes[last] === QUOTE;
		if (!isFormula || last - start < FORMULA_BYTES_MIN - 1) return;
		for (let i = start + 2; i < last; i++) if (bytes[i] === QUOTE) return;
		starts[cell] = trimmedStart(bytes, start + 2, last);
		ends[cell] = trimmedEnd(bytes, starts[cell], last);
		this.counts.unwrapped++;
	}

	private trim({ data, table }: RecordBlock, cell: number): void {
		const { starts, ends } = table;
		let end = ends[cell];
		while (end > starts[cell] && data.bytes[end - 1] === ZERO) end--;
		const isDecimal = end < ends[cell] && data.bytes[end - 1] === DOT;
		if (!isDecimal || !isDigits(data.bytes, starts[cell], end - 1)) return;
		ends[cell] = end - 1;
		this.counts.trimmed++;
	}

	private pad(block: RecordBlock, cell: number, width: number): void {
		const { bytes } = block.data;
		const { starts, ends } = block.table;
		const length = ends[cell] - starts[cell];
		if (length >= width || !isDigits(bytes, starts[cell], ends[cell])) return;
		const at = block.scratchEnd;
		bytes.fill(ZERO, at, at + width - length);
		bytes.copyWithin(at + width - length, starts[cell], ends[cell]);
		starts[cell] = at;
		ends[cell] = at + width;
		block.scratchEnd = at + width;
		this.counts.padded++;
	}

	private replace(block: RecordBlock, cell: number): void {
		const { starts, ends } = block.table;
		const text = this.texts.find(block.data.words, starts[cell], ends[cell]);
		if (text < 0) return;
		const replacement = this.replacements[text];
		// All cells of a block with the same text share the bytes of its replacement.
		if (this.writtenAt[text] === 0) {
			block.data.bytes.set(replacement, block.scratchEnd);
			this.writtenAt[text] = block.scratchEnd;
			block.scratchEnd += replacement.length;
		}
		starts[cell] = this.writtenAt[text];
		ends[cell] = starts[cell] + replacement.length;
		this.counts.replaced++;
	}
}

/** Whether bytes[start, end) consists of one or more digits. */
function isDigits(bytes: Uint8Array, start: number, end: number): boolean {
	return end > start && areDigits(bytes, start, end);
}
