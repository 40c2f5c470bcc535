/**
 * What a map has done to cells between reading and encoding, as plain data that a worker thread can be
 * given. Steps run in order; each writes cells of fields that follow the file's own (virtual fields).
 */

import type { ColumnName } from "../../formats/domain/columns.js";
import type { PatternSegment } from "./split-pattern.js";

/** The parts of a pattern that have a form of their own; null: it has none. */
export interface AddressParts {
	/** A state or province: a cell that has another text there does not match. */
	readonly state: string | null;
	/** A cell that has no digit there does not match. */
	readonly postalCode: string | null;
	/** Texts of the state that the map replaces, and that are taken although no state is named so. */
	readonly replacedStates: readonly string[];
}

export type CellStep =
	/** Divides a field's cells into virtual fields, one a part that is wanted. */
	| {
			readonly kind: "split";
			readonly field: number;
			/** The column that oddities are reported under. */
			readonly column: ColumnName;
			readonly segments: readonly PatternSegment[];
			readonly into: readonly { readonly part: string; readonly field: number }[];
			readonly address: AddressParts;
	  }
	/** Joins the cells of several fields by a separator; empty ones are left out. */
	| {
			readonly kind: "join";
			readonly fields: readonly number[];
			readonly column: ColumnName;
			readonly into: number;
			readonly separator: string;
	  }
	/** Takes the cell of the first field that is not empty. */
	| {
			readonly kind: "coalesce";
			readonly fields: readonly number[];
			readonly column: ColumnName;
			readonly into: number;
	  }
	/** Copies a field's cells, with their texts changed. */
	| {
			readonly kind: "change";
			readonly field: number;
			readonly column: ColumnName;
			readonly into: number;
			/** `="0123"` becomes `0123`. */
			readonly trimFormula: boolean;
			/** `98101.0` becomes `98101`. */
			readonly trimDecimal: boolean;
			/** Digits that a shorter whole number is filled up to with leading zeros; 0: none. */
			readonly pad: number;
			/** Exact texts and what replaces them; an empty replacement makes the cell null. */
			readonly values: readonly (readonly [text: string, replacement: string])[];
	  };
