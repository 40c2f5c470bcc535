/**
 * Where a projection's cells come from: for every column asked for, the bytes that go before its
 * value and the views its value is read from. Made once per snapshot and projection.
 */

import {
	type Codes,
	type Column,
	type ColumnName,
	columnNamed,
	decodeUtf8,
	monthNumber,
	rowId,
} from "../../formats/index.js";
import type { SnapshotColumns } from "../columns.js";
import type { Projection } from "../query.js";
import { maskEmail, maskPhone } from "./mask.js";

/** A cell source. `label` is `"name":` with what separates it from the column before. */
export type Cell =
	| { readonly kind: "id"; readonly label: Uint8Array; readonly monthNumber: number }
	| { readonly kind: "constant"; readonly label: Uint8Array; readonly text: string }
	| {
			readonly kind: "dictionary";
			readonly label: Uint8Array;
			readonly codes: Codes;
			readonly offsets: Uint32Array;
			readonly heap: Uint8Array;
			readonly distinct: number;
			/** Whether JSON writes the value without quotes. */
			readonly numeric: boolean;
	  }
	| {
			readonly kind: "text";
			readonly label: Uint8Array;
			readonly offsets: Uint32Array;
			readonly heap: Uint8Array;
			readonly mask: ((value: string) => string) | null;
	  };

/** The cells of `projection`, in its order. */
export function openCells(columns: SnapshotColumns, month: string, projection: Projection): Cell[] {
	return projection.columns.map((name, index) => openCell(columns, month, name, index, projection.masked));
}

function openCell(
	columns: SnapshotColumns,
	month: string,
	name: ColumnName,
	index: number,
	masked: boolean,
): Cell {
	const column = columnNamed(name);
	const label = new TextEncoder().encode(`${index === 0 ? "{" : ","}"${name}":`);
	switch (column.kind) {
		case "id":
			return { kind: "id", label, monthNumber: monthNumber(month) };
		case "snapshot":
			return { kind: "constant", label, text: month };
		case "string": {
			const { offsets, heap } = columns.text.get(column);
			return { kind: "text", label, offsets, heap, mask: masked ? maskOf(column) : null };
		}
		case "dict":
		case "date":
		case "int": {
			const { offsets, heap, distinct } = columns.dictionary.get(column);
			const codes = columns.codes.get(column);
			return { kind: "dictionary", label, codes, offsets, heap, distinct, numeric: column.kind === "int" };
		}
	}
}

function maskOf(column: Column): ((value: string) => string) | null {
	if (!column.contact) return null;
	return column.name.endsWith("email") ? maskEmail : maskPhone;
}

/** The cell's value in `row` as plain data: what JSON says. */
export function cellValue(cell: Cell, row: number): string | number | null {
	switch (cell.kind) {
		case "id":
			return rowId(cell.monthNumber, row);
		case "constant":
			return cell.text;
		case "text": {
			const text = decodeRange(cell.heap, cell.offsets[row], cell.offsets[row + 1]);
			if (text === "") return null;
			return cell.mask === null ? text : cell.mask(text);
		}
		case "dictionary": {
			const code = cell.codes[row];
			if (code === cell.distinct) return null;
			const text = decodeRange(cell.heap, cell.offsets[code], cell.offsets[code + 1]);
			return cell.numeric ? Number(text) : text;
		}
	}
}

function decodeRange(heap: Uint8Array, start: number, end: number): string {
	return start === end ? "" : decodeUtf8(heap, start, end);
}
