/**
 * Converts a sheet's XML to CSV records while it is read. Dates, codes with leading zeros or text, and texts are
 * written as the sheet displays them; other numbers are written unformatted. Formula errors (`#N/A`) and formulas
 * whose value was never calculated become empty cells. These, numbers whose format shows what is not written, cells that
 * a merged one above them covers, and hidden rows are counted. Rows and columns must be in ascending order, as every
 * program writes them.
 */

import { BuildError } from "../../errors.js";
import { ODD_SAMPLE_CHARACTERS_MAX, type SourceOddity } from "../byte-reader.js";
import { type NumberStyle, readNumber } from "./number-style.js";
import type { RecordWriter } from "./record-writer.js";
import { joinedText, type SharedStrings, unescaped } from "./shared-strings.js";
import { SheetOddities } from "./sheet-oddities.js";
import { isTrue, XmlPart } from "./xml-part.js";

/** Maximum rows and columns of a sheet. */
const ROWS_MAX = 1 << 20;
const COLUMNS_MAX = 1 << 12;

const PLAIN: NumberStyle = { kind: "plain" };

export interface SheetContext {
	readonly file: string;
	readonly part: string;
	readonly strings: SharedStrings | null;
	readonly styles: readonly NumberStyle[];
	readonly is1904: boolean;
}

export class SheetRows {
	readonly oddities = new SheetOddities();
	private readonly xml: XmlPart;
	/** Elements that are open. */
	private depth = 0;
	private inData = false;
	private wasData = false;
	private inText = false;
	private inFormula = false;
	private phonetic = 0;
	private row = -1;
	/** Whether the row is hidden and no cell of it was written yet. */
	private isHidden = false;
	private column = -1;
	private type = "n";
	private style = PLAIN;
	private text = "";
	/** The beginning of the cell's formula; null: it has none. */
	private formula: string | null = null;
	/** Whether the cell has an element for its value. */
	private hasValue = false;

	constructor(
		private readonly context: SheetContext,
		private readonly records: RecordWriter,
	) {
		this.xml = new XmlPart(context.file, context.part, {
			open: (name, attributes) => this.open(name, attributes),
			text: (content) => {
				if (this.inText) this.text = joinedText(this.text, content, context.file);
				else if (this.inFormula && this.formula !== null)
					this.formula = (this.formula + content).slice(0, ODD_SAMPLE_CHARACTERS_MAX - 1);
			},
			close: (name) => this.close(name),
		});
	}

	/** Parses the next bytes. Throws {@link BuildError}. */
	write(bytes: Uint8Array): void {
		this.xml.write(bytes);
	}

	end(): void {
		this.xml.end();
		this.records.finish();
	}

	private open(name: string, attributes: Readonly<Record<string, string>>): void {
		const depth = this.depth++;
		if (name === "sheetData") this.beginData(depth);
		else if (name === "mergeCell" && depth === 2) this.noteMerged(attributes.ref ?? "");
		else if (!this.inData) return;
		else if (name === "row") this.beginRow(attributes);
		else if (name === "c") this.beginCell(attributes);
		else if (name === "rPh") this.phonetic++;
		else if (name === "v" || name === "t") this.beginText();
		else if (name === "f") {
			this.inFormula = true;
			this.formula = "";
		}
	}

	/** Extensions of programs may have further elements of the name. */
	private beginData(depth: number): void {
		if (depth !== 1 || this.wasData) return;
		this.inData = true;
		this.wasData = true;
	}

	private close(name: string): void {
		this.depth--;
		if (name === "sheetData" && this.depth === 1) this.inData = false;
		else if (name === "v" || name === "t") this.inText = false;
		else if (name === "f") this.inFormula = false;
		else if (name === "rPh") this.phonetic--;
		else if (name === "c" && this.inData) this.endCell();
	}

	private beginRow({ r: number, hidden }: Readonly<Record<string, string>>): void {
		const row = number === undefined ? this.row + 1 : Number(number) - 1;
		if (!Number.isInteger(row) || row <= this.row || row >= ROWS_MAX)
			throw this.fault(`row ${number ?? row + 1} follows row ${this.row + 1}`);
		this.row = row;
		this.column = -1;
		this.isHidden = isTrue(hidden);
	}

	private beginCell({ r: reference, t: type = "n", s: style }: Readonly<Record<string, string>>): void {
		const column = reference === undefined ? this.column + 1 : columnOf(reference);
		if (this.row < 0 || column <= this.column || column >= COLUMNS_MAX)
			throw this.fault(
				`row ${this.row + 1} has the cell ${reference ?? column + 1} out of order, or past column ${COLUMNS_MAX}`,
			);
		this.column = column;
		this.type = type;
		this.style = style === undefined ? PLAIN : (this.context.styles[Number(style)] ?? PLAIN);
		this.text = "";
		this.formula = null;
		this.hasValue = false;
	}

	private beginText(): void {
		this.inText = this.phonetic === 0;
		this.hasValue = true;
	}

	private endCell(): void {
		if (this.formula !== null && this.text === "") this.noteWithoutValue(this.formula);
		const value = this.valueOf();
		if (value === null || value.length === 0) return;
		this.records.cell(this.row, this.column, value);
		if (this.isHidden) this.note("hidden_row", null, null);
		this.isHidden = false;
	}

	/** Counts a cell of the current row, or the row. */
	private note(kind: SourceOddity["kind"], column: number | null, text: string | null): void {
		const sample = text === null ? null : { line: this.row + 1, text };
		this.oddities.add(kind, { column, row: this.row }, 1, sample);
	}

	/** Counts the cells below the first of a merged range, such as `C2:C5`, by its first column: they have no value. */
	private noteMerged(range: string): void {
		const [first, last = first] = range.replaceAll("$", "").split(":");
		const below = rowOf(last) - rowOf(first);
		if (!(below > 0 && rowOf(first) >= 0 && rowOf(last) < ROWS_MAX)) return;
		const sample = { line: rowOf(first) + 1, text: range };
		this.oddities.add("merged_cell", { column: columnOf(first), row: rowOf(last) }, below, sample);
	}

	/**
	 * Counts a formula without a value, unless its value is an empty text. Programs that calculate write that as an
	 * element without content in a cell of type `str`; openpyxl writes such an element, without the type, into every
	 * formula's cell, and other libraries write none.
	 */
	private noteWithoutValue(formula: string): void {
		if (this.type === "str" && this.hasValue) return;
		this.note("uncalculated_formula", this.column, `=${formula}`);
	}

	private valueOf(): Uint8Array | null {
		const { text, type } = this;
		if (text === "") return null;
		switch (type) {
			case "s": {
				const shared = this.context.strings?.at(Number(text)) ?? null;
				if (shared === null) throw this.fault(`row ${this.row + 1} has a text that the workbook lacks`);
				return shared;
			}
			case "e":
				this.note("formula_error", null, null);
				return null;
			case "b":
				return Buffer.from(isTrue(text) ? "TRUE" : "FALSE");
			case "n":
				return Buffer.from(this.numberOf(text));
			default:
				return Buffer.from(unescaped(text));
		}
	}

	private numberOf(stored: string): string {
		const { text, isBare } = readNumber(stored, this.style, this.context.is1904);
		if (isBare) this.note("bare_number", this.column, text);
		return text;
	}

	private fault(why: string): BuildError {
		return new BuildError("unreadable_file", `the sheet "${this.context.part}" cannot be read: ${why}`, {
			file: this.context.file,
		});
	}
}

/** Column of a cell reference such as `AB12`, counted from 0; -1 if it is invalid. */
function columnOf(reference: string): number {
	let column = 0;
	let i = 0;
	for (; i < reference.length; i++) {
		const letter = reference.charCodeAt(i) - 64;
		if (letter < 1 || letter > 26 || i > 3) break;
		column = 26 * column + letter;
	}
	return column - 1;
}

/** Row of a cell reference such as `AB12`, counted from 0; NaN if it is invalid. */
function rowOf(reference: string): number {
	return Number(/^[A-Z]{1,3}(\d+)$/.exec(reference)?.[1]) - 1;
}
