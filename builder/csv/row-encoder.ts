/**
 * Converts records to columns: validates a block's cells by their columns' rules and appends them as codes of the
 * worker's dictionaries or as text. An invalid record produces no row.
 *
 * Rules are checked in a fixed order, so that a record with several faults is always rejected for the same one:
 * UTF-8 by field, then a repeated header, then state, country, dates, whole numbers.
 */

import { type Column, type ColumnName, columnNamed } from "../../formats/domain/columns.js";
import type { OddSample } from "../input/byte-reader.js";
import { compileDateFormats } from "../input/date-format.js";
import type { SourcePlan } from "../input/source-plan.js";
import { sharedWords } from "./byte-block.js";
import { CellCleaner } from "./cell-cleaner.js";
import { type CellTransform, cellTransform } from "./cell-transforms.js";
import {
	DateColumn,
	IntegerColumn,
	JurisdictionColumns,
	NO_FIELD,
	TextColumn,
	WordColumn,
} from "./column-encoders.js";
import type { Dictionaries } from "./dictionaries.js";
import type { OddityKind, PartText } from "./parsed-month.js";
import type { RecordBlock } from "./record-block.js";
import { RepeatedHeader } from "./repeated-header.js";

/** Unusual cells of one column that were kept or became null. */
export interface CellOddity {
	readonly kind: OddityKind;
	readonly column: ColumnName;
	readonly count: number;
	/** The first ones, where they are kept; lines are 0-based, relative to the chunk. */
	readonly samples?: readonly OddSample[];
}

/** The rows encoded since the last {@link RowEncoder.take}. */
export interface EncodedRows {
	readonly rows: number;
	readonly codes: Map<ColumnName, Uint32Array>;
	readonly text: Map<ColumnName, PartText>;
	readonly oddities: readonly CellOddity[];
}

export class RowEncoder {
	/** Rows encoded since the last {@link take}. */
	rows = 0;
	/** By field of the file, for fields in use. */
	private readonly cleaners = new Map<number, CellCleaner>();
	private readonly header: RepeatedHeader;
	private readonly transforms: readonly CellTransform[];
	private readonly jurisdiction: JurisdictionColumns;
	private readonly dates: DateColumn[] = [];
	private readonly integers: IntegerColumn[] = [];
	private readonly words: WordColumn[] = [];
	private readonly texts: TextColumn[] = [];

	constructor(
		private readonly plan: SourcePlan,
		private readonly dictionaries: Dictionaries,
	) {
		for (const { column, field } of plan.targets) {
			this.addCleaner(column, field);
			this.addColumn(columnNamed(column), field);
		}
		for (const step of plan.steps) {
			for (const field of "fields" in step ? step.fields : [step.field]) this.addCleaner(step.column, field);
		}
		this.header = new RepeatedHeader(plan.names, [...this.cleaners.keys()]);
		this.transforms = plan.steps.map(cellTransform);
		this.jurisdiction = new JurisdictionColumns(
			dictionaries,
			this.fieldOf("state"),
			this.constantCode("state"),
			this.fieldOf("country"),
			this.constantCode("country"),
		);
	}

	/** Appends the block's valid records and marks the invalid ones. May modify the block's bytes. */
	encode(block: RecordBlock): void {
		const { rows } = this;
		const ruled = [this.jurisdiction, ...this.dates, ...this.integers];
		for (const cleaner of this.cleaners.values()) cleaner.clean(block);
		this.header.mark(block);
		if (this.transforms.length > 0) this.transform(block);
		block.selectAll();
		for (const column of ruled) column.encode(block, rows);
		if (!block.sound) {
			block.selectSound();
			for (const column of ruled) column.closeUp(block, rows);
		}
		for (const column of this.words) column.encode(block, rows);
		for (const column of this.texts) column.encode(block, rows);
		this.rows += block.accepted;
	}

	private transform(block: RecordBlock): void {
		const recordBytes = block.records === 0 ? 0 : block.nexts[block.records - 1] - block.begins[0];
		const needed = this.transforms.reduce((sum, each) => sum + each.scratchBytes(recordBytes), 0);
		block.reserveScratch(needed);
		for (const transform of this.transforms) transform.run(block);
	}

	/** Adds the cleaner of a field of the file, if it has none; `column` is the first column that it fills. */
	private addCleaner(column: ColumnName, field: number): void {
		if (field >= this.plan.fields || this.cleaners.has(field)) return;
		this.cleaners.set(field, new CellCleaner(field, column, this.plan.nulls));
	}

	/** Returns the rows encoded so far and starts over. */
	take(): EncodedRows {
		const { rows } = this;
		const codes = new Map<ColumnName, Uint32Array>();
		const text = new Map<ColumnName, PartText>();
		for (const { column, value } of this.plan.constants) {
			if (columnNamed(column).kind === "string") text.set(column, repeatedText(value, rows));
			else codes.set(column, repeatedCode(this.dictionaries.codeOf(column, value), rows));
		}
		codes.set("state", this.jurisdiction.takeStates(rows));
		codes.set("country", this.jurisdiction.takeCountries(rows));
		for (const column of [...this.dates, ...this.integers, ...this.words]) {
			codes.set(column.column, column.take(rows));
		}
		for (const column of this.texts) text.set(column.column, column.take(rows));
		this.rows = 0;
		return { rows, codes, text, oddities: this.takeOddities() };
	}

	private addColumn({ name, kind }: Column, field: number): void {
		if (name === "state" || name === "country") return;
		if (kind === "string") {
			this.texts.push(new TextColumn(name, field));
			return;
		}
		const interner = this.dictionaries.of(name);
		if (kind === "date") {
			const formats = compileDateFormats(this.plan.dateFormats);
			this.dates.push(new DateColumn(name, field, interner, formats, this.plan.invalidDates === "null"));
		} else if (kind === "int") {
			this.integers.push(new IntegerColumn(name, field, interner));
		} else {
			this.words.push(new WordColumn(name, field, interner));
		}
	}

	private fieldOf(column: ColumnName): number {
		return this.plan.targets.find((target) => target.column === column)?.field ?? NO_FIELD;
	}

	private constantCode(column: ColumnName): number | null {
		const constant = this.plan.constants.find((other) => other.column === column);
		return constant === undefined ? null : this.dictionaries.codeOf(column, constant.value);
	}

	private takeOddities(): CellOddity[] {
		const oddities: CellOddity[] = [];
		for (const cleaner of this.cleaners.values()) {
			const { column } = cleaner;
			oddities.push({ kind: "control_characters", column, count: cleaner.controlCells });
			oddities.push({ kind: "garbled_characters", column, count: cleaner.garbledCells });
			oddities.push({ kind: "invisible_characters", column, count: cleaner.invisibleCells });
			oddities.push({ kind: "null_spelling", column, count: cleaner.nulledCells });
			Object.assign(cleaner, { controlCells: 0, garbledCells: 0, invisibleCells: 0, nulledCells: 0 });
		}
		for (const { counts } of this.transforms) {
			const { column } = counts;
			oddities.push({ kind: "unsplit_cell", column, ...counts.unsplit.take() });
			oddities.push({ kind: "replaced_value", column, count: counts.replaced });
			oddities.push({ kind: "padded_number", column, count: counts.padded });
			oddities.push({ kind: "trimmed_decimal", column, count: counts.trimmed });
			oddities.push({ kind: "trimmed_formula", column, count: counts.unwrapped });
			Object.assign(counts, { replaced: 0, padded: 0, trimmed: 0, unwrapped: 0 });
		}
		oddities.push({ kind: "state_name", column: "state", count: this.jurisdiction.namedStates });
		this.jurisdiction.namedStates = 0;
		for (const date of this.dates) {
			oddities.push({ kind: "nulled_date", column: date.column, ...date.nulled.take() });
		}
		return oddities.filter(({ count }) => count > 0);
	}
}

function repeatedCode(code: number, rows: number): Uint32Array {
	return sharedWords(rows).fill(code);
}

function repeatedText(value: string, rows: number): PartText {
	const bytes = Buffer.from(value, "utf8");
	const offsets = sharedWords(rows + 1);
	const heap = new Uint8Array(new SharedArrayBuffer(rows * bytes.length));
	for (let row = 0; row < rows; row++) {
		heap.set(bytes, row * bytes.length);
		offsets[row + 1] = (row + 1) * bytes.length;
	}
	return { offsets, heap };
}
