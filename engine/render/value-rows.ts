/**
 * Values of a column with their rows as JSON, without objects or strings in between: `[{"value":"Ottawa","rows":12}]`,
 * the same bytes as JSON.stringify of the objects.
 */

import type { Column } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { type Cell, openLabelled } from "./cells.js";
import { writeNumber } from "./digits.js";
import { ESCAPE_BYTES_MAX, writeEscapes } from "./json.js";
import type { ByteSink } from "./sink.js";
import { touchDictionary } from "./touch.js";
import { WordText } from "./word-text.js";

const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
/** `},` as a little-endian word. */
const CLOSE_COMMA = 0x2c7d;

const VALUE = new WordText('{"value":"');
const ROWS = new WordText('","rows":');
/** Room beside a value: {@link VALUE}, {@link ROWS}, ten digits, the ends of the object and of the array, words' padding. */
const ROOM_BESIDE_VALUE = 48;

/** Values by code, each with its rows. */
export interface ValueRows {
	readonly codes: Uint32Array;
	readonly rows: Uint32Array;
}

export class ValueRowsWriter {
	/** By column's code. */
	private readonly cells: (Cell | undefined)[] = [];

	constructor(private readonly columns: SnapshotColumns) {}

	/** Appends the first `count` values of `column`, which is one of texts with a dictionary. */
	write(column: Column, { codes, rows }: ValueRows, count: number, sink: ByteSink): void {
		this.cells[column.code] ??= openLabelled(this.columns, "", column.name, "");
		const cell = this.cells[column.code] as Cell;
		const { offsets } = cell;
		touchDictionary(cell, codes, count);
		sink.byte(OPEN_ARRAY);
		for (let i = 0; i < count; i++) {
			const code = codes[i];
			const start = offsets[code];
			const end = offsets[code + 1];
			sink.reserveValue((end - start) * ESCAPE_BYTES_MAX + ROOM_BESIDE_VALUE);
			const valueEnd = writeEscapes(cell, start, end, sink, VALUE.writeTo(sink, sink.length));
			const at = writeNumber(rows[i], sink.bytes, ROWS.writeTo(sink, valueEnd));
			sink.words.setInt16(at, CLOSE_COMMA, true);
			sink.length = at + 2;
		}
		if (count > 0) sink.length--;
		sink.byte(CLOSE_ARRAY);
	}
}
