/** Reads a parsed month as plain rows, and a reject file as plain records. */

import { existsSync, readFileSync } from "node:fs";
import { NULL_CODE, type ParsedMonth, type ParsedPart } from "../../builder/csv/index.js";
import { type Column, STORED_COLUMNS } from "../../formats/index.js";
import { readReference } from "./reference-csv.js";

/** One row: its columns that have a value. */
export type PlainRow = Readonly<Record<string, string>>;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The month's rows, in order. */
export function rowsOf(month: ParsedMonth): PlainRow[] {
	return month.parts.flatMap((part) =>
		Array.from({ length: part.rows }, (_, row) =>
			Object.fromEntries(
				STORED_COLUMNS.flatMap((column) => {
					const bytes = cellOf(month, part, column, row);
					return bytes === null ? [] : [[column.name, decoder.decode(bytes.slice())]];
				}),
			),
		),
	);
}

/** Bytes of a cell; null where it is null. */
function cellOf(
	month: ParsedMonth,
	part: ParsedPart,
	{ name, kind }: Column,
	row: number,
): Uint8Array | null {
	if (kind === "string") {
		const text = part.text.get(name);
		if (text === undefined || text.offsets[row] === text.offsets[row + 1]) return null;
		return text.heap.subarray(text.offsets[row], text.offsets[row + 1]);
	}
	const code = part.codes.get(name)?.[row] ?? NULL_CODE;
	if (code === NULL_CODE) return null;
	const dictionary = month.dictionaries[part.worker].get(name);
	if (dictionary === undefined) throw new Error(`no dictionary of ${name}`);
	return dictionary.heap.subarray(dictionary.offsets[code], dictionary.offsets[code + 1]);
}

export interface PlainReject {
	readonly file: string;
	readonly line: number;
	readonly column: string;
	readonly reason: string;
	readonly raw: string;
}

/** The records of a reject file; none where there is no file. */
export function readRejects(path: string): PlainReject[] {
	if (!existsSync(path)) return [];
	const { records } = readReference(readFileSync(path, "utf8"), null);
	return records.slice(1).map(({ fields: [file, line, column, reason, raw] }) => ({
		file,
		line: Number(line),
		column,
		reason,
		raw,
	}));
}
